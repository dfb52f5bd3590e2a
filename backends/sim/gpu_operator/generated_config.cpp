#include "backends/sim/gpu_operator/generated_config.hpp"

#include "backends/sim/apiserver/value.hpp"
#include "engine/operators/mig_parted.hpp"
#include "engine/sharing/limits.hpp"
#include "engine/sharing/presets.hpp"

namespace tessera::sim::kube {

std::optional<std::string> generated_config(const GpuNode& node) {
  if (!node.product || !node.product->mig_capable) return std::nullopt;
  if (sharing::compare_versions(node.group.driver, "536").value_or(1) < 0) return std::nullopt;
  std::vector<operators::MigConfig> configs;
  for (const sharing::Preset& preset : sharing::operator_presets(*node.product)) {
    operators::MigRow row;
    row.enabled = preset.mig;
    for (int profile : preset.profiles)
      ++row.counts[node.product->profiles[static_cast<std::size_t>(profile)].name.text];
    configs.push_back({preset.name, {row}});
  }
  return "# DO NOT EDIT: Auto-generated MIG configuration for this node\n" + operators::document_of(configs);
}

Json config_map_object(const std::string& node, const Json& pod, const std::string& config) {
  Json map = object({{"apiVersion", text("v1")}, {"kind", text("ConfigMap")}});
  put_at(map, {"metadata", "labels"},
         object({{"app.kubernetes.io/component", text("nvidia-mig-manager")},
                 {"nvidia.com/node-name", text(node)}}));
  put_at(map, {"metadata", "ownerReferences"},
         list_of({object({{"apiVersion", text("v1")},
                          {"kind", text("Pod")},
                          {"name", text(text_at(pod, {"metadata", "name"}))},
                          {"uid", text(text_at(pod, {"metadata", "uid"}))}})}));
  put_at(map, {"data", "config.yaml"}, text(config));
  return map;
}

}  // namespace tessera::sim::kube
