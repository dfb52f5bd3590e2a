#include "engine/fleet/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "engine/fleet/demand.hpp"
#include "engine/fleet/in_order.hpp"
#include "engine/fleet/rows.hpp"
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
