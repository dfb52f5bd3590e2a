#include "tui/screens/plan/node_actions.hpp"

#include <fmt/core.h>

#include "engine/hostlist.hpp"
#include "engine/plan/node_action.hpp"
#include "tui/screens/plan/plan.hpp"

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

}  // namespace

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
