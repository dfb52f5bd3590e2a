#include "backends/sim/gpu_operator/operator.hpp"

#include <fmt/format.h>

#include <array>

#include "backends/sim/gpu_operator/generated_config.hpp"
#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/step.hpp"
#include "engine/operators/labels.hpp"
#include "engine/sharing/ack.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kMostLines = 5000;
constexpr std::string_view kPlugin = "nvidia-device-plugin-daemonset";
constexpr std::string_view kDiscovery = "gpu-feature-discovery";
constexpr std::string_view kManager = "nvidia-mig-manager";
constexpr std::string_view kValidator = "nvidia-operator-validator";
constexpr std::string_view kExporterApp = "nvidia-dcgm-exporter";
constexpr std::string_view kStaticConfig = "default-mig-parted-config";
constexpr Duration kMountLag = seconds(60);  // until a changed ConfigMap is in the pods that mount it
constexpr Duration kStuck = minutes(12);
// What runs where containers use the GPUs, and what runs where virtual machines do.
constexpr std::array<std::string_view, 9> kForContainers = {
    "container-toolkit",     "dcgm",        "dcgm-exporter",        "device-plugin",     "driver",
    "gpu-feature-discovery", "mig-manager", "node-status-exporter", "operator-validator"};
constexpr std::array<std::string_view, 4> kForMachines = {"sandbox-device-plugin", "sandbox-validator",
                                                          "vgpu-device-manager", "vgpu-manager"};

std::string app_of(const Json& pod) { return text_at(pod, {"metadata", "labels", "app"}); }
std::string node_name_of(const Json& pod) { return text_at(pod, {"spec", "nodeName"}); }

bool by_daemon_set(const Json& pod) {
  const Json* owners = at(pod, {"metadata", "ownerReferences"});
  return owners && !owners->items.empty() && view_at(owners->items.front(), {"kind"}) == "DaemonSet";
}

bool is_node_ready(const Json& node) {
  if (const Json* conditions = at(node, {"status", "conditions"}))
    for (const Json& one : conditions->items)
      if (view_at(one, {"type"}) == "Ready") return view_at(one, {"status"}) == "True";
  return false;
}

std::string value_at(const ObjectPtr& object, Path path) { return object ? text_at(*object, path) : ""; }

// What a ClusterPolicy says that its operands get as environment.
struct Passed {
  std::string_view daemon_set, variable;
  std::array<std::string_view, 4> path;
};
constexpr std::array<Passed, 6> kPassed = {
    Passed{"nvidia-mig-manager", "CONFIG_MAP", {"spec", "migManager", "config", "name"}},
    Passed{"nvidia-device-plugin-daemonset", "CONFIG_MAP", {"spec", "devicePlugin", "config", "name"}},
    Passed{"nvidia-device-plugin-daemonset", "DEFAULT_CONFIG", {"spec", "devicePlugin", "config", "default"}},
    Passed{"nvidia-device-plugin-daemonset", "MIG_STRATEGY", {"spec", "mig", "strategy", ""}},
    Passed{"gpu-feature-discovery", "CONFIG_MAP", {"spec", "devicePlugin", "config", "name"}},
    Passed{"gpu-feature-discovery", "MIG_STRATEGY", {"spec", "mig", "strategy", ""}}};

std::string passed_value(const Json& policy, const Passed& passed) {
  const auto& [a, b, c, d] = passed.path;
  return d.empty() ? text_at(policy, {a, b, c}) : text_at(policy, {a, b, c, d});
}

void set_variable(Json& daemon_set, std::string_view name, const std::string& value) {
  Json* list = member(child(child(child(daemon_set, "spec"), "template"), "spec"), "containers");
  if (!list || list->items.empty()) return;
  Json& container = list->items.front();
  Json* env = member(container, "env");
  if (!env) {
    put(container, "env", Json::list());
    env = member(container, "env");
  }
  Json one = object({{"name", text(std::string(name))}, {"value", text(value)}});
  for (Json& there : env->items)
    if (view_at(there, {"name"}) == name) {
      there = std::move(one);
      return;
    }
  env->items.push_back(std::move(one));
}

}  // namespace

