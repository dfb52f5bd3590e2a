#include "tui/cli/list_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/hostlist.hpp"
#include "engine/model/sources.hpp"

namespace tessera::cli {
namespace {

constexpr int kPart = 3;  // of --timeout

// Of a Slurm cluster the site names who measures; Kubernetes' exporters tell of themselves.
bool names_exporters(const Options& options) { return options.figures.contains("slurm-exporter"); }
bool names_prometheus(const Options& options) { return options.figures.contains("prometheus-command"); }

bool is_measured(const Cluster& cluster, const Options& options) {
  if (cluster.recorded || cluster.simulated) return false;
  const auto remarks = cluster.remarks.find(Source::dcgm);
  const bool told = cluster.sources.contains(Source::dcgm) ||
                    (remarks != cluster.remarks.end() && !remarks->second.empty());
  return told ||
         (cluster.scheduler == Scheduler::slurm && (names_exporters(options) || names_prometheus(options)));
}

bool has_figures(const Node& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) {
    return gpu.telemetry.origin.source != Source::none ||
           std::any_of(gpu.slices.begin(), gpu.slices.end(),
                       [](const Slice& slice) { return slice.measured.source != Source::none; });
  });
}

// Of Kubernetes' nodes only exporters tell the GPUs behind slices that are counted.
bool should_have(const Cluster& cluster, const Node& node) {
  return !node.gpus.empty() || (cluster.scheduler == Scheduler::kubernetes && !node.pool.empty());
}

// A node that is down measures nothing, and a list says that it is down.
std::set<std::string> without_figures(const Cluster& cluster) {
  std::set<std::string> nodes;
  for (const Node& node : cluster.nodes.all())
    if (should_have(cluster, node) && node.health != Health::down && !has_figures(node))
      nodes.insert(node.name.text);
  return nodes;
}

const SourceHealth* health_of(const Cluster& cluster) {
  const auto found = cluster.sources.find(Source::dcgm);
  return found == cluster.sources.end() ? nullptr : &found->second;
}

bool have_come(const Cluster& cluster, const Options& options) {
  if (!is_measured(cluster, options) || without_figures(cluster).empty()) return true;
  const SourceHealth* health = health_of(cluster);
  if (health && health->failure) return true;
  // Prometheus tells of all nodes at once; exporters are asked one by one, and those that fail are remarked.
  if (health && (names_prometheus(options) || cluster.scheduler == Scheduler::kubernetes)) return true;
  const auto remarks = cluster.remarks.find(Source::dcgm);
  return remarks != cluster.remarks.end() && !remarks->second.empty();
}

std::string why_missing(const Cluster& cluster, const Options& options) {
  const std::string source(word(Source::dcgm));
  const SourceHealth* health = health_of(cluster);
  if (health && health->failure)
    return fmt::format("{} gave no figures: {}", source,
                       to_line({health->failure->what, health->failure->reason, ""}));
  if (health) return fmt::format("{} has told nothing of them", source);
  return fmt::format("{} has not answered within {} s", source,
                     figures_within(options) / std::chrono::seconds(1));
}

}  // namespace

std::string ListNotes::why_no_figures(const ClusterName& cluster, const NodeName& node) const {
  for (const NoFigures& one : no_figures)
    if (one.cluster == cluster && one.nodes.contains(node.text)) return one.why;
  return "";
}

std::optional<int> ListNotes::free_in_both(const ClusterName& cluster, const NodeName& node,
                                           const ClusterName& other) const {
  for (const insight::SharedMachine& one : shared) {
    const bool from_slurm = one.slurm == cluster && one.slurm_node == node && one.kubernetes == other;
    const bool from_kubernetes =
        one.kubernetes == cluster && one.kubernetes_node == node && one.slurm == other;
    if (from_slurm || from_kubernetes) return one.free_in_both;
  }
  return std::nullopt;
}

bool figures_have_come(const Model& model, const Options& options) {
  return std::all_of(model.clusters.begin(), model.clusters.end(),
                     [&](const Cluster& cluster) { return have_come(cluster, options); });
}

Duration figures_within(const Options& options) { return options.timeout / kPart; }

ListNotes notes_on(const Model& model, const Options& options) {
  ListNotes notes;
  for (const Cluster& cluster : model.clusters) {
    if (!is_measured(cluster, options)) continue;
    std::set<std::string> nodes = without_figures(cluster);
    if (!nodes.empty())
      notes.no_figures.push_back({cluster.name, std::move(nodes), why_missing(cluster, options)});
  }
  notes.shared = insight::shared_machines(model);
  return notes;
}

std::vector<Error> lines_of(const ListNotes& notes, const std::string& command) {
  std::vector<Error> lines;
  if (command != "workloads")
    for (const ListNotes::NoFigures& one : notes.no_figures)
      lines.push_back({fmt::format("{}: no figures of {}", one.cluster.text,
                                   fold_for_reading({one.nodes.begin(), one.nodes.end()})),
                       one.why, "their use, memory, temperature and power are not known"});
  // A node that both have is one row.
  if (command == "gpus" || command == "slices")
    for (std::string& line : insight::shared_lines(notes.shared)) lines.push_back({std::move(line), "", ""});
  return lines;
}

}  // namespace tessera::cli
