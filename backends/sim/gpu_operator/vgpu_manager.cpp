#include "backends/sim/gpu_operator/vgpu_manager.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/labels.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/vgpu.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kPausedForVgpu = "paused-for-vgpu-change";
constexpr std::string_view kPausedClients[] = {"sandbox-device-plugin", "sandbox-validator"};
constexpr Duration kClientPatience = minutes(5);

std::vector<sharing::VgpuType> types_on(const World& world, std::uint32_t node) {
  GpuNode boards = gpu_node(world, node);
  Result<std::vector<sharing::VgpuBoard>> table = sharing::built_in_vgpu_types();
  if (!table || !boards.product) return {};
  return sharing::vgpu_types(*table, boards.product->key, boards.group.model);
}

// "default" halves each GPU, as the manager's own file does.
std::optional<sharing::VgpuType> type_for(const std::vector<sharing::VgpuType>& types,
                                          const std::string& config) {
  auto found = std::find_if(types.begin(), types.end(), [&](const sharing::VgpuType& type) {
    return config == "default" ? type.per_board == 2 : type.name.text == config;
  });
  return found == types.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

void VgpuManager::then(Duration wait, Next next) {
  step_ = context_.agenda.at(context_.now() + wait, [this, next] {
    step_.reset();
    (this->*next)();
  });
}

void VgpuManager::start() {
  runs_ = true;
  last_read_ = "(nothing read yet)";
  current_ = label_of(context_.objects, node_, operators::kVgpuConfig);
  wake();
}

void VgpuManager::stop() {
  runs_ = false;
  if (step_) context_.agenda.cancel(*step_);
  step_.reset();
}

void VgpuManager::label_is(const std::string& value) {
  current_ = value;
  if (runs_) wake();
}

void VgpuManager::wake() {
  if (step_ || current_ == last_read_) return;
  last_read_ = current_;
  log_(fmt::format("level=info msg=\"Updating to vGPU config: {}\"", clean(last_read_, 64)));
  then(std::chrono::milliseconds(300), &VgpuManager::pause);
}

void VgpuManager::pause() {
  LabelPatch patch{{std::string(operators::kVgpuState), "pending"}};
  for (std::string_view client : kPausedClients) patch[deploy_label(client)] = std::string(kPausedForVgpu);
  patch_labels(context_.objects, node_, patch);
  wait_until_ = context_.now() + kClientPatience;
  then(seconds(1), &VgpuManager::wait_for_clients);
}

void VgpuManager::wait_for_clients() {
  bool gone = operator_pods(context_, node_, kSandboxPluginApp).empty() &&
              operator_pods(context_, node_, kSandboxValidatorApp).empty();
  if (!gone && context_.now() < wait_until_) return then(seconds(1), &VgpuManager::wait_for_clients);
  if (!gone) return end("failed");
  then(seconds(3), &VgpuManager::make);
}

void VgpuManager::make() {
  std::optional<std::uint32_t> index = find_node(context_.world(), node_);
  if (!index) return;
  std::string config = last_read_.empty() ? "default" : last_read_;
  std::optional<sharing::VgpuType> type = type_for(types_on(context_.world(), *index), config);
  if (!type) {
    log_(fmt::format("level=fatal msg=\"selected vgpu-config not present: {}\"", clean(config, 64)));
    return end("failed");
  }
  plugin_gone();
  made_ = type->name.text;
  count_ =
      std::int64_t{type->per_board} * static_cast<std::int64_t>(context_.world().nodes[*index].boards.size());
  end("success");
}

void VgpuManager::end(std::string_view state) {
  LabelPatch patch{{std::string(operators::kVgpuState), std::string(state)}};
  for (std::string_view client : kPausedClients) patch[deploy_label(client)] = "true";
  patch_labels(context_.objects, node_, patch);
  wake();
}

void VgpuManager::plugin_ready() { publish(count_); }
void VgpuManager::plugin_gone() { publish(0); }

void VgpuManager::publish(std::int64_t count) {
  if (made_.empty()) return;
  context_.objects.edit({"nodes", "", node_}, [&](Json& node) {
    for (const char* part : {"capacity", "allocatable"})
      put(child(child(node, "status"), part), sharing::kubernetes_vgpu(made_), text(std::to_string(count)));
  });
}

}  // namespace tessera::sim::kube