Operator::Operator(Context context)
    : context_(std::move(context)),
      kubelet_(
          context_,
          {[this](const Json& pod) { return leads(pod); }, [this](const Json& pod) { return why_fails(pod); },
           [this](const Json& pod) { pod_ready(pod); }, [this](const Json& pod) { pod_gone(pod); }}),
      daemon_sets_(context_, [this](const Json& pod) { kubelet_.remove(pod); }) {
  ports_.remove_pod = [this](const Json& pod) { kubelet_.remove(pod); };
  ports_.log = [this](const std::string& node, std::string line) {
    note(node, std::string(kManager), std::move(line));
  };
  ports_.config = [this](const std::string& node) { return nodes_[node].mig_config; };
  ports_.hold_back = [this](const std::string& node) {
    kubelet_.hold_back(node, std::string(kExporterApp), context_.now() + kStuck);
  };
  ports_.crash = [this](const std::string& node) {
    if (ObjectPtr pod = pod_on(node, kManager)) kubelet_.crash(*pod, "the container ended with exit code 1");
  };
  ports_.reboot = [this](const std::string& node) {
    context_.act([&](World& world, Changes& changes) {
      if (std::optional<std::uint32_t> index = find_node(world, node))
        WorldStep(world, changes).reboot_node(*index, "reboot", "mig-manager", world.now + kBoot, false);
    });
  };
}

bool Operator::leads(const Json& pod) const {
  return view_at(pod, {"metadata", "namespace"}) == context_.ns || by_daemon_set(pod);
}

Operator::~Operator() {
  if (watch_ > 0) context_.objects.unwatch(watch_);
}

void Operator::look_after(std::uint32_t index) {
  std::string name = shown_name(context_.world(), index);
  Node& node = nodes_[name];
  node.plugin = std::make_unique<DevicePlugin>(
      context_, name, [this, name](const std::string& app, std::string line) { note(name, app, line); });
  node.manager = std::make_unique<MigManager>(context_, ports_, name);
  if (!context_.world().group(context_.world().nodes[index]).ack.empty())
    node.ack = std::make_unique<AckPlugins>(context_, name);
  node.vgpu = std::make_unique<VgpuManager>(context_, name, [this, name](std::string line) {
    note(name, std::string(kVgpuManagerApp), std::move(line));
  });
}

void Operator::begin() {
  for (std::uint32_t i = 0; i < context_.world().nodes.size(); ++i) {
    const NodeState& state = context_.world().nodes[i];
    // It looks after no GPUs of AMD.
    if (state.boards.empty() || !context_.world().group(state).partition.empty()) continue;
    look_after(i);
    Node& node = nodes_[shown_name(context_.world(), i)];
    node.away = !context_.objects.find({"nodes", "", shown_name(context_.world(), i)});  // a fault hides it
    // Where a DRA driver hands out the GPUs, no device plugin runs.
    if (!node.away && !context_.world().group(state).claimed && !node.ack) node.plugin->settle();
  }
  watch_ = context_.objects.watch("", [this](const Change& change) { see_change(change); });
  daemon_sets_.populate();
  for (auto& [name, node] : nodes_)
    if (ObjectPtr pod = pod_on(name, kManager)) {
      mount_mig_config(name, *pod);
      node.manager->adopt();
    }
  for (const auto& [name, node] : nodes_)
    if (ObjectPtr object = context_.objects.find({"nodes", "", name})) follow_ready(*object);
}

// Pods of a node that is away do not run; they start again when it is back.
void Operator::follow_ready(const Json& object) {
  std::string name = text_at(object, {"metadata", "name"});
  Node& node = nodes_[name];
  bool away = !is_node_ready(object);
  if (away == node.away) return;
  node.away = away;
  if (away) return kubelet_.node_lost(name);
  if (!node.ack) node.plugin->plugin_gone();  // a kubelet that has just started knows of none
  kubelet_.node_back(name);
}

void Operator::see_change(const Change& change) {
  if (change.key.resource == "pods") kubelet_.see(change);
  daemon_sets_.see(change);
  if (change.key.resource == "nodes") see_node(change);
  if (change.key.resource == "clusterpolicies.nvidia.com") see_policy(change);
  if (change.key.resource == "configmaps") see_config_map(change);
}

void Operator::see_node(const Change& change) {
  auto found = nodes_.find(change.key.name);
  if (found == nodes_.end()) return;
  // One that registers again is as one that comes back: all that was said of it went with its object.
  if (change.verb == Verb::deleted && !std::exchange(found->second.away, true))
    kubelet_.node_lost(change.key.name);
  if (change.verb == Verb::deleted) return;
  follow_ready(*change.object);
  if (change.verb == Verb::added) return;
  auto changed = [&](std::string_view label) {
    return value_at(change.object, {"metadata", "labels", label}) !=
           value_at(change.before, {"metadata", "labels", label});
  };
  if (changed(kMigConfig))
    found->second.manager->label_is(value_at(change.object, {"metadata", "labels", kMigConfig}));
  if (changed(operators::kVgpuConfig))
    found->second.vgpu->label_is(value_at(change.object, {"metadata", "labels", operators::kVgpuConfig}));
  if (changed(sharing::ack::kSchedule) && found->second.ack)
    found->second.ack->label_is(value_at(change.object, {"metadata", "labels", sharing::ack::kSchedule}));
  if (changed(operators::kWorkload))
    context_.after(seconds(1), [this, node = change.key.name] { deploy_for_workload(node); });
  if (changed(kPluginConfig) &&
      !policy_text(context_.objects, {"spec", "devicePlugin", "config", "name"}).empty())
    restart_plugin(change.key.name);
}

