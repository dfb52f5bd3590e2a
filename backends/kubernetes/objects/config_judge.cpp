#include "backends/kubernetes/objects/config_judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/number.hpp"
#include "engine/operators/labels.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

using operators::SitePart;

constexpr std::size_t kNamed = 6;
constexpr int kMostGpusToldOf = 64;

std::string some_of(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : tessera::some_of({names.begin(), names.end()}, kNamed);
}

Remark about(const NodeObject& node, std::string text, std::string hint, std::string follows) {
  return {Remark::Grade::danger, node.meta.name,    true, std::move(text), std::move(hint),
          Remark::Kind::other,   std::move(follows)};
}

}  // namespace

ConfigJudge::ConfigJudge(std::shared_ptr<const operators::OperatorSetup> site) : site_(std::move(site)) {
  if (!site_) return;
  for (const auto& [name, text] : site_->plugin_configs)
    if (auto config = operators::parse_plugin_config(text, name)) plugin_configs_.emplace(name, *config);
}

std::vector<Remark> ConfigJudge::unknown_names(const NodeObject& node) const {
  std::vector<Remark> remarks;
  if (!site_) return remarks;
  const std::string mig(node.label(operators::kMigConfig));
  const operators::MigFile* file = site_->mig_config.get();
  const bool mig_known = site_->readings.has(SitePart::mig_config) &&
                         site_->readings.knows(SitePart::generated) && file && file->document;
  const operators::MigFile* own = site_->own_config(node.meta.name);
  const bool own_has = own && (!own->document || own->document->find(mig));
  if (mig_known && !mig.empty() && !file->document->find(mig) && !own_has) {
    std::vector<std::string> names;
    for (const operators::MigConfig& one : file->document->configs) names.push_back(one.name);
    remarks.push_back(about(
        node,
        fmt::format("its label asks for the MIG layout {}, which no configuration defines", clean(mig, 64)),
        fmt::format("the MIG manager keeps the layout that stands: give the label one of {}, or plan "
                    "the layout with tessera, which adds it to the ConfigMap",
                    some_of(names)),
        "the layout that is wanted there is not made"));
    remarks.back().commands = {
        fmt::format("tessera plan --node {} --layout LAYOUT", shell_word(node.meta.name))};
  }
  const std::string plugin(node.label(operators::kPluginConfig));
  const bool plugin_known = site_->readings.knows(SitePart::plugin_config);
  if (plugin_known && !plugin.empty() && !site_->plugin_configs.contains(plugin)) {
    std::vector<std::string> names;
    for (const auto& [name, text] : site_->plugin_configs) names.push_back(name);
    remarks.push_back(
        about(node,
              fmt::format("its label asks for the device plugin's configuration {}, which no ConfigMap "
                          "defines",
                          clean(plugin, 64)),
              fmt::format("the device plugin's pod does not become ready with it: give the label one of {}, "
                          "or take it off",
                          some_of(names)),
              "no pod gets a GPU there once the plugin starts again"));
  }
  return remarks;
}

std::string ConfigJudge::plugin_config_of(const NodeObject& node) const {
  const std::string own(node.label(operators::kPluginConfig));
  return own.empty() ? site_->plugin_default : own;
}

// Whole GPUs only: of MIG slices feature discovery tells the counts, which are compared elsewhere.
std::optional<ConfigJudge::NotTaken> ConfigJudge::not_taken_up(const NodeObject& node) const {
  if (!site_ || !site_->readings.has(SitePart::plugin_config)) return std::nullopt;
  const auto config = plugin_configs_.find(plugin_config_of(node));
  const auto gpus = whole_number(node.label("nvidia.com/gpu.count"), kMostGpusToldOf);
  const std::string_view mig = node.label(operators::kMigConfig);
  if (config == plugin_configs_.end() || !gpus || *gpus == 0) return std::nullopt;
  if (!mig.empty() && mig != "all-disabled") return std::nullopt;
  const operators::PluginSharing& sharing = config->second.sharing;
  const auto wanted = sharing.replicas.find("nvidia.com/gpu");
  const int each = sharing.method == Strategy::whole || wanted == sharing.replicas.end() ? 1 : wanted->second;
  const std::string resource = each > 1 && sharing.rename ? "nvidia.com/gpu.shared" : "nvidia.com/gpu";
  const auto there = node.capacity.find(resource);
  const std::int64_t offered = there == node.capacity.end() ? 0 : there->second;
  const std::int64_t meant = std::int64_t{*gpus} * each;
  // 0: no plugin runs there, which is said elsewhere.
  if (offered == meant || offered == 0) return std::nullopt;
  return NotTaken{resource, clean(config->first, 64), offered, meant};
}

bool names_no_pod(const figures::DcgmReadings& readings) {
  return std::none_of(readings.parts.begin(), readings.parts.end(),
                      [](const figures::DcgmPart& part) { return part.shared || !part.pod.empty(); });
}

Remark remark_no_pod(const NodeObject& node, const figures::DcgmReadings& readings) {
  const std::string whose = readings.from.empty() ? "Prometheus" : clean(readings.from, 200);
  Remark remark = about(node, fmt::format("pods hold its GPUs, and the figures of {} name no pod", whose),
                        "the exporter needs DCGM_EXPORTER_KUBERNETES=true and the kubelet's folder "
                        "/var/lib/kubelet/pod-resources; for shared GPUs also KUBERNETES_VIRTUAL_GPUS=true",
                        "whose use it is that the figures show is not known");
  remark.grade = Remark::Grade::warning;
  return remark;
}

std::optional<TimePoint> ConfigJudge::written(const NodeObject& node) const {
  const bool named = !node.label(operators::kPluginConfig).empty();
  if (!site_ || !site_->plugin_configs_written || (named && !node.written.plugin)) return std::nullopt;
  // A node that joined after the edit had no plugin before.
  const TimePoint there = std::max(*site_->plugin_configs_written, node.meta.created.value_or(TimePoint{}));
  return named ? std::max(there, *node.written.plugin) : there;
}

Remark ConfigJudge::remark_not_taken_up(const NodeObject& node, const NotTaken& found, Duration so) const {
  Remark remark = about(
      node,
      fmt::format("the device plugin hands out {} {}, and its configuration {} sets {}, for {} at least",
                  found.offered, found.resource, found.config, found.meant,
                  query::duration_text(so / std::chrono::seconds(1))),
      fmt::format("an edit of the ConfigMap reaches a running plugin late, or not at all: kubectl delete pod "
                  "--namespace {} --selector app=nvidia-device-plugin-daemonset --field-selector "
                  "spec.nodeName={} starts it with the new one; running pods keep their GPUs",
                  site_->ns.empty() ? "gpu-operator" : site_->ns, node.meta.name),
      "pods are placed there by the old counts");
  remark.grade = Remark::Grade::warning;
  remark.restarts_plugin = true;
  remark.commands = {fmt::format(
      "kubectl delete pod --namespace {} --selector app=nvidia-device-plugin-daemonset --field-selector "
      "spec.nodeName={}",
      shell_word(site_->ns.empty() ? "gpu-operator" : site_->ns), shell_word(node.meta.name))};
  return remark;
}

}  // namespace tessera::kubernetes
