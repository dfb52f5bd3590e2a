#include "engine/operators/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/operators/labels.hpp"
#include "engine/text.hpp"

namespace tessera::operators {
namespace {

constexpr std::size_t kMostNamed = 5;
constexpr std::size_t kMany = 8;  // where the count is one of instances: any number of alike GPUs does

std::string value_of(const std::map<std::string, std::string>& labels, std::string_view key) {
  auto found = labels.find(std::string(key));
  return found == labels.end() ? "" : found->second;
}

NodeBoards boards_from(const std::map<std::string, std::string>& labels, const mig::Catalogue* catalogue) {
  std::string product = value_of(labels, "nvidia.com/gpu.product");
  std::string count = value_of(labels, "nvidia.com/gpu.count");
  std::size_t boards = kMany;
  if (product.find("-MIG-") == std::string::npos && count.size() == 1 && count[0] > '0' && count[0] <= '9')
    boards = static_cast<std::size_t>(count[0] - '0');
  return NodeBoards(boards, catalogue ? catalogue->by_gfd_label(product) : nullptr);
}

// A device plugin whose label names a configuration that its file lacks does not start.
std::vector<std::string> nodes_left_without(const OperatorSetup& site, const SharedWrite& write) {
  std::vector<std::string> all;
  for (const auto& [node, labels] : site.labels) {
    std::string key = value_of(labels, kPluginConfig);
    bool there = std::find(write.keys.begin(), write.keys.end(), key) != write.keys.end();
    if (node != write.except && !key.empty() && !there)
      all.push_back(fmt::format("{}: its label names {}, which {} lacks", node, clean(key, 64), write.map));
  }
  return all;
}

}  // namespace

std::string few(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < kMostNamed; ++i) text += (i > 0 ? "; " : "") + all[i];
  if (all.size() > kMostNamed) text += fmt::format("; and {} more", all.size() - kMostNamed);
  return text;
}

FleetAnswer ask_fleet(const OperatorSetup& site, std::string_view except, const MigDocument& after,
                      const mig::Catalogue* catalogue) {
  // Where managers write files of their own, a node without one has a manager that is just starting, or one
  // that falls back on the chart's file: that reports only of names which stand in it.
  const bool generated = site.mig_config_map.empty() && !site.node_config.empty();
  const MigFile* site_file = site.mig_config && site.mig_config->document ? site.mig_config.get() : nullptr;
  std::vector<FleetNode> fleet;
  for (const auto& [node, labels] : site.labels) {
    if (node == except) continue;
    FleetNode one{node, value_of(labels, kMigConfig), boards_from(labels, catalogue), nullptr};
    const MigFile* file = site.own_config(node);
    if (!file && site_file && (!generated || site_file->document->find(one.label))) file = site_file;
    if (file && file->document) one.before = &*file->document;
    fleet.push_back(std::move(one));
  }
  return ask_fleet(fleet, after);
}

std::optional<std::string> why_not_shared(const OperatorSetup& now, const SharedWrite& write,
                                          const mig::Catalogue* catalogue) {
  if (auto why = now.readings.why_not_fresh({SitePart::policy, SitePart::fleet, SitePart::mig_config,
                                             SitePart::generated, SitePart::plugin_config}))
    return why;
  const std::string& names = write.mig ? now.mig_config_map : now.plugin_config_map;
  if (names != write.found && names != write.map)
    return fmt::format("the ClusterPolicy names {} for the {} now, and named {} when the plan was made",
                       names.empty() ? "no ConfigMap" : clean(names, 253),
                       write.mig ? "MIG manager" : "device plugin",
                       write.found.empty() ? "none" : clean(write.found, 253));
  if (names == write.map) return std::nullopt;  // it is read already, and entries are only ever added
  std::vector<std::string> hit;
  if (!write.mig) hit = nodes_left_without(now, write);
  if (write.mig && !write.document)
    return fmt::format("{} cannot be read, so what other nodes would do is not known", clean(write.map, 253));
  if (write.mig) {
    FleetAnswer answer = ask_fleet(now, write.except, *write.document, catalogue);
    hit = std::move(answer.fails);
    hit.insert(hit.end(), answer.changes.begin(), answer.changes.end());
  }
  if (hit.empty()) return std::nullopt;
  return fmt::format("other nodes would change or fail with {}: {}", clean(write.map, 253), few(hit));
}

}  // namespace tessera::operators
