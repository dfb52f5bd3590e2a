// Nodes as objects.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/gpu_operator/ack_plugins.hpp"
#include "backends/sim/gpu_operator/gfd.hpp"
#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/random.hpp"
#include "backends/sim/slots.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

const mig::Product* product_of(const World& world, const NodeGroup& group) {
  return group.mig ? group.mig : world.scenario->catalogue->by_key(group.product);
}

bool is_away(const World& world, std::uint32_t node) {
  Condition condition = world.nodes[node].condition;
  return condition == Condition::down || condition == Condition::unknown || is_silent(world, node);
}

bool is_cordoned(const NodeState& node) {
  return node.condition == Condition::drained || node.closing.has_value();
}

// "NVIDIA H100 80GB HBM3" → "NVIDIA-H100-80GB-HBM3": what no label may hold is dropped.
std::string label_word(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == ' ') out += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.') out += c;
  }
  if (out.size() > 63) out.resize(63);
  return out;
}

Labels labels_of(const World& world, std::uint32_t node, const std::string& name, bool gpus) {
  const NodeGroup& group = world.group(world.nodes[node]);
  Labels labels{{"beta.kubernetes.io/arch", "amd64"},
                {"beta.kubernetes.io/os", "linux"},
                {"kubernetes.io/arch", "amd64"},
                {"kubernetes.io/hostname", name},
                {"kubernetes.io/os", "linux"}};
  if (group.boards.empty()) return labels;
  if (!group.ack.empty()) {
    labels.merge(ack_labels(group));
    return labels;
  }
  if (!group.partition.empty()) {
    if (gpus && group.told) labels.merge(amd_labels(group));
    return labels;
  }
  labels["feature.node.kubernetes.io/pci-10de.present"] = "true";
  labels["nvidia.com/gpu.present"] = "true";
  const mig::Product* product = product_of(world, group);
  bool capable = product && product->mig_capable;
  for (const char* part : {"container-toolkit", "dcgm", "dcgm-exporter", "device-plugin", "driver",
                           "gpu-feature-discovery", "node-status-exporter", "operator-validator"})
    labels[std::string("nvidia.com/gpu.deploy.") + part] = "true";
  const bool managed = !group.claimed || group.mig_manager;
  if (capable && managed) labels["nvidia.com/gpu.deploy.mig-manager"] = "true";
  if (group.claimed) labels["nvidia.com/gpu.deploy.device-plugin"] = "false";
  if (group.claimed) labels[std::string(kDraDeploy)] = "true";
  if (std::string config = plugin_config_of(world, node); gpus && !config.empty())
    labels["nvidia.com/device-plugin.config"] = config;
  if (std::string config = mig_config_of(world, node); gpus && managed && !config.empty()) {
    labels["nvidia.com/mig.config"] = config;
    labels["nvidia.com/mig.config.state"] = "success";
  }
  // The scenario's own words, where nothing that is worked out says otherwise.
  for (const std::string& feature : group.features)
    if (std::size_t equals = feature.find('='); equals != std::string::npos) {
      std::string key = feature.substr(0, equals);
      if (key.find('/') == std::string::npos) key = "nvidia.com/" + key;
      labels.emplace(key, label_word(feature.substr(equals + 1)));
    }
  if (!gpus) return labels;
  sharing::NodeShape shape = shape_of(world, node);
  for (auto& [key, value] :
       discover(gpu_node(world, node), shown_config(shape), shape.strategy, world.start).labels)
    labels[key] = value;
  return labels;
}

Json conditions_of(const World& world, std::uint32_t node) {
  const NodeState& state = world.nodes[node];
  bool away = is_away(world, node);
  std::string changed = utc_text(away ? state.since : state.booted);
  std::string heartbeat = utc_text(away ? state.since : std::max(state.booted, state.since));
  Json list = Json::list();
  auto add = [&](const char* type, const char* fine, const char* reason, const char* message) {
    list.items.push_back(
        object({{"type", text(type)},
                {"status", text(away ? "Unknown" : fine)},
                {"lastHeartbeatTime", text(heartbeat)},
                {"lastTransitionTime", text(changed)},
                {"reason", text(away ? "NodeStatusUnknown" : reason)},
                {"message", text(away ? "Kubelet stopped posting node status." : message)}}));
  };
  add("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available");
  add("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure");
  add("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available");
  add("Ready", "True", "KubeletReady", "kubelet is posting ready status");
  return list;
}

