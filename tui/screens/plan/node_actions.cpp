#include "tui/screens/plan/node_actions.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/hostlist.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/plan_node_action.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

using plan::NodeAction;
using plan::NodeVerb;

constexpr std::size_t kMostNodes = 20'000;
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
  if (verb == NodeVerb::close) {
    if (auto why = plan::why_no_reason(rest))
      return Error{"cannot " + command, *why, "type it behind the node: others read why it is closed"};
    action.reason = rest;
    return action;
  }
  action.over_others = rest == kOverOthers;
  if (!rest.empty() && !action.over_others)
    return Error{"cannot " + command, fmt::format("only {} can stand behind the nodes", kOverOthers), ""};
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

Result<plan::Intent> intent_of(const UiState& state, const UiContext& ui, const std::string& command,
                               const std::string& argument) {
  const std::size_t blank = argument.find(' ');
  auto names = expand_hosts(argument.substr(0, blank), kMostNodes);
  if (!names) return names.error();
  const Cluster* cluster = nullptr;
  for (const Cluster& one : ui.model.clusters)
    if (!cluster && !names->empty() && one.nodes.find(NodeName(names->front()))) cluster = &one;
  if (!cluster) return Error{"no node is called " + argument.substr(0, blank), "", "Tab offers the nodes"};
  const NodeVerb verb = *plan::parse_node_verb(command);
  if (const std::string_view word = plan::called(verb, cluster->scheduler); word != command)
    return Error{fmt::format("{} is called {} on {}", command, word, cluster->name.text), "", ""};
  Result<NodeAction> action =
      read_action(verb, command, blank == std::string::npos ? "" : argument.substr(blank + 1));
  if (!action) return action.error();
  plan::Intent intent;
  intent.cluster = cluster->name;
  for (const std::string& name : *names) intent.nodes.emplace_back(name);
  if (verb == NodeVerb::open) keep_relevant(*action, own_runs(state), *cluster, intent);
  intent.words = plan::to_text(*action, cluster->scheduler);
  intent.orders = plan::orders_of(*action);
  return intent;
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
  for (std::size_t i = 0; i < screen.derived.rows.size(); ++i) {
    const RowRef& ref = screen.derived.rows[i];
    const bool meant = screen.marks.empty() ? static_cast<int>(i) == at
                                            : screen.marks.contains(id_at(ui.model, screen.kind, ref));
    const auto row = meant ? node_at(ui.model, ref) : std::nullopt;
    if (!row) continue;
    if (chosen.cluster && chosen.cluster != row->cluster)
      return none("the marked rows are of several clusters: a plan is for one");
    chosen.cluster = row->cluster;
    if (std::find(chosen.nodes.begin(), chosen.nodes.end(), row->node->name) == chosen.nodes.end())
      chosen.nodes.push_back(row->node->name);
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
      const insight::Finding* finding = finding_at(state, screen.cursor);
      if (!finding || !finding->is_node) return none("choose a finding that names a node");
      return one_node(ui.model.find(finding->cluster), NodeName(finding->subject));
    }
    default: return none("this works on a row of nodes, GPUs or slices, or on a node's page");
  }
}

std::string folded_names(const std::vector<NodeName>& nodes) {
  std::vector<std::string> names;
  for (const NodeName& node : nodes) names.push_back(node.text);
  return fold_hosts(names);
}

void type_on(UiState& state, std::string text) {
  open_prompt(state, InputKind::command);
  state.input.text = std::move(text);
  state.input.cursor = state.input.text.size();
}

bool is_closed(const Cluster& cluster, const NodeName& name) {
  const Node* node = cluster.nodes.find(name);
  return node && !plan::closed_reason(*node).empty();
}

}  // namespace

Effects act_on_nodes(UiState& state, const UiContext& ui, Action action) {
  const Chosen chosen = nodes_here(state, ui);
  if (!chosen.cluster) return {};
  if (action == Action::open_nodes) {
    plan_opening(state, ui, *chosen.cluster, chosen.nodes);
    return {};
  }
  type_on(state, fmt::format("{} {} ", plan::called(NodeVerb::close, chosen.cluster->scheduler),
                             folded_names(chosen.nodes)));
  return {};
}

std::string why_not_on_nodes(Action action, const UiState& state, const UiContext& ui) {
  const Chosen chosen = nodes_here(state, ui);
  if (!chosen.cluster) return chosen.why;
  const bool opens = action == Action::open_nodes;
  const bool any = std::any_of(chosen.nodes.begin(), chosen.nodes.end(), [&](const NodeName& node) {
    return is_closed(*chosen.cluster, node) == opens;
  });
  if (any) return "";
  return opens ? "it takes new workloads already" : "it is closed to new workloads already";
}

void plan_opening(UiState& state, const UiContext& ui, const Cluster& cluster,
                  const std::vector<NodeName>& nodes) {
  const std::string command(plan::called(NodeVerb::open, cluster.scheduler));
  const std::string names = folded_names(nodes);
  const std::set<std::string> own = own_runs(state);
  for (const NodeName& name : nodes) {
    const Node* node = cluster.nodes.find(name);
    if (!node || plan::closed_reason(*node).empty()) continue;
    const std::string why = plan::why_anothers(*node, own);
    if (why.empty()) continue;
    type_on(state, fmt::format("{} {} {}", command, names, kOverOthers));
    // Beside what is typed: a message would stand where the prompt is.
    state.input.error = fmt::format("{}: {}", name.text, told(state, why));
    return;
  }
  if (auto error = run_node_command(state, ui, command, names))
    say(state, ui, Severity::danger, to_line(*error));
}

bool is_node_command(std::string_view command) { return plan::parse_node_verb(command).has_value(); }

std::optional<Error> run_node_command(UiState& state, const UiContext& ui, const std::string& command,
                                      const std::string& argument) {
  Result<plan::Intent> intent = intent_of(state, ui, command, argument);
  if (!intent) return intent.error();
  Result<plan::Plan> planned = plan_for(state, ui, *intent);
  if (!planned) return planned.error();
  open_plan(state, ui, std::move(*planned), {});
  return std::nullopt;
}

}  // namespace tessera::tui
