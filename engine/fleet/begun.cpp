#include "engine/fleet/begun.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/plan/effect/observed.hpp"

namespace tessera::fleet {
namespace {

Still worse(Still a, Still b) {
  if (a == Still::other || b == Still::other) return Still::other;
  return a == Still::untold ? a : b;
}

Still boards_still(const plan::Intent& begun, const NodeSurvey& node) {
  const plan::Intent one = plan::intent_of(begun, node.node->name);
  Still all = Still::same;
  for (const BoardSurvey& board : node.boards) {
    const plan::Wish* wish = plan::wish_for(one, board.gpu);
    // A preset of a product that is not told now, or a GPU that was not listed when the run was planned: the
    // file may say the same. A preset that is not there any more asks for nothing.
    const bool told = wish && board.wanted_is == BoardSurvey::Wanted::told;
    const bool same = told && *wish == board.wanted;
    const bool gone = board.wanted_is == BoardSurvey::Wanted::no_preset;
    all = worse(all, same ? Still::same : told || gone ? Still::other : Still::untold);
  }
  if (!(one.switches == node.rule()->wish.switches)) return Still::other;
  for (const plan::BoardWish& wish : one.boards) {
    const auto rules = [&](const BoardSurvey& board) { return board.gpu == *wish.gpu; };
    if (!wish.gpu || std::any_of(node.boards.begin(), node.boards.end(), rules)) continue;
    // A GPU that is not listed now (Xid 79) is no edit of the file.
    all = worse(all, plan::find_gpu(*node.node, *wish.gpu) ? Still::other : Still::untold);
  }
  return all;
}

constexpr std::string_view kDemand = "fleet-demand";

// Read again by whoever carries the run on: another wording makes every parked run one of another file.
plan::Notice notice_of(const Pool& pool, const Rule& rule) {
  std::string wanted;
  for (const auto& [profile, count] : rule.demand)
    wanted += fmt::format("{}{} {}", wanted.empty() ? "" : ", ", count, profile);
  return {Severity::info, std::string(kDemand), NodeName(),
          fmt::format("the fleet file asks pool {} for {} at least", pool.name, wanted)};
}

Still demand_still(const plan::Plan& begun, const Pool& pool, const Rule& rule) {
  const auto kept = [](const plan::Notice& one) { return one.rule == kDemand; };
  if (std::none_of(begun.notices.begin(), begun.notices.end(), kept)) return Still::untold;
  const plan::Notice now = notice_of(pool, rule);
  return std::find(begun.notices.begin(), begun.notices.end(), now) != begun.notices.end() ? Still::same
                                                                                           : Still::other;
}

Still still(const plan::Plan& begun, const NodeSurvey& node) {
  if (node.untold) return Still::untold;
  const Rule* rule = node.rule();
  if (!rule || rule->kind == Rule::Kind::as_is) return Still::other;
  if (rule->kind == Rule::Kind::demand) return demand_still(begun, *node.pool, *rule);
  return node.boards.empty() ? Still::untold : boards_still(begun.intent, node);
}

std::size_t disturbed_by(const plan::Plan& plan) {
  std::size_t all = 0;
  for (const plan::NodePlan& node : plan.nodes) all += node.blast_radius.size();
  return all;
}

// Whether the pool still lets a run do as much as this one was armed for.
bool still_allows(const Pool& pool, const plan::Plan& begun) {
  const plan::ChangeOptions& armed = begun.intent.options;
  const Budget& budget = pool.budget;
  if (armed.way != pool.evict) return false;
  if (budget.nodes_at_once && std::max(armed.batch, armed.canary) > *budget.nodes_at_once) return false;
  return armed.way == plan::Way::wait || !budget.disturbed ||
         disturbed_by(begun) <= static_cast<std::size_t>(*budget.disturbed);
}

}  // namespace

void keep_demands(plan::Plan& plan, const Survey& survey) {
  std::set<const Pool*> told;
  for (const NodeSurvey& one : survey.nodes) {
    const bool planned = std::find(plan.intent.nodes.begin(), plan.intent.nodes.end(), one.node->name) !=
                         plan.intent.nodes.end();
    if (!planned || !one.pool || one.rule()->kind != Rule::Kind::demand) continue;
    if (told.insert(one.pool).second) plan.notices.push_back(notice_of(*one.pool, *one.rule()));
  }
}

Still still_wanted(const plan::Plan& begun, const Fleet& wanted, const Cluster& cluster, const Place& place,
                   bool by_file) {
  const auto now = survey(wanted, cluster, place, begun.intent.nodes);
  if (!now) return Still::untold;
  Still all = Still::same;
  for (const NodeName& name : begun.intent.nodes) {
    const auto found = std::find_if(now->nodes.begin(), now->nodes.end(),
                                    [&](const NodeSurvey& one) { return one.node->name == name; });
    if (found == now->nodes.end()) {
      all = worse(all, Still::untold);
      continue;
    }
    all = worse(all, still(begun, *found));
    if (found->pool && !found->untold && !still_allows(*found->pool, begun))
      all = worse(all, by_file ? Still::other : Still::untold);
  }
  return all;
}

}  // namespace tessera::fleet
