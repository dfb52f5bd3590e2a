#include "engine/pack/refused.hpp"

#include <fmt/format.h>

#include <set>

#include "engine/hostlist.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/pools.hpp"
#include "engine/plan/each_node.hpp"
#include "engine/plan/refusal.hpp"

namespace tessera::pack {
namespace {

// Nodes with the same text become the same by the same layouts.
std::map<NodeName, std::string> standing_of(const Problem& problem) {
  std::map<NodeName, std::string> all;
  for (const Board& board : problem.boards) {
    std::string& text = all[board.node];
    text += fmt::format("{}:{}:{}:{}", board.gpu.value, board.product, board.whole, board.placed);
    for (const Instance& one : board.instances)
      text += fmt::format(",{}@{}{}", one.placed.profile, one.placed.start, one.held ? "h" : "");
    text += ';';
  }
  return all;
}

std::string why_refused(const plan::Intent& one, const ReadFrom& from) {
  return plan::why_not_changed(from.cluster, from.catalogue, one, from.can, from.rules);
}

plan::Intent intent_with(const Problem& problem, const Answer& answer, const ReadFrom& from) {
  plan::Intent intent = intent_of(problem, answer, from.cluster.name);
  intent.options = from.options;
  intent.options.way = way_of(answer, from.options.way);
  return intent;
}

plan::Intent on_other(plan::Intent one, const NodeName& node) {
  one.nodes = {node};
  for (plan::BoardWish& board : one.boards)
    if (board.node) board.node = node;
  return one;
}

// The same reason of several nodes is told once, as that of the first.
std::string without_name(std::string why, const NodeName& node) {
  for (std::size_t at = why.find(node.text); at != std::string::npos && !node.text.empty();
       at = why.find(node.text, at))
    why.replace(at, node.text.size(), "\x1f");
  return why;
}

// A node with its GPUs alone, and all of the demand that it may serve.
Problem alone(const Problem& all, const NodeName& node, const std::vector<std::size_t>& boards) {
  Problem part;
  part.mode = all.mode, part.evict = all.evict;
  part.products = all.products;
  for (const std::size_t board : boards) part.boards.push_back(all.boards[board]);
  for (Demand one : all.demand) {
    if (one.pool && !all.pools[*one.pool].contains(node)) continue;
    if (one.pool) one.pool = 0;
    part.demand.push_back(std::move(one));
  }
  if (has_pools(part)) part.pools.push_back({node});
  return part;
}

// Why no plan makes of these nodes, each asked alone, what the demand would make of it.
std::map<NodeName, std::string> refused_alone(const Problem& problem, const ReadFrom& from,
                                              const Stop& stop) {
  std::map<NodeName, std::string> refused;
  std::map<NodeName, std::vector<std::size_t>> boards;
  for (std::size_t i = 0; i < problem.boards.size(); ++i) boards[problem.boards[i].node].push_back(i);
  // One after the other: the sets of nodes of a large queue, once for each node, are gigabytes.
  for (const auto& [node, of_node] : boards) {
    if (stop && stop()) break;
    const Problem part = alone(problem, node, of_node);
    const Result<Answer> answer = pack(part, stop);
    if (answer) refused.merge(refused_in(part, *answer, from, stop));
  }
  return refused;
}

}  // namespace

std::vector<RefusedKind> by_reason(const std::map<NodeName, std::string>& refused) {
  std::map<std::string, RefusedKind> kinds;
  for (const auto& [node, why] : refused) {
    RefusedKind& kind = kinds[without_name(why, node)];
    if (kind.nodes.empty()) kind.why = why;
    kind.nodes.push_back(node);
  }
  std::vector<RefusedKind> all;
  for (auto& [same, kind] : kinds) all.push_back(std::move(kind));
  return all;
}

std::string names_of(const RefusedKind& kind) {
  std::vector<std::string> names;
  for (const NodeName& node : kind.nodes) names.push_back(node.text);
  return fold_for_reading(names);
}

std::map<NodeName, std::string> refused_in(const Problem& problem, const Answer& answer, const ReadFrom& from,
                                           const Stop& stop) {
  std::map<NodeName, std::string> refused;
  const auto stopped = [&] { return stop && stop(); };
  const plan::Intent intent = intent_with(problem, answer, from);
  const plan::EachNode each(intent);
  const std::set<NodeName> changing(intent.nodes.begin(), intent.nodes.end());
  std::map<NodeName, std::string> standing;
  std::set<std::string> looked_at;
  for (const NodeName& name : intent.nodes) {
    if (stopped()) break;
    const plan::Intent one = each.intent_of(name);
    std::string why = why_refused(one, from);
    if (why.empty()) continue;
    refused.emplace(name, std::move(why));
    if (standing.empty()) standing = standing_of(problem);
    const std::string& like = standing[name];
    if (!looked_at.insert(like).second) continue;
    for (const auto& [other, text] : standing) {
      if (text != like || changing.contains(other)) continue;
      if (stopped()) break;
      if (std::string also = why_refused(on_other(one, other), from); !also.empty())
        refused.emplace(other, std::move(also));
    }
  }
  return refused;
}

// Idle instances of these nodes serve still.
std::map<NodeName, int> leave_out(Problem& problem, const std::map<NodeName, std::string>& refused,
                                  const ReadFrom& from) {
  std::map<NodeName, int> gpus;
  for (const Board& board : problem.boards)
    if (refused.contains(board.node)) ++gpus[board.node];
  const auto of_them = [&](const auto& one) { return refused.contains(one.node); };
  std::erase_if(problem.boards, of_them);
  std::erase_if(problem.spare, of_them);
  std::erase_if(problem.busy, of_them);
  std::erase_if(problem.passed_by, of_them);
  std::vector<NodeName> nodes;
  for (const auto& [node, why] : refused) nodes.push_back(node);
  Problem rest = problem_of(from.cluster, nodes, from.catalogue, from.can, from.until, from.asked, &refused,
                            from.options.way != plan::Way::wait)
                     .problem;
  const auto append = [](auto& to, auto& more) { to.insert(to.end(), more.begin(), more.end()); };
  append(problem.spare, rest.spare);
  append(problem.busy, rest.busy);
  append(problem.passed_by, rest.passed_by);
  return gpus;
}

void name_left_out(std::map<std::string, int>& left_out, const std::map<NodeName, std::string>& refused,
                   const std::map<NodeName, int>& gpus) {
  for (const RefusedKind& kind : by_reason(refused)) {
    int& count = left_out[fmt::format("of {}, which no plan changes: {}", names_of(kind), kind.why)];
    for (const NodeName& node : kind.nodes)
      if (const auto found = gpus.find(node); found != gpus.end()) count += found->second;
  }
}

Error gives_up_on(const std::map<NodeName, std::string>& refused) {
  return {
      "no answer was found of which every node has a plan",
      fmt::format("{} answers were tried without the nodes that no plan changes, and in the last one {} is "
                  "such a node: {}",
                  kMostRefusals, refused.begin()->first.text, refused.begin()->second),
      "ask for nodes that can be changed, by their names"};
}

Result<std::optional<Answer>> without_refused(const Problem& problem, Answer first, const ReadFrom& from,
                                              const Again& again, const Stop& stop) {
  Answer answer = std::move(first);
  for (int round = 0;; ++round) {
    std::map<NodeName, std::string> refused = refused_in(problem, answer, from, stop);
    if (stop && stop()) return search_given_up();
    const bool none = round > 0 && answer.boards.empty();
    if (refused.empty()) return none ? std::optional<Answer>() : std::optional(std::move(answer));
    if (round == kMostRefusals) return gives_up_on(refused);
    if (round == kEachAlone) refused.merge(refused_alone(problem, from, stop));
    if (stop && stop()) return search_given_up();
    Result<std::optional<Answer>> next = again(refused);
    if (!next || !*next) return next;
    answer = std::move(**next);
  }
}

Result<Answer> keep_to_plans(ClusterProblem& all, Answer first, const ReadFrom& from, const Stop& stop) {
  std::optional<Problem> before;
  std::map<NodeName, std::string> left_out;
  std::map<NodeName, int> gpus;
  const Again again = [&](const std::map<NodeName, std::string>& refused) -> Result<std::optional<Answer>> {
    if (!before) before = all.problem;
    gpus.merge(leave_out(all.problem, refused, from));
    left_out.insert(refused.begin(), refused.end());
    Result<Answer> next = pack(all.problem, stop);
    if (!next) return next.error();
    return std::optional(std::move(*next));
  };
  Result<std::optional<Answer>> kept = without_refused(all.problem, first, from, again, stop);
  if (!kept) return kept.error();
  if (!*kept) {
    all.problem = std::move(*before);
    return first;
  }
  name_left_out(all.left_out, left_out, gpus);
  return std::move(**kept);
}

}  // namespace tessera::pack
