#include "tui/screens/plan/node_actions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/plan_node_action.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/node_names.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

using plan::NodeAction;
using plan::NodeVerb;

constexpr std::string_view kOverOthers = "over-others";

// Runs whose journals are here: what they have closed was closed from here.
std::set<std::string> own_runs(const UiState& state) {
  std::set<std::string> own;
  for (const RunHead& head : state.runs.heads)
    if (head.state != RunState::marked) own.insert(head.run);
  return own;
}

Result<NodeAction> read_action(NodeVerb verb, const std::string& command, const std::string& rest) {
  NodeAction action;
  action.verb = verb;
  if (verb == NodeVerb::close || verb == NodeVerb::reboot) {
    if (auto why = plan::why_no_reason(rest))
      return Error{"cannot " + command, *why, "type it behind the node: others read why it is closed"};
    action.reason = rest;
    return action;
  }
  if (verb == NodeVerb::reset_gpu) {
    auto gpus = plan::parse_gpus(rest);
    if (!gpus)
      return Error{"cannot " + command, rest.empty() ? "the GPU is missing" : "that is no list of GPUs",
                   "type their numbers behind the node: 0,2-3"};
    action.gpus = std::move(*gpus);
    return action;
  }
  const bool opens = verb == NodeVerb::open;
  action.over_others = opens && rest == kOverOthers;
  if (!rest.empty() && !action.over_others)
    return Error{"cannot " + command,
                 opens ? fmt::format("only {} can stand behind the nodes", kOverOthers)
                       : std::string("nothing can stand behind the nodes"),
                 ""};
  return action;
}

// Only those that have closed one of these nodes.
void keep_relevant(NodeAction& action, const std::set<std::string>& own, const Cluster& cluster,
                   const plan::Intent& intent) {
  for (const NodeName& name : intent.nodes) {
    const Node* node = cluster.nodes.find(name);
    const auto kept = node ? plan::parse_closing(node->reason) : std::nullopt;
    if (kept && own.contains(kept->by.run)) action.of_runs.insert(kept->by.run);
  }
}

plan::Intent intent_of(const UiState& state, const Cluster& cluster, std::vector<NodeName> nodes,
                       NodeAction action) {
  plan::Intent intent;
  intent.cluster = cluster.name;
  intent.nodes = std::move(nodes);
  if (action.verb == NodeVerb::open) keep_relevant(action, own_runs(state), cluster, intent);
  intent.words = plan::to_text(action, cluster.scheduler);
  intent.orders = plan::orders_of(action);
  return intent;
}

Result<plan::Intent> intent_of(const UiState& state, const UiContext& ui, const std::string& command,
                               const std::string& argument) {
  const NodeVerb verb = *plan::parse_node_verb(command);
  const bool by_slurm = verb != NodeVerb::restart_plugin && plan::called(verb, Scheduler::slurm) == command;
  const Scheduler own = by_slurm ? Scheduler::slurm : Scheduler::kubernetes;
  Result<NamedNodes> named = named_nodes(ui.model, argument, own);
  if (!named) return named.error();
  const Cluster& cluster = *named->cluster;
  if (const std::string_view word = plan::called(verb, cluster.scheduler); word != command)
    return Error{fmt::format("{} is called {} on {}", command, word, cluster.name.text), "", ""};
  Result<NodeAction> action = read_action(verb, command, named->rest);
  if (!action) return action.error();
  return intent_of(state, cluster, std::move(named->nodes), std::move(*action));
}

// --- which nodes a key is about

// Nodes of one cluster, or why there are none.
struct Chosen {
  const Cluster* cluster = nullptr;
  std::vector<NodeName> nodes;
  std::string why;
};
Chosen none(std::string why) { return {nullptr, {}, std::move(why)}; }

Chosen one_node(const Cluster* cluster, const NodeName& name) {
  if (!cluster || !cluster->nodes.find(name)) return none("this node is not in the list any more");
  return {cluster, {name}, ""};
}

Chosen in_table(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const int at = cursor_row(ui.model, screen);
  Chosen chosen;
  std::unordered_set<std::string_view> seen;  // every GPU of a node may have a row
  for (std::size_t i = 0; i < screen.derived.rows.size(); ++i) {
    const RowRef& ref = screen.derived.rows[i];
    const bool meant = screen.marks.empty() ? static_cast<int>(i) == at
                                            : screen.marks.contains(id_at(ui.model, screen.kind, ref));
    const auto row = meant ? node_at(ui.model, ref) : std::nullopt;
    if (!row) continue;
    if (chosen.cluster && chosen.cluster != row->cluster)
      return none("the marked rows are of several clusters: a plan is for one");
    chosen.cluster = row->cluster;
    if (seen.insert(row->node->name.text).second) chosen.nodes.push_back(row->node->name);
  }
  return chosen.cluster ? chosen : none("there is no node in this row");
}

