#include "engine/plan/run/since.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"

namespace tessera::plan {
namespace {

using Plans = std::vector<const NodePlan*>;

// A GPU on its way from one layout to the other has at most what either has; while it is cut again it may
// be empty, or whole.
bool may_be_ours(const BoardState& now, const std::vector<const BoardState*>& known) {
  const bool shared = now.strategy != Strategy::mig && now.strategy != Strategy::whole;
  if (shared && std::none_of(known.begin(), known.end(), [&](const BoardState* one) {
        return one->strategy == now.strategy && one->replicas == now.replicas && one->vgpu == now.vgpu;
      }))
    return false;
  for (const auto& [profile, count] : profiles_of(now)) {
    int most = 0;
    for (const BoardState* one : known) {
      auto counts = profiles_of(*one);
      auto found = counts.find(profile);
      if (found != counts.end()) most = std::max(most, found->second);
    }
    if (count > most) return false;
  }
  return true;
}

// A plan says the admin's words, the node also which run has closed it.
void judge_closing(const Plans& run, const NodeName& node, const std::string& now,
                   std::vector<std::string>& all) {
  if (now.empty()) return;
  const auto kept = parse_closing(now);
  for (const NodePlan* plan : run)
    for (const Orders* orders : {&plan->ordered_before, &plan->ordered_after})
      if (auto found = orders->find(std::string(kClosedWord)); found != orders->end())
        if (found->second == now || (kept && found->second == kept->words)) return;
  all.push_back(fmt::format("another user has closed {} since: {}", node.text, now));
}

void judge_orders(const Plans& run, const NodePlan& now, std::vector<std::string>& all) {
  for (const auto& [key, value] : now.ordered_before) {
    if (key == kClosedWord) {
      judge_closing(run, now.node, value, all);
      continue;
    }
    if (value.empty()) continue;  // taken off on the way from one to the other
    bool recorded = false, known = false;
    for (const NodePlan* plan : run)
      for (const Orders* orders : {&plan->ordered_before, &plan->ordered_after})
        if (auto found = orders->find(key); found != orders->end()) {
          recorded = true;
          known = known || found->second == value;
        }
    if (recorded && !known)
      all.push_back(fmt::format("another user has ordered {}={} on {} since", key, value, now.node.text));
  }
}

void judge_boards(const Plans& run, const NodePlan& now, std::vector<std::string>& all) {
  for (const BoardState& board : now.before) {
    std::vector<const BoardState*> known;
    for (const NodePlan* plan : run)
      for (const auto* boards : {&plan->before, &plan->after})
        if (const BoardState* one = board_in(*boards, board.gpu)) known.push_back(one);
    if (known.empty() || may_be_ours(board, known)) continue;
    all.push_back(fmt::format("another user has changed GPU {} of {} since: {}", board.gpu.value,
                              now.node.text,
                              board.mig ? to_text(board.instances) : std::string(word(board.strategy))));
  }
}

}  // namespace

std::vector<std::string> done_by_others(const Plans& run, const NodePlan& now) {
  std::vector<std::string> all;
  judge_orders(run, now, all);
  judge_boards(run, now, all);
  return all;
}

}  // namespace tessera::plan
