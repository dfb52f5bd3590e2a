#include "backends/kubernetes/objects/components.hpp"

#include <algorithm>
#include <array>

#include "backends/kubernetes/objects/dra_values.hpp"

namespace tessera::kubernetes {
namespace {

struct KnownApp {
  std::string_view name;
  std::string_view deploy;  // nvidia.com/gpu.deploy.<this>; empty: none
  std::array<std::string_view, 4> apps;
};
// In the order of need.
constexpr std::array kKnownApps = {
    KnownApp{"driver", "driver", {"nvidia-driver-daemonset", "nvidia-vgpu-driver-daemonset"}},
    KnownApp{"vGPU manager", "vgpu-manager", {"nvidia-vgpu-manager-daemonset"}},
    KnownApp{"VFIO manager", "vfio-manager", {"nvidia-vfio-manager"}},
    KnownApp{"container toolkit", "container-toolkit", {"nvidia-container-toolkit-daemonset"}},
    KnownApp{"MIG manager", "mig-manager", {"nvidia-mig-manager"}},
    KnownApp{"vGPU device manager", "vgpu-device-manager", {"nvidia-vgpu-device-manager"}},
    KnownApp{"validator", "operator-validator", {"nvidia-operator-validator", "nvidia-sandbox-validator"}},
    KnownApp{kMpsDaemon, "device-plugin", {"nvidia-device-plugin-mps-control-daemon"}},
    KnownApp{kPluginComponent,
             "device-plugin",
             {"nvidia-device-plugin-daemonset", "nvidia-device-plugin", "nvidia-gpu-device-plugin",
              "nvidia-device-plugin-ds"}},
    KnownApp{"sandbox device plugin", "sandbox-device-plugin", {"nvidia-sandbox-device-plugin-daemonset"}},
    KnownApp{kDraComponent, "dra-driver", {"dra-driver-nvidia-gpu", "nvidia-dra-driver-gpu"}},
    KnownApp{"feature discovery", "gpu-feature-discovery", {"gpu-feature-discovery"}},
    KnownApp{"DCGM", "dcgm", {"nvidia-dcgm"}},
    KnownApp{"DCGM exporter", "dcgm-exporter", {"nvidia-dcgm-exporter", "dcgm-exporter"}},
    KnownApp{"node status exporter", "node-status-exporter", {"nvidia-node-status-exporter"}},
    KnownApp{"HAMi device plugin", "", {"hami-device-plugin"}},
};

const KnownApp* find_app(std::string_view app) {
  if (app.empty()) return nullptr;
  for (const KnownApp& known : kKnownApps)
    if (std::find(known.apps.begin(), known.apps.end(), app) != known.apps.end()) return &known;
  return nullptr;
}

std::string_view app_of(const PodObject& pod) {
  for (std::string_view key : {"app", "app.kubernetes.io/name", "k8s-app"})
    if (std::string_view value = pod.label(key); find_app(value)) return value;
  return {};
}

bool selects(const DaemonSetObject& set, const NodeObject& node) {
  return std::all_of(set.node_selector.begin(), set.node_selector.end(), [&](const auto& entry) {
    auto found = node.meta.labels.find(entry.first);
    // Labels that we do not keep (feature.node.kubernetes.io/…) are taken as met.
    return found == node.meta.labels.end() ? !is_kept_node_label(entry.first) : found->second == entry.second;
  });
}

// The selector holds but for labels of the form gpu.deploy.x, which a manager may have paused.
bool would_select(const DaemonSetObject& set, const NodeObject& node) {
  DaemonSetObject without = set;
  without.node_selector.erase_if(
      [](const auto& entry) { return entry.first.starts_with("nvidia.com/gpu.deploy."); });
  return selects(without, node);
}

std::string trouble_of(const PodObject& pod) {
  std::string detail = pod.reason.empty() ? pod.phase : pod.reason;
  if (!pod.message.empty()) detail += ": " + pod.message;
  if (!pod.unschedulable.empty()) detail = pod.unschedulable;
  return detail.empty() ? "not ready" : detail;
}

std::optional<Component> component(const KnownApp& known, const NodeObject& node,
                                   const std::vector<DaemonSetObject>* sets,
                                   const std::vector<StackPod>& pods) {
  Component part{std::string(known.name), Part::unknown, "", {}};
  const StackPod* pod = nullptr;
  for (const StackPod& one : pods)
    if (one.component == known.name && (!pod || one.ready)) pod = &one;
  std::string deploy = known.deploy.empty() ? "" : "nvidia.com/gpu.deploy." + std::string(known.deploy);
  std::string_view label = deploy.empty() ? std::string_view() : node.label(deploy);
  const DaemonSetObject* meant = nullptr;
  if (sets)
    for (const DaemonSetObject& set : *sets)
      if (find_app(set.app) == &known && would_select(set, node)) meant = &set;
  // Two parts share the plugin's label; whether this one is meant only its DaemonSet tells.
  bool may_be = pod || meant || (!sets && known.name != kMpsDaemon);
  if (label.starts_with("paused") && may_be) {
    part.state = Part::paused;
    part.detail = deploy + "=" + std::string(label);
    return part;
  }
  if (pod) {
    part.state = pod->ready && !pod->ending ? Part::ready : Part::not_ready;
    if (part.state == Part::not_ready) part.detail = pod->ending ? "its pod is ending" : pod->trouble;
    part.since = pod->since;
    return part;
  }
  if (label == "false" || !meant) return std::nullopt;  // opted out, or not known
  if (!selects(*meant, node) && label.empty() && !deploy.empty())
    return std::nullopt;  // not meant to run here
  part.state = Part::missing;
  part.detail = "DaemonSet " + meant->meta.name_space + "/" + meant->meta.name + " has no pod here";
  return part;
}

}  // namespace

std::string_view component_of(std::string_view app) {
  const KnownApp* known = find_app(app);
  return known ? known->name : std::string_view();
}

std::string_view component_of(const PodObject& pod) { return component_of(app_of(pod)); }

StackPod stack_pod_of(const PodObject& pod) {
  StackPod kept;
  kept.component = component_of(pod);
  kept.name_space = Text(pod.meta.name_space);
  kept.name = pod.meta.name;
  kept.ready = pod.ready;
  kept.ending = pod.meta.deleted.has_value();
  if (!kept.ready && !kept.ending) kept.trouble = trouble_of(pod), kept.since = pod.unready_since;
  kept.metrics_https = pod.metrics_https;
  kept.metrics_port = pod.metrics_port;
  if (kept.component == kDraComponent) kept.dynamic_mig = gate_of(pod.feature_gates);
  return kept;
}

bool StackPod::is_before(const PodObject& pod) const {
  if (int order = name_space.str().compare(pod.meta.name_space); order != 0) return order < 0;
  return name < pod.meta.name;
}

std::vector<Component> components_of(const NodeObject& node, const std::vector<DaemonSetObject>* sets,
                                     const std::vector<StackPod>& pods) {
  std::vector<Component> parts;
  for (const KnownApp& known : kKnownApps)
    if (auto part = component(known, node, sets, pods)) parts.push_back(std::move(*part));
  return parts;
}

}  // namespace tessera::kubernetes