Chosen nodes_here(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  switch (screen.kind) {
    case ScreenKind::nodes:
    case ScreenKind::gpus:
    case ScreenKind::slices: return in_table(state, ui);
    case ScreenKind::node: return one_node(ui.model.find(screen.cluster), NodeName(screen.subject));
    case ScreenKind::gpu: {
      const GpuPlace at = gpu_on(screen, ui.model);
      return at.node ? one_node(at.cluster, at.node->name) : none("this GPU is gone");
    }
    case ScreenKind::overview: {
      const auto node = node_under(state, screen.cursor);
      if (!node) return none("choose a node of the mosaic, or a finding that names one");
      return one_node(ui.model.find(node->first), node->second);
    }
    default: return none("this works on a row of nodes, GPUs or slices, or on a node's page");
  }
}

// The GPUs that a key is about, where they are all of one node; empty: none is chosen.
std::vector<GpuIndex> gpus_here(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  if (screen.kind == ScreenKind::gpu) {
    const GpuPlace at = gpu_on(screen, ui.model);
    return at.gpu ? std::vector{at.gpu->index} : std::vector<GpuIndex>{};
  }
  if (screen.kind == ScreenKind::node) {
    const std::vector<std::string> parts = parts_of_id(screen.cursor);
    return parts.size() > 2 ? plan::parse_gpus(parts[2]).value_or(std::vector<GpuIndex>{})
                            : std::vector<GpuIndex>{};
  }
  std::set<GpuIndex> gpus;
  if (screen.kind != ScreenKind::gpus) return {};
  const int at = cursor_row(ui.model, screen);
  for (std::size_t i = 0; i < screen.derived.rows.size(); ++i) {
    const RowRef& ref = screen.derived.rows[i];
    const bool meant = screen.marks.empty() ? static_cast<int>(i) == at
                                            : screen.marks.contains(id_at(ui.model, screen.kind, ref));
    if (const auto row = meant ? gpu_at(ui.model, ref) : std::nullopt) gpus.insert(row->gpu->index);
  }
  return {gpus.begin(), gpus.end()};
}

void type_on(UiState& state, std::string text) {
  open_prompt(state, InputKind::command);
  state.input.text = std::move(text);
  state.input.cursor = state.input.text.size();
}

NodeVerb verb_of(Action action) {
  if (action == Action::open_nodes) return NodeVerb::open;
  if (action == Action::reboot_nodes) return NodeVerb::reboot;
  if (action == Action::reset_gpus) return NodeVerb::reset_gpu;
  return action == Action::restart_plugins ? NodeVerb::restart_plugin : NodeVerb::close;
}

// Where none is chosen, one that can be reset is enough.
std::optional<Error> why_no_reset_there(const UiState& state, const Cluster& cluster, const Node& node,
                                        const std::vector<GpuIndex>& gpus) {
  const plan::Means can = capabilities_of(state, cluster);
  if (!gpus.empty() || node.gpus.empty()) return plan::why_no_reset(cluster, node, gpus, can);
  std::optional<Error> first;
  for (const Gpu& gpu : node.gpus) {
    std::optional<Error> why = plan::why_no_reset(cluster, node, {gpu.index}, can);
    if (!why) return std::nullopt;
    if (!first) first = std::move(why);
  }
  return first;
}

// Why it has nothing to do there; empty: it has.
std::string why_not_there(Action action, const UiState& state, const UiContext& ui, const Cluster& cluster,
                          const NodeName& name) {
  const Node* node = cluster.nodes.find(name);
  if (!node) return "this node is not in the list any more";
  std::optional<Error> why;
  switch (verb_of(action)) {
    case NodeVerb::open: return plan::may_reopen(*node) ? "" : "it takes new workloads already";
    case NodeVerb::reboot:
      why = plan::why_no_reboot(cluster, *node, false, capabilities_of(state, cluster));
      return why ? why->reason : "";
    case NodeVerb::reset_gpu:
      // Marks on several nodes choose no GPU of each: it is typed.
      why = why_no_reset_there(
          state, cluster, *node,
          nodes_here(state, ui).nodes.size() == 1 ? gpus_here(state, ui) : std::vector<GpuIndex>{});
      return why ? why->reason : "";
    case NodeVerb::restart_plugin:
      why = plan::why_no_plugin_restart(*node, cluster.scheduler, capabilities_of(state, cluster).dialect);
      return why ? why->reason : "";
    default: return plan::closed_by_flags(*node) ? "it is closed to new workloads already" : "";
  }
}

