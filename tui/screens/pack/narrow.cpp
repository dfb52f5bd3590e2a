#include "tui/screens/pack/narrow.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/model/recorded.hpp"
#include "engine/query/tables.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "tui/advise_state.hpp"
#include "tui/change_kept.hpp"
#include "tui/pack_state.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/layout/layout.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostNodes = 20'000;
constexpr std::string_view kPartition = "partition=", kNamespace = "namespace=";

// As `--node` of the commands tells a filter from names.
bool is_filter(std::string_view text) { return text.find_first_of("=<>!:~| \"") != std::string_view::npos; }

Error cannot(std::string why, std::string hint) {
  return {"cannot narrow the nodes", std::move(why), std::move(hint)};
}

bool is_in(const Cluster& cluster, const Node& node, const std::string& partition) {
  // Nodes of Kubernetes have no partition: only its work is narrowed there.
  return partition.empty() || cluster.scheduler != Scheduler::slurm ||
         std::find(node.partitions.begin(), node.partitions.end(), partition) != node.partitions.end();
}

Result<std::vector<NodeName>> by_filter(const Cluster& cluster, const UiContext& ui,
                                        const std::string& text) {
  auto filter = query::parse_filter<query::NodeRow>(text);
  if (!filter) return filter.error();
  std::vector<query::NodeRow> rows = query::node_rows(ui.model, cluster.name);
  query::filter_and_sort(rows, *filter, {}, {ui.wall, &ui.catalogue});
  std::vector<NodeName> nodes;
  for (const query::NodeRow& row : rows) nodes.push_back(row.node->name);
  if (nodes.empty()) return cannot("no node matches " + clean(text, 100), "");
  return nodes;
}

Result<std::vector<NodeName>> by_name(const Cluster& cluster, const std::string& text) {
  auto names = expand_hosts(text, kMostNodes);
  if (!names) return names.error();
  std::vector<NodeName> nodes;
  for (const std::string& name : *names) {
    if (!cluster.nodes.find(NodeName(name)))
      return cannot(fmt::format("{} has no node {}", cluster.name.text, clean(name, 60)),
                    ":nodes lists them; :on all takes every node");
    nodes.emplace_back(name);
  }
  return nodes;
}

}  // namespace

Result<Narrowed> narrowed_by(const Cluster& cluster, const UiContext& ui, const std::string& typed) {
  Narrowed only;
  if (typed == "all") return only;
  if (typed.empty())
    return cannot("no node is named", "for example :on n[1-20], :on partition=short, :on all");
  const bool slurm = cluster.scheduler == Scheduler::slurm;
  const std::string_view key = slurm ? kPartition : kNamespace;
  if (typed.starts_with(key) && typed.find_first_of(" |") == std::string::npos) {
    only.partition = typed.substr(key.size());
    if (!slurm && !only.partition.empty()) return only;
    if (only.partition.empty() || nodes_of(cluster, only).empty())
      return cannot(fmt::format("no node is in partition \"{}\"", clean(only.partition, 60)),
                    ":on all takes every node");
    return only;
  }
  auto nodes = is_filter(typed) ? by_filter(cluster, ui, typed) : by_name(cluster, typed);
  if (!nodes) return nodes.error();
  only.nodes = std::move(*nodes);
  std::sort(only.nodes.begin(), only.nodes.end());
  only.nodes.erase(std::unique(only.nodes.begin(), only.nodes.end()), only.nodes.end());
  return only;
}

std::vector<NodeName> nodes_of(const Cluster& cluster, const Narrowed& only) {
  std::vector<NodeName> nodes;
  for (const Node& node : cluster.nodes.all()) {
    const bool named =
        only.nodes.empty() || std::binary_search(only.nodes.begin(), only.nodes.end(), node.name);
    if (named && is_in(cluster, node, only.partition)) nodes.push_back(node.name);
  }
  return nodes;
}