Json spec_of(const World& world, std::uint32_t node) {
  const NodeState& state = world.nodes[node];
  Json spec = object({{"podCIDR", text(fmt::format("10.{}.{}.0/24", 64 + node / 256, node % 256))}});
  Json taints = Json::list();
  auto taint = [&](const char* key, const char* effect) {
    taints.items.push_back(
        object({{"key", text(key)}, {"effect", text(effect)}, {"timeAdded", text(utc_text(state.since))}}));
  };
  if (is_cordoned(state)) taint("node.kubernetes.io/unschedulable", "NoSchedule");
  if (is_away(world, node)) {
    taint("node.kubernetes.io/unreachable", "NoSchedule");
    taint("node.kubernetes.io/unreachable", "NoExecute");
  }
  if (!taints.items.empty()) put(spec, "taints", std::move(taints));
  if (is_cordoned(state)) put(spec, "unschedulable", flag(true));
  return spec;
}

Json info_of(const World& world, const NodeGroup& group, std::uint32_t node) {
  std::string agent = group.agent.empty() ? "v1.32.2" : clean(group.agent, 64);
  auto id = [&](int which) {
    return fmt::format("{:016x}{:016x}", draw(world.seed, 77, node, which),
                       draw(world.seed, 78, node, which));
  };
  std::int64_t boot = world.nodes[node].booted.time_since_epoch().count();
  return object({{"machineID", text(id(0))},
                 {"systemUUID", text(id(1))},
                 {"bootID", text(fmt::format("{:016x}{:016x}", draw(world.seed, 79, node, boot),
                                             draw(world.seed, 80, node, boot)))},
                 {"kernelVersion", text("5.15.0-126-generic")},
                 {"osImage", text("Ubuntu 22.04.5 LTS")},
                 {"containerRuntimeVersion", text("containerd://1.7.24")},
                 {"kubeletVersion", text(agent)},
                 {"kubeProxyVersion", text(agent)},
                 {"operatingSystem", text("linux")},
                 {"architecture", text("amd64")}});
}

Json to_map(const Labels& labels) {
  Json map = Json::map();
  for (const auto& [key, value] : labels) map.fields.emplace_back(clean(key, 317), text(clean(value, 63)));
  return map;
}

}  // namespace

sharing::NodeShape shape_of(const World& world, std::uint32_t node) {
  const NodeState& state = world.nodes[node];
  const NodeGroup& group = world.group(state);
  sharing::NodeShape shape;
  shape.name = clean(world.node_name(node), 253);
  shape.driver = group.driver;
  for (const Board& board : state.boards) {
    sharing::BoardShape one;
    one.product = product_of(world, group);
    one.mig = board.cut();
    for (const Instance& instance : board.instances)
      if (group.mig)
        one.instances.push_back(group.mig->profiles[static_cast<std::size_t>(instance.profile)].name);
    shape.boards.push_back(std::move(one));
    if (board.replicas > 1 && shape.sharing.replicas < 2) {
      shape.sharing.replicas = board.replicas;
      shape.sharing.method = board.strategy == Strategy::mps ? Strategy::mps : Strategy::time_slicing;
      shape.sharing.rename = true;  // the simulator's shared resources end in ".shared"
    }
  }
  if (group.mig)
    shape.strategy = group.mig_single ? sharing::MigStrategy::single : sharing::MigStrategy::mixed;
  return shape;
}

