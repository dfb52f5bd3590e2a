// Device plugin, feature discovery and kubelet of one simulated node, as far as they tell what the node has.
//
// The plugin reads its configuration and counts the GPUs when its container starts, and not again; the
// label nvidia.com/device-plugin.config restarts it, a changed ConfigMap does not. While it is away the
// kubelet keeps the capacity and sets allocatable to 0; after five minutes the capacity is 0, too, and the
// name stays. Threads: a plain object; used on one thread. The context outlives it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backends/sim/gpu_operator/context.hpp"

namespace tessera::sim::kube {

class DevicePlugin {
 public:
  using Log = std::function<void(const std::string& app, std::string line)>;
  DevicePlugin(Context& context, std::string node, Log log);

  // The containers start; the words with which they end at once, if they do.
  std::optional<std::string> plugin_starts();
  std::optional<std::string> discovery_starts();
  void plugin_ready();
  void plugin_gone();
  // Feature discovery has run; its labels are on the node a moment later.
  void discovery_ready();
  // What the node itself tells, from the GPUs as they are, as when everything has been running for long.
  void settle();

  const PluginConfig& config() const { return config_; }
  sharing::MigStrategy strategy() const;

 private:
  struct Resource {
    std::int64_t capacity = 0, allocatable = 0;
    std::optional<Agenda::Ticket> forgotten;  // the kubelet gives up on it then
  };

  Result<PluginConfig> read_config() const;
  void set_resource(const std::string& name, std::int64_t count);
  void withdraw(const std::string& name);
  void publish();
  void tell_world(bool nothing);
  void share(Board& board, const NodeGroup& group, bool single) const;
  void write_labels(const Labels& labels);

  Context& context_;
  std::string node_;
  std::uint32_t index_ = 0;
  Log log_;
  PluginConfig config_;     // of the plugin that runs
  PluginConfig discovery_;  // of feature discovery
  Offer offer_;
  std::map<std::string, Resource> resources_;
};

}  // namespace tessera::sim::kube