// Only where the ClusterPolicy has virtual machines; passthrough is not played.
void Operator::deploy_for_workload(const std::string& node) {
  std::vector<ObjectPtr> policies = context_.objects.all("clusterpolicies.nvidia.com");
  if (policies.empty() || !flag_at(*policies.front(), {"spec", "sandboxWorkloads", "enabled"})) return;
  bool machines = label_of(context_.objects, node, operators::kWorkload) == "vm-vgpu";
  std::optional<std::uint32_t> index = find_node(context_.world(), node);
  const mig::Product* product = index ? gpu_node(context_.world(), *index).product : nullptr;
  LabelPatch patch;
  for (std::string_view one : kForContainers)
    patch[deploy_label(one)] = machines ? std::nullopt : std::optional("true");
  if (!machines && !(product && product->mig_capable)) patch[deploy_label("mig-manager")] = std::nullopt;
  for (std::string_view one : kForMachines)
    patch[deploy_label(one)] = machines ? std::optional("true") : std::nullopt;
  patch_labels(context_.objects, node, patch);
}

// The config-manager beside the plugin and beside feature discovery makes them start over.
void Operator::restart_plugin(const std::string& node) {
  auto running = [this](const std::string& where, std::string_view app) -> ObjectPtr {
    ObjectPtr pod = pod_on(where, app);
    return pod && kubelet_.runs(*pod) ? pod : nullptr;
  };
  context_.after(seconds(1), [this, node, running] {
    if (running(node, kPlugin)) nodes_[node].plugin->plugin_gone();
  });
  context_.after(seconds(4), [this, node, running] {
    if (ObjectPtr pod = running(node, kPlugin)) {
      if (auto words = nodes_[node].plugin->plugin_starts())
        kubelet_.crash(*pod, *words);
      else
        nodes_[node].plugin->plugin_ready();
    }
    if (ObjectPtr pod = running(node, kDiscovery)) {
      if (auto words = nodes_[node].plugin->discovery_starts())
        kubelet_.crash(*pod, *words);
      else
        nodes_[node].plugin->discovery_ready();
    }
  });
}

// The operator writes its DaemonSets again; their pods are replaced one after the other.
void Operator::see_policy(const Change& change) {
  if (change.verb != Verb::modified) return;
  Path machines = {"spec", "sandboxWorkloads", "enabled"};
  if (flag_at(*change.object, machines) && !flag_at(*change.before, machines))
    context_.after(seconds(2), [this] {
      for (Projected& one : sandbox_objects(context_.world()))
        if (!context_.objects.find(one.first)) context_.objects.create(one.first, std::move(one.second));
    });
  for (const Passed& passed : kPassed) {
    std::string value = passed_value(*change.object, passed);
    if (value == passed_value(*change.before, passed)) continue;
    Key key{"daemonsets.apps", context_.ns, std::string(passed.daemon_set)};
    context_.after(seconds(2), [this, key, variable = passed.variable, value] {
      context_.objects.edit(key, [&](Json& set) { set_variable(set, variable, value); });
    });
  }
}

// A mounted ConfigMap follows; what a manager has generated itself is its own file.
void Operator::see_config_map(const Change& change) {
  std::string mounted = policy_text(context_.objects, {"spec", "migManager", "config", "name"});
  if (mounted.empty() || change.key.name != mounted || change.key.ns != context_.ns) return;
  context_.after(kMountLag, [this, mounted] {
    if (policy_text(context_.objects, {"spec", "migManager", "config", "name"}) != mounted) return;
    std::optional<std::string> config = config_text(context_, mounted, "config.yaml");
    for (auto& [name, node] : nodes_)
      if (node.manager->runs() && config) node.mig_config = *config;
  });
}

Operator::Node* Operator::node_of(const Json& pod) {
  auto found = nodes_.find(node_name_of(pod));
  return found == nodes_.end() ? nullptr : &found->second;
}

ObjectPtr Operator::pod_on(const std::string& node, std::string_view app) const {
  for (ObjectPtr& pod : operator_pods(context_, node, app))
    if (!is_leaving(*pod)) return pod;
  return nullptr;
}

std::optional<std::string> Operator::why_fails(const Json& pod) {
  Node* node = node_of(pod);
  if (!node) return std::nullopt;
  if (app_of(pod) == kPlugin) return node->plugin->plugin_starts();
  if (app_of(pod) == kDiscovery) return node->plugin->discovery_starts();
  return std::nullopt;
}

