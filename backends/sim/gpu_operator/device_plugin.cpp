#include "backends/sim/gpu_operator/device_plugin.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/slots.hpp"
#include "backends/sim/step.hpp"

namespace tessera::sim::kube {
namespace {

constexpr Duration kGrace = std::chrono::minutes(5);  // of the kubelet, for a plugin that is away
constexpr Duration kLabelling = std::chrono::seconds(2);

constexpr std::string_view kPluginApp = "nvidia-device-plugin-daemonset";
constexpr std::string_view kDiscoveryApp = "gpu-feature-discovery";

}  // namespace

DevicePlugin::DevicePlugin(Context& context, std::string node, Log log)
    : context_(context), node_(std::move(node)), log_(std::move(log)) {
  index_ = find_node(context_.world(), node_).value_or(0);
}

sharing::MigStrategy DevicePlugin::strategy() const {
  const NodeState& node = context_.world().nodes[index_];
  if (context_.world().group(node).mig_single) return sharing::MigStrategy::single;
  std::string word = policy_text(context_.objects, {"spec", "mig", "strategy"});
  return sharing::parse_strategy(word).value_or(sharing::MigStrategy::single);
}

// The node's label names a key of the ConfigMap; without one the policy's default does, or nothing.
Result<PluginConfig> DevicePlugin::read_config() const {
  std::string map = policy_text(context_.objects, {"spec", "devicePlugin", "config", "name"});
  if (map.empty()) return PluginConfig{};
  std::string key = label_of(context_.objects, node_, kPluginConfig);
  if (key.empty()) key = policy_text(context_.objects, {"spec", "devicePlugin", "config", "default"});
  if (key.empty()) return PluginConfig{};
  std::optional<std::string> found = config_text(context_, map, key);
  if (!found)
    return Error{"the device plugin cannot start", fmt::format("specified config {} does not exist", key),
                 ""};
  return parse_plugin_config(*found, key);
}

std::optional<std::string> DevicePlugin::plugin_starts() {
  Result<PluginConfig> config = read_config();
  if (!config) {
    log_(std::string(kPluginApp), "E error starting plugins: " + config.error().reason);
    return config.error().reason;
  }
  Offer offer = offer_of(gpu_node(context_.world(), index_), *config, strategy());
  if (offer.refuses) {
    log_(std::string(kPluginApp), "E error starting plugins: " + *offer.refuses);
    return offer.refuses;
  }
  config_ = std::move(*config);
  offer_ = std::move(offer);
  for (const std::string& note : config_.warnings) log_(std::string(kPluginApp), "W " + note);
  for (const std::string& note : offer_.notes) log_(std::string(kPluginApp), "I " + note);
  return std::nullopt;
}

void DevicePlugin::plugin_ready() {
  for (auto& [name, resource] : resources_)
    if (!offer_.resources.contains(name)) withdraw(name);
  for (const auto& [name, count] : offer_.resources) {
    set_resource(name, count);
    log_(std::string(kPluginApp), fmt::format("I Registered device plugin for '{}' with Kubelet", name));
  }
  tell_world(false);
  publish();
}

void DevicePlugin::plugin_gone() {
  for (auto& [name, resource] : resources_) withdraw(name);
  tell_world(true);
  publish();
}

void DevicePlugin::set_resource(const std::string& name, std::int64_t count) {
  Resource& resource = resources_[name];
  if (resource.forgotten) context_.agenda.cancel(*resource.forgotten);
  resource = {count, count, std::nullopt};
}

void DevicePlugin::withdraw(const std::string& name) {
  Resource& resource = resources_[name];
  resource.allocatable = 0;
  if (resource.forgotten || resource.capacity == 0) return;
  resource.forgotten = context_.agenda.at(context_.now() + kGrace, [this, name] {
    resources_[name].forgotten.reset();
    resources_[name].capacity = 0;
    publish();
  });
}

void DevicePlugin::publish() {
  context_.objects.edit({"nodes", "", node_}, [&](Json& node) {
    Json& status = child(node, "status");
    for (const auto& [name, resource] : resources_) {
      put(child(status, "capacity"), name, text(std::to_string(resource.capacity)));
      put(child(status, "allocatable"), name, text(std::to_string(resource.allocatable)));
    }
  });
}

// The scheduler hands out what is on offer: names and copies of the GPUs' parts. Work that holds more
// copies than there are now keeps them.
void DevicePlugin::tell_world(bool nothing) {
  bool single = config_.strategy.value_or(strategy()) == sharing::MigStrategy::single;
  context_.act([&](World& world, Changes& changes) {
    NodeState& node = world.nodes[index_];
    node.offer = PluginOffer{nothing, single};
    node.switches = {config_.rename, config_.refuses_several};
    for (Board& board : node.boards)
      if (!nothing) share(board, world.group(node), single);
    WorldStep(world, changes).recount(index_);
  });
}

void DevicePlugin::share(Board& board, const NodeGroup& group, bool single) const {
  int held = shares(board.holds);
  std::string resource = "nvidia.com/gpu";
  for (const Instance& instance : board.instances) {
    held = std::max(held, shares(instance.holds));
    if (!single) resource = resource_of(group.mig->profiles[static_cast<std::size_t>(instance.profile)]);
  }
  int replicas = config_.replicas_of(resource);
  if (!board.cut()) board.strategy = replicas > 1 ? config_.method : Strategy::whole;
  board.replicas = std::max({1, replicas, held});
  if (!board.cut() && board.replicas > 1 && board.strategy == Strategy::whole)
    board.strategy = Strategy::time_slicing;
}

std::optional<std::string> DevicePlugin::discovery_starts() {
  Result<PluginConfig> config = read_config();
  if (!config) return config.error().reason;
  Discovered found = discover(gpu_node(context_.world(), index_), *config, strategy(), context_.now());
  if (found.refuses) {
    log_(std::string(kDiscoveryApp), "E " + *found.refuses);
    return found.refuses;
  }
  discovery_ = std::move(*config);
  return std::nullopt;
}

void DevicePlugin::discovery_ready() {
  context_.after(kLabelling, [this] {
    write_labels(discover(gpu_node(context_.world(), index_), discovery_, strategy(), context_.now()).labels);
  });
}

void DevicePlugin::write_labels(const Labels& labels) {
  LabelPatch patch;
  if (ObjectPtr node = context_.objects.find({"nodes", "", node_}))
    if (const Json* there = at(*node, {"metadata", "labels"}))
      for (const auto& [key, value] : there->fields)
        if (is_discovered(key)) patch[key] = std::nullopt;
  for (const auto& [key, value] : labels) patch[key] = value;
  patch_labels(context_.objects, node_, patch);
}

void DevicePlugin::settle() {
  if (!plugin_starts()) plugin_ready();
  if (!discovery_starts())
    write_labels(discover(gpu_node(context_.world(), index_), discovery_, strategy(), context_.now()).labels);
}

}  // namespace tessera::sim::kube
