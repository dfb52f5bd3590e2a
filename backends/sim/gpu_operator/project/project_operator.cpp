// The GPU operator's own objects: ClusterPolicy, ConfigMaps, DaemonSets (names and labels of v26.3).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/slots.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

// api/nvidia/v1 of the GPU operator (ClusterPolicySpec), and what its definition prints.
constexpr KnownFields kPolicyFields[] = {
    {"", "apiVersion kind metadata spec status"},
    {"spec mig", "strategy"},
    {"spec migManager config", "name default"},
    {"spec devicePlugin config", "name default"},
    {"spec sandboxWorkloads", "enabled defaultWorkload mode"},
};
constexpr PrintedColumn kPolicyColumns[] = {{"Status", "string", "status state"},
                                            {"Age", "date", "metadata creationTimestamp"}};
constexpr ResourceKind kPolicyKind{"nvidia.com",
                                   "v1",
                                   "clusterpolicies",
                                   "clusterpolicy",
                                   "ClusterPolicy",
                                   false,
                                   "",
                                   "status",
                                   true,
                                   false,
                                   0,
                                   1000,
                                   kPolicyFields,
                                   kPolicyColumns};

struct Operand {
  const char* name;    // of the DaemonSet, and its pods' "app"
  const char* deploy;  // nvidia.com/gpu.deploy.<this>=true selects its nodes
  const char* image;
};
constexpr Operand kOperands[] = {
    {"nvidia-driver-daemonset", "driver", "nvcr.io/nvidia/driver:595.91.07-ubuntu22.04"},
    {"nvidia-container-toolkit-daemonset", "container-toolkit",
     "nvcr.io/nvidia/k8s/container-toolkit:v1.19.0"},
    {"nvidia-operator-validator", "operator-validator", "nvcr.io/nvidia/gpu-operator:v26.3.0"},
    {"nvidia-device-plugin-daemonset", "device-plugin", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"},
    {"gpu-feature-discovery", "gpu-feature-discovery", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"},
    {"nvidia-mig-manager", "mig-manager", "nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.15.0"},
    {"nvidia-dcgm", "dcgm", "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubuntu22.04"},
    {"nvidia-dcgm-exporter", "dcgm-exporter", "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless"},
};

// Only with sandboxWorkloads.
constexpr Operand kSandboxOperands[] = {
    {"nvidia-vgpu-manager-daemonset", "vgpu-manager", "registry.example/vgpu-manager:580.65.05-ubuntu22.04"},
    {"nvidia-vgpu-device-manager", "vgpu-device-manager",
     "nvcr.io/nvidia/cloud-native/vgpu-device-manager:v0.4.0"},
    {"nvidia-sandbox-validator", "sandbox-validator", "nvcr.io/nvidia/gpu-operator:v26.3.0"},
    {"nvidia-sandbox-device-plugin-daemonset", "sandbox-device-plugin",
     "nvcr.io/nvidia/kubevirt-gpu-device-plugin:v1.4.0"},
};

std::string operator_version(const World& world) {
  for (const Daemon& daemon : world.spec().daemons)
    if (daemon.name == "gpu-operator" && daemon.detail.starts_with("v")) return clean(daemon.detail, 63);
  return "v26.3.0";
}

Json metadata_of(const World& world, std::string name, bool in_namespace) {
  Json metadata = object({{"name", text(std::move(name))}});
  if (in_namespace) put(metadata, "namespace", text(std::string(kOperatorNamespace)));
  put(metadata, "creationTimestamp", text(utc_text(world.start - std::chrono::hours(24 * 60))));
  put(metadata, "labels",
      object({{"app.kubernetes.io/instance", text("gpu-operator")},
              {"app.kubernetes.io/managed-by", text("gpu-operator")},
              {"app.kubernetes.io/version", text(operator_version(world))}}));
  return metadata;
}

Projected daemon_set(const World& world, const Operand& operand) {
  Json labels = object({{"app", text(operand.name)}});
  Json container = object({{"name", text(operand.name)},
                           {"image", text(operand.image)},
                           {"imagePullPolicy", text("IfNotPresent")}});
  Json pod = object(
      {{"containers", list_of({std::move(container)})},
       {"nodeSelector", object({{std::string("nvidia.com/gpu.deploy.") + operand.deploy, text("true")}})},
       {"priorityClassName", text("system-node-critical")},
       {"serviceAccountName", text(operand.name)},
       {"tolerations", list_of({object({{"operator", text("Exists")}})})}});
  Json spec =
      object({{"selector", object({{"matchLabels", labels}})},
              {"template", object({{"metadata", object({{"labels", labels}})}, {"spec", std::move(pod)}})},
              {"updateStrategy", object({{"type", text("RollingUpdate")}})}});
  Json metadata = metadata_of(world, operand.name, true);
  put_at(metadata, {"labels", "app"}, text(operand.name));
  put(metadata, "generation", number(1));
  Json one = object({{"kind", text("DaemonSet")},
                     {"apiVersion", text("apps/v1")},
                     {"metadata", std::move(metadata)},
                     {"spec", std::move(spec)}});
  return {Key{"daemonsets.apps", std::string(kOperatorNamespace), operand.name}, std::move(one)};
}

Projected config_map(const World& world, std::string_view name, Json data) {
  Json one = object({{"kind", text("ConfigMap")},
                     {"apiVersion", text("v1")},
                     {"metadata", metadata_of(world, std::string(name), true)},
                     {"data", std::move(data)}});
  return {Key{"configmaps", std::string(kOperatorNamespace), std::string(name)}, std::move(one)};
}

bool any_single(const World& world) {
  return std::any_of(world.spec().groups.begin(), world.spec().groups.end(),
                     [](const NodeGroup& group) { return group.mig && group.mig_single; });
}
bool any_mixed(const World& world) {
  return std::any_of(world.spec().groups.begin(), world.spec().groups.end(),
                     [](const NodeGroup& group) { return group.mig && !group.mig_single; });
}

std::string plugin_yaml(const PluginConfig& config) {
  std::string yaml = "version: v1\n";
  if (config.strategy) yaml += fmt::format("flags:\n  migStrategy: {}\n", word(*config.strategy));
  if (config.replicas.empty()) return yaml;
  yaml += fmt::format("sharing:\n  {}:\n    renameByDefault: {}\n    resources:\n",
                      config.method == Strategy::mps ? "mps" : "timeSlicing", config.rename);
  for (const auto& [name, replicas] : config.replicas)
    yaml += fmt::format("    - name: {}\n      replicas: {}\n", name, replicas);
  return yaml;
}

Json plugin_configs(const World& world) {
  std::map<std::string, std::string> configs{{"default", "version: v1\n"}};
  for (std::uint32_t node = 0; node < world.nodes.size(); ++node)
    if (std::string name = plugin_config_of(world, node); !name.empty())
      configs.emplace(name, plugin_yaml(shown_config(shape_of(world, node))));
  Json data = Json::map();
  for (auto& [name, yaml] : configs) put(data, name, text(std::move(yaml)));
  return data;
}

std::string entry_of(const sharing::Preset& preset, const mig::Product& product, bool filtered) {
  std::string yaml;
  if (filtered && !product.pci_ids.empty()) {
    yaml += fmt::format("    - device-filter: [\"{}\"]\n      devices: all\n",
                        fmt::join(product.pci_ids, "\", \""));
  } else {
    yaml += "    - devices: all\n";
  }
  yaml += fmt::format("      mig-enabled: {}\n", preset.mig);
  if (!preset.mig) return yaml;
  std::map<std::string, int> counts;
  for (int profile : preset.profiles) ++counts[product.profiles[static_cast<std::size_t>(profile)].name.text];
  yaml += counts.empty() ? "      mig-devices: {}\n" : "      mig-devices:\n";
  for (const auto& [profile, count] : counts) yaml += fmt::format("        \"{}\": {}\n", profile, count);
  return yaml;
}

}  // namespace

// As the operator ships it: a name for each preset, with a filter where products part ways.
static std::string mig_parted_yaml(const World& world) {
  std::vector<const mig::Product*> products;
  for (const NodeGroup& group : world.spec().groups)
    if (group.mig && std::find(products.begin(), products.end(), group.mig) == products.end())
      products.push_back(group.mig);
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::pair<const mig::Product*, sharing::Preset>>> entries;
  for (const mig::Product* product : products)
    for (sharing::Preset& preset : sharing::operator_presets(*product)) {
      if (!entries.contains(preset.name)) names.push_back(preset.name);
      entries[preset.name].emplace_back(product, std::move(preset));
    }
  std::string yaml = "version: v1\nmig-configs:\n";
  for (const std::string& name : names) {
    std::set<std::string> different;
    for (const auto& [product, preset] : entries[name]) different.insert(entry_of(preset, *product, false));
    bool everywhere = different.size() == 1 && entries[name].size() == products.size();
    yaml += fmt::format("  {}:\n", name);
    if (everywhere) {
      yaml += *different.begin();
      continue;
    }
    for (const auto& [product, preset] : entries[name]) yaml += entry_of(preset, *product, true);
  }
  if (names.empty()) yaml += "  all-disabled:\n    - devices: all\n      mig-enabled: false\n";
  return yaml;
}

std::vector<Projected> sandbox_objects(const World& world) {
  std::vector<Projected> all;
  for (const Operand& operand : kSandboxOperands) all.push_back(daemon_set(world, operand));
  return all;
}

std::vector<Projected> operator_objects(const World& world) {
  std::vector<Projected> all;
  for (const Operand& operand : kOperands) all.push_back(daemon_set(world, operand));
  all.push_back(config_map(world, kPluginConfigMap, plugin_configs(world)));
  all.push_back(
      config_map(world, kStaticMigConfigMap, object({{"config.yaml", text(mig_parted_yaml(world))}})));
  const char* strategy = any_mixed(world) ? "mixed" : any_single(world) ? "single" : "none";
  Json spec = object(
      {{"operator", object({{"defaultRuntime", text("containerd")}})},
       {"driver", object({{"enabled", flag(true)}, {"version", text("595.91.07")}})},
       {"devicePlugin", object({{"enabled", flag(true)},
                                {"version", text("v0.20.0")},
                                {"config", object({{"name", text(std::string(kPluginConfigMap))},
                                                   {"default", text("default")}})}})},
       {"mig", object({{"strategy", text(strategy)}})},
       {"migManager", object({{"enabled", flag(true)},
                              {"version", text("v0.15.0")},
                              {"config", object({{"name", text(std::string(kStaticMigConfigMap))},
                                                 {"default", text("all-disabled")}})}})},
       {"dcgm", object({{"enabled", flag(true)}})},
       {"dcgmExporter", object({{"enabled", flag(true)}})},
       {"gfd", object({{"enabled", flag(true)}})},
       {"sandboxWorkloads", object({{"enabled", flag(false)}, {"defaultWorkload", text("container")}})}});
  Json policy = object(
      {{"kind", text("ClusterPolicy")},
       {"apiVersion", text("nvidia.com/v1")},
       {"metadata", metadata_of(world, "cluster-policy", false)},
       {"spec", std::move(spec)},
       {"status", object({{"namespace", text(std::string(kOperatorNamespace))}, {"state", text("ready")}})}});
  all.emplace_back(Key{"clusterpolicies.nvidia.com", "", "cluster-policy"}, std::move(policy));
  return all;
}

void add_operator_kinds(Kinds& kinds) { kinds.add(kPolicyKind); }

}  // namespace tessera::sim::kube
