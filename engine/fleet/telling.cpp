#include "engine/fleet/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "engine/fleet/demand.hpp"
#include "engine/fleet/in_order.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/fleet/rows.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

plan::Wish anywhere(plan::Wish wish) {
  for (plan::WishedInstance& one : wish.instances) one.start.reset();
  return in_order(std::move(wish));
}

// A mode that pends always differs, whatever else does.
std::string pending_text(const NodeSurvey& node, const BoardSurvey& board) {
  return board.standing == Standing::drifts && mode_pends(node, board) ? ", MIG mode change pending" : "";
}

bool names_starts(const plan::Wish& wish) {
  return std::any_of(wish.instances.begin(), wish.instances.end(),
                     [](const plan::WishedInstance& one) { return one.start.has_value(); });
}

std::string plan_way(const NodeSurvey& node, const Doors& doors) {
  if (node.refused)
    return "what keeps a plan from changing it is to be mended first; layout: as-is leaves it alone until "
           "then";
  if (doors.several)
    return fmt::format("{} plans these nodes, and {} all of their cluster", doors.node, doors.cluster);
  if (doors.pool.empty())
    return fmt::format("{} plans this node, and {} all of its cluster", doors.node, doors.cluster);
  return fmt::format("{} plans this node, {} its pool, {} its cluster", doors.node, doors.pool,
                     doors.cluster);
}

std::string unknown_way(const NodeSurvey& node) {
  if (node.untold) return "name its nodes in the pool instead of the product";
  if (node.why == sharing::amd::kNotPlanned) return "layout: as-is leaves it alone";
  if (is_of_its_pool(node))
    return "it is known once every node of its pool can be read; tessera doctor names what is in the way";
  return "tessera doctor names what is in the way; layout: as-is leaves it alone until it can be read";
}

}  // namespace

int rank(Standing standing) {
  switch (standing) {
    case Standing::drifts: return 0;
    case Standing::impossible: return 1;
    case Standing::unknown: return 2;
    case Standing::as_wanted: return 3;
    case Standing::left_alone: return 4;
  }
  return 2;
}

BoardTexts exact_texts(const NodeSurvey& node, const BoardSurvey& board) {
  // A preset that its product does not have says nothing of the GPU.
  if (board.wanted_is != BoardSurvey::Wanted::told) return {to_text(*node.rule()), made_text(board)};
  return {plan::to_text(board.wanted), made_text(board) + pending_text(node, board)};
}

BoardTexts board_texts(const NodeSurvey& node, const BoardSurvey& board) {
  BoardTexts exact = exact_texts(node, board);
  const bool is_told = board.wanted_is == BoardSurvey::Wanted::told;
  if (!board.made || board.made->instances.empty())
    return {is_told ? plan::to_text(anywhere(board.wanted)) : std::move(exact.wanted), std::move(exact.made)};
  const std::string made = plan::to_text(anywhere(wish_of(*board.made)));
  if (!is_told) return {std::move(exact.wanted), made};
  const std::string wanted = plan::to_text(anywhere(board.wanted));
  const std::string pending = pending_text(node, board);
  // A file that names no starts is not about them where the mode alone pends.
  const bool alone = board.standing != Standing::as_wanted && wanted == made &&
                     (pending.empty() || names_starts(board.wanted));
  return alone ? exact : BoardTexts{wanted, made + pending};
}

std::string made_text(const NodeSurvey& node) {
  const bool told = node.standing != Standing::unknown || is_of_its_pool(node);
  return told && !node.of_all ? instances_text(*node.node) : "?";
}

std::string way_out(const NodeSurvey& node, Scheduler scheduler, const RunHead* last, const Doors& doors) {
  const bool killed = last && last->state == RunState::interrupted;
  const bool at_work = last && last->state != RunState::finished;
  if (killed || (node.standing == Standing::drifts && at_work))
    return fmt::format("a run that has not ended is at it: {} shows it", doors.runs);
  switch (node.standing) {
    case Standing::drifts: return plan_way(node, doors);
    case Standing::impossible:
      return fmt::format("edit line {} of the file, then {} reads it again", node.rule()->line, doors.file);
    case Standing::unknown:
    case Standing::as_wanted:
    case Standing::left_alone: break;
  }
  std::string offers = offers_way_out(node, scheduler);
  return offers.empty() && node.standing == Standing::unknown ? unknown_way(node) : offers;
}

std::vector<const PoolNote*> notes_of(const std::vector<Survey>& surveys) {
  std::vector<const PoolNote*> all;
  std::set<std::pair<int, std::string_view>> of_file;  // each cluster may have the file of its own moment
  for (const Survey& survey : surveys)
    for (const PoolNote& note : survey.notes)
      if (note.standing != Standing::as_wanted || of_file.emplace(note.pool->line, note.text).second)
        all.push_back(&note);
  return all;
}

std::vector<std::string> not_found(const Fleet& fleet, const std::function<bool(const ClusterName&)>& found) {
  std::vector<std::string> all;
  for (const Pool& pool : fleet.pools)
    if (!pool.cluster.empty() && !found(pool.cluster))
      all.push_back(fmt::format("pool {}: cluster {} is not among those that are found here", pool.name,
                                clean(pool.cluster.text, 100)));
  // Else a name that is spelled otherwise would make the rules of a cluster count for nothing, unseen.
  for (const auto& [name, rules] : fleet.clusters) {
    const bool named = std::any_of(fleet.pools.begin(), fleet.pools.end(),
                                   [&](const Pool& pool) { return pool.cluster.text == name; });
    if (!named && !found(ClusterName(name)))
      all.push_back(
          fmt::format("clusters: {} is not among those that are found here, and no pool names it: its rules "
                      "count for nothing",
                      clean(name, 100)));
  }
  return all;
}

const Pool* pool_of_no_cluster(const Fleet& fleet, std::size_t clusters) {
  if (clusters <= 1) return nullptr;
  const auto found = std::find_if(fleet.pools.begin(), fleet.pools.end(),
                                  [](const Pool& pool) { return pool.cluster.empty(); });
  return found == fleet.pools.end() ? nullptr : &*found;
}

}  // namespace tessera::fleet
