// The vGPU device manager of one simulated node, and what the sandbox device plugin beside it offers: a label
// changes, the plugin is paused, vGPUs are made, the plugin comes back and offers them.
//
// After vgpu-device-manager v0.4 (cmd/nvidia-k8s-vgpu-dm): it acts on a change of nvidia.com/vgpu.config or
// when its pod starts, takes "default" where the label is absent, and knows the types of its own default
// file. Threads: a plain object; used on one thread. The context outlives it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backends/sim/gpu_operator/context.hpp"

namespace tessera::sim::kube {

inline constexpr std::string_view kVgpuManagerApp = "nvidia-vgpu-device-manager";
inline constexpr std::string_view kSandboxPluginApp = "nvidia-sandbox-device-plugin-daemonset";
inline constexpr std::string_view kSandboxValidatorApp = "nvidia-sandbox-validator";

class VgpuManager {
 public:
  using Log = std::function<void(std::string line)>;
  VgpuManager(Context& context, std::string node, Log log)
      : context_(context), node_(std::move(node)), log_(std::move(log)) {}

  void start();  // its pod runs: the label is read
  void stop();
  void label_is(const std::string& value);
  void plugin_ready();  // the sandbox device plugin: what was made is on offer
  void plugin_gone();

 private:
  using Next = void (VgpuManager::*)();
  void then(Duration wait, Next next);
  void wake();
  void pause();
  void wait_for_clients();
  void make();
  void end(std::string_view state);
  void publish(std::int64_t count);

  Context& context_;
  std::string node_;
  Log log_;
  bool runs_ = false;
  std::string current_, last_read_ = "(nothing read yet)";
  std::string made_;  // the type that stands; empty: none
  std::int64_t count_ = 0;
  TimePoint wait_until_{};
  std::optional<Agenda::Ticket> step_;
};

}  // namespace tessera::sim::kube