// Of several one that it has something to do on is enough.
std::string why_on_none(Action action, const UiState& state, const UiContext& ui, const Cluster& cluster,
                        const std::vector<NodeName>& nodes) {
  std::string first;
  for (const NodeName& name : nodes) {
    std::string why = why_not_there(action, state, ui, cluster, name);
    if (why.empty()) return "";
    if (first.empty()) first = std::move(why);
  }
  return first;
}

}  // namespace

Effects act_on_nodes(UiState& state, const UiContext& ui, Action action) {
  const Chosen chosen = nodes_here(state, ui);
  if (!chosen.cluster) return {};
  if (action == Action::open_nodes) {
    plan_opening(state, ui, *chosen.cluster, chosen.nodes);
    return {};
  }
  const NodeVerb verb = verb_of(action);
  if (verb == NodeVerb::reset_gpu) {
    type_reset(state, ui, *chosen.cluster, chosen.nodes,
               chosen.nodes.size() == 1 ? gpus_here(state, ui) : std::vector<GpuIndex>{});
    return {};
  }
  if (verb == NodeVerb::restart_plugin) {
    plan_restart(state, ui, *chosen.cluster, chosen.nodes);
    return {};
  }
  type_on(state, fmt::format("{} {} ", plan::called(verb, chosen.cluster->scheduler),
                             typed_names(ui.model, *chosen.cluster, chosen.nodes)));
  return {};
}

std::string why_not_on_nodes(Action action, const UiState& state, const UiContext& ui) {
  const Chosen chosen = nodes_here(state, ui);
  return chosen.cluster ? why_on_none(action, state, ui, *chosen.cluster, chosen.nodes) : chosen.why;
}

void plan_opening(UiState& state, const UiContext& ui, const Cluster& cluster,
                  const std::vector<NodeName>& nodes) {
  const std::string command(plan::called(NodeVerb::open, cluster.scheduler));
  const std::set<std::string> own = own_runs(state);
  for (const NodeName& name : nodes) {
    const Node* node = cluster.nodes.find(name);
    if (!node || !plan::may_reopen(*node)) continue;
    const std::string why = plan::why_anothers(*node, own);
    if (why.empty()) continue;
    type_on(state, fmt::format("{} {} {}", command, typed_names(ui.model, cluster, nodes), kOverOthers));
    // Beside what is typed: a message would stand where the prompt is.
    state.input.error = fmt::format("{}: {}", name.text, told(state, why));
    return;
  }
  NodeAction action;
  action.verb = NodeVerb::open;
  if (auto error = open_plan_for(state, ui, intent_of(state, cluster, nodes, std::move(action))))
    say(state, ui, Severity::danger, to_line(*error));
}

void plan_restart(UiState& state, const UiContext& ui, const Cluster& cluster,
                  const std::vector<NodeName>& nodes) {
  NodeAction restart;
  restart.verb = NodeVerb::restart_plugin;
  if (auto error = open_plan_for(state, ui, intent_of(state, cluster, nodes, std::move(restart))))
    say(state, ui, Severity::danger, to_line(*error));
}

std::string why_no_restart(const UiState& state, const UiContext& ui, const Cluster& cluster,
                           const std::vector<NodeName>& nodes) {
  return why_on_none(Action::restart_plugins, state, ui, cluster, nodes);
}

void type_reset(UiState& state, const UiContext& ui, const Cluster& cluster,
                const std::vector<NodeName>& nodes, const std::vector<GpuIndex>& gpus) {
  type_on(state, fmt::format("{} {} {}", plan::called(NodeVerb::reset_gpu, cluster.scheduler),
                             typed_names(ui.model, cluster, nodes), plan::gpu_numbers(gpus)));
}

void type_plan(UiState& state, const UiContext& ui, const Cluster& cluster,
               const std::vector<NodeName>& nodes) {
  type_on(state, fmt::format("plan {} ", typed_names(ui.model, cluster, nodes)));
}

bool is_node_command(std::string_view command) { return plan::parse_node_verb(command).has_value(); }

std::optional<Error> run_node_command(UiState& state, const UiContext& ui, const std::string& command,
                                      const std::string& argument) {
  Result<plan::Intent> intent = intent_of(state, ui, command, argument);
  if (!intent) return intent.error();
  return open_plan_for(state, ui, *intent);
}

}  // namespace tessera::tui