void Operator::pod_ready(const Json& pod) {
  Node* node = node_of(pod);
  if (!node) return;
  std::string app = app_of(pod);
  if (auto index = find_node(context_.world(), node_name_of(pod));
      index && is_dra_plugin(pod) && context_.find_devices)
    context_.find_devices(*index);
  if (app == kPlugin) node->plugin->plugin_ready();
  if (app == kDiscovery) node->plugin->discovery_ready();
  if (app == kValidator) validate_node(node_name_of(pod));
  if (app == kVgpuManagerApp) node->vgpu->start();
  if (app == kSandboxPluginApp) node->vgpu->plugin_ready();
  if (app == kManager) {
    mount_mig_config(node_name_of(pod), pod);
    node->manager->start();
  }
}

void Operator::pod_gone(const Json& pod) {
  Node* node = node_of(pod);
  if (!node) return;
  std::string app = app_of(pod);
  // Without a kubelet what the node has is not reported: it stays as last reported.
  if (app == kPlugin && !node->away) node->plugin->plugin_gone();
  if (app == kVgpuManagerApp) node->vgpu->stop();
  if (app == kSandboxPluginApp && !node->away) node->vgpu->plugin_gone();
  if (app == kManager) {
    node->manager->stop();
    // Owned by the pod: it goes with it, and is written again by the next.
    if (is_leaving(pod))
      context_.objects.erase({"configmaps", context_.ns, node_name_of(pod) + "-mig-config"});
  }
  if (is_leaving(pod)) node->logs.erase(app);
}

// A ConfigMap of the site, or what the manager writes from the GPUs that it finds.
void Operator::mount_mig_config(const std::string& name, const Json& pod) {
  Node& node = nodes_[name];
  std::string map = policy_text(context_.objects, {"spec", "migManager", "config", "name"});
  if (map.empty()) {
    std::optional<std::uint32_t> index = find_node(context_.world(), name);
    if (!index) return;
    std::optional<std::string> generated = generated_config(gpu_node(context_.world(), *index));
    if (generated) {
      node.mig_config = *generated;
      context_.objects.set({"configmaps", context_.ns, name + "-mig-config"},
                           config_map_object(name, pod, *generated));
      return;
    }
    map = kStaticConfig;
  }
  std::optional<std::string> config = config_text(context_, map, "config.yaml");
  node.mig_config = config.value_or("");
}

// The validator's own pods run once and stay, done; the ClusterPolicy owns them.
void Operator::validate_node(const std::string& name) {
  std::vector<ObjectPtr> policies = context_.objects.all("clusterpolicies.nvidia.com");
  for (std::string_view app : {"nvidia-cuda-validator", "nvidia-device-plugin-validator"}) {
    if (pod_on(name, app)) continue;
    std::string pod = fmt::format("{}-{}", app, name).substr(0, 250);
    Json one = object({{"apiVersion", text("v1")}, {"kind", text("Pod")}});
    put_at(one, {"metadata", "labels", "app"}, text(std::string(app)));
    put_at(one, {"spec", "nodeName"}, text(name));
    put_at(one, {"spec", "containers"},
           list_of({object({{"name", text(std::string(app))},
                            {"image", text("nvcr.io/nvidia/cloud-native/gpu-operator-validator")}})}));
    put_at(one, {"status", "phase"}, text("Succeeded"));
    if (!policies.empty())
      put_at(one, {"metadata", "ownerReferences"},
             list_of({object({{"apiVersion", text("nvidia.com/v1")},
                              {"kind", text("ClusterPolicy")},
                              {"name", text(text_at(*policies.front(), {"metadata", "name"}))},
                              {"uid", text(text_at(*policies.front(), {"metadata", "uid"}))},
                              {"controller", flag(true)}})}));
    context_.objects.create({"pods", context_.ns, pod}, std::move(one));
  }
}

void Operator::note(const std::string& node, const std::string& app, std::string line) {
  std::deque<std::string>& log = nodes_[node].logs[app];
  log.push_back(std::move(line));
  if (log.size() > kMostLines) log.pop_front();
}

std::optional<std::vector<std::string>> Operator::log_of(const std::string& pod) const {
  ObjectPtr found = context_.objects.find({"pods", context_.ns, pod});
  if (!found) return std::nullopt;
  auto node = nodes_.find(node_name_of(*found));
  if (node == nodes_.end()) return std::nullopt;
  auto log = node->second.logs.find(app_of(*found));
  if (log == node->second.logs.end()) return std::vector<std::string>{};
  return std::vector<std::string>(log->second.begin(), log->second.end());
}

}  // namespace tessera::sim::kube