std::string flags_of(const Narrowed& only) {
  std::string flags;
  std::vector<std::string> names;
  for (const NodeName& node : only.nodes) names.push_back(node.text);
  if (!names.empty()) flags += " --node " + shell_word(fold_hosts(names));
  if (!only.partition.empty()) flags += " --partition " + shell_word(only.partition);
  return flags;
}

std::string narrowed_text(const Narrowed& only, Scheduler scheduler) {
  if (only.nodes.size() == 1) return fmt::format("only the node {}", clean(only.nodes.front().text, 60));
  if (!only.nodes.empty()) return fmt::format("only {} nodes", only.nodes.size());
  if (only.partition.empty()) return "";
  const std::string name = clean(only.partition, 60);
  return scheduler == Scheduler::slurm ? fmt::format("only partition {}", name)
                                       : fmt::format("only what waits in namespace {}", name);
}

std::string why_not_planned(const UiState& state, const Cluster* cluster) {
  if (!cluster) return "that cluster is not open here";
  if (!cluster->loaded) return "the cluster is still being read";
  if (const Error* failure = state.past ? recording_failure(*cluster) : nullptr)
    return "how this cluster stood then is not known: " + failure->reason;
  if (state.past && !cluster->recorded) return "nothing is recorded of this cluster";
  // An old list of jobs or pods makes an instance look free that is not.
  if (!insight::nodes_are_current(*cluster))
    return "the list of nodes is old: what stands there now is not known";
  if (!insight::work_is_current(*cluster))
    return "the list of jobs or pods is old: which instances are free is not known";
  return "";
}

bool stands_in_past(const UiState& state) { return state.past && state.playing <= 0; }

std::string moment_text(const UiState& state, const ClusterThen& then) {
  return state.past ? fmt::format("as of {}", time_text(then.now)) : "";
}

void leave_time(UiState& state) {
  if (state.advise)
    change_kept(state.advise, [](AdviseState& advise) {
      advise.question = nullptr, advise.answer = nullptr;
      advise.revision = 0, advise.stopped = false;
    });
  if (!state.pack) return;
  change_kept(state.pack, [](PackState& pack) {
    pack.question = nullptr, pack.answer = nullptr, pack.boards = nullptr;
    pack.revision = 0, pack.stopped = false, pack.takes_queue = false;
    // What waited then is another demand than what waits now: its counts stay as if they were typed.
    pack.source.clear(), pack.unserved.clear(), pack.naming.reset(), pack.queue.reset();
    pack.of_history = false, pack.history.reset(), pack.until.reset();
  });
}

std::shared_ptr<const ClusterThen> then_of(const UiState& state, const UiContext& ui,
                                           const Cluster& cluster) {
  return std::make_shared<const ClusterThen>(ClusterThen{
      cluster, &ui.catalogue, capabilities_of(state, cluster), state.rules, cluster_now(cluster, ui.wall)});
}

void show_over_cluster(UiState& state, const UiContext& ui, ScreenKind kind, const ClusterName& last) {
  ClusterName cluster = state.top().cluster;
  if (cluster.empty()) cluster = last;
  if (!ui.model.find(cluster)) cluster = ui.model.clusters.front().name;
  go_to(state, kind);
  state.top().cluster = cluster;
}

std::string why_no_cluster(Action, const UiState&, const UiContext& ui) {
  return ui.model.clusters.empty() ? "no cluster is open" : "";
}

void next_cluster(UiState& state, const UiContext& ui) {
  const std::vector<Cluster>& clusters = ui.model.clusters;
  auto at = std::find_if(clusters.begin(), clusters.end(),
                         [&](const Cluster& one) { return one.name == state.top().cluster; });
  if (at == clusters.end() || ++at == clusters.end()) at = clusters.begin();
  state.top().cluster = at->name;
  state.top().cursor.clear();
}

void ask_what_to_narrow(UiState& state) {
  open_prompt(state, InputKind::command);
  state.input.text = "on ";
  state.input.cursor = state.input.text.size();
}

}  // namespace tessera::tui