PluginConfig shown_config(const sharing::NodeShape& shape) {
  PluginConfig config;
  if (shape.strategy != sharing::MigStrategy::none) config.strategy = shape.strategy;
  if (shape.sharing.replicas < 2) return config;
  config.method = shape.sharing.method;
  config.rename = shape.sharing.rename;
  for (const sharing::BoardShape& board : shape.boards) {
    bool mixed = board.mig && shape.strategy == sharing::MigStrategy::mixed;
    if (!mixed) config.replicas[sharing::kubernetes_gpu()] = shape.sharing.replicas;
    if (mixed)
      for (const ProfileName& profile : board.instances)
        config.replicas[sharing::kubernetes_instance(profile)] = shape.sharing.replicas;
  }
  return config;
}

std::string plugin_config_of(const World& world, std::uint32_t node) {
  sharing::NodeShape shape = shape_of(world, node);
  std::string name;
  if (shape.sharing.replicas > 1)
    name = fmt::format("{}-{}", shape.sharing.method == Strategy::mps ? "mps" : "time-slicing",
                       shape.sharing.replicas);
  if (shape.strategy == sharing::MigStrategy::single) name += name.empty() ? "mig-single" : "-mig-single";
  return name;
}

std::string mig_config_of(const World& world, std::uint32_t node) {
  const NodeState& state = world.nodes[node];
  const NodeGroup& group = world.group(state);
  if (!group.mig || state.boards.empty()) return {};
  std::string common;
  for (const Board& board : state.boards) {
    std::vector<int> profiles;
    for (const Instance& instance : board.instances) profiles.push_back(instance.profile);
    std::string name = !board.cut()       ? "all-disabled"
                       : profiles.empty() ? "all-enabled"
                                          : sharing::operator_name(*group.mig, profiles).value_or("custom");
    if (!common.empty() && name != common) return "custom";
    common = name;
  }
  return common;
}

Projected project_node(const World& world, std::uint32_t node, bool gpus) {
  const NodeState& state = world.nodes[node];
  const NodeGroup& group = world.group(state);
  std::string name = clean(world.node_name(node), 253);
  Json capacity = object({{"cpu", text(std::to_string(group.cpus))},
                          {"ephemeral-storage", text("1875797780Ki")},
                          {"hugepages-2Mi", text("0")},
                          {"memory", text(fmt::format("{}Ki", group.memory_gib * 1024 * 1024))}});
  if (gpus && group.told && !group.ack.empty())
    put(capacity, "nvidia.com/gpu", text(std::to_string(state.boards.size())));
  else if (gpus && group.told && !group.partition.empty()) {
    int devices = 0;
    for (const Board& board : state.boards) devices += std::max(1, board.replicas);
    put(capacity, std::string(sharing::amd::kGpu), text(std::to_string(devices)));
  } else if (gpus && group.told && !group.claimed) {
    sharing::NodeShape shape = shape_of(world, node);
    for (const auto& [resource, count] :
         offer_of(gpu_node(world, node), shown_config(shape), shape.strategy).resources)
      put(capacity, resource, text(std::to_string(count)));
  }
  put(capacity, "pods", text("110"));
  Json addresses =
      list_of({object({{"type", text("InternalIP")},
                       {"address", text(fmt::format("10.0.{}.{}", node / 250 % 256, node % 250 + 1))}}),
               object({{"type", text("Hostname")}, {"address", text(name)}})});
  Json status = object({{"capacity", capacity},
                        {"allocatable", capacity},
                        {"conditions", conditions_of(world, node)},
                        {"addresses", std::move(addresses)},
                        {"daemonEndpoints", object({{"kubeletEndpoint", object({{"Port", number(10250)}})}})},
                        {"nodeInfo", info_of(world, group, node)}});
  Json metadata = object({{"name", text(name)},
                          {"creationTimestamp", text(utc_text(world.start - std::chrono::hours(24 * 90)))},
                          {"labels", to_map(labels_of(world, node, name, gpus))}});
  Json whole = object({{"kind", text("Node")},
                       {"apiVersion", text("v1")},
                       {"metadata", std::move(metadata)},
                       {"spec", spec_of(world, node)},
                       {"status", std::move(status)}});
  return {Key{"nodes", "", name}, std::move(whole)};
}

}  // namespace tessera::sim::kube
