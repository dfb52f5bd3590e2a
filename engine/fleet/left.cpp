#include "engine/fleet/left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/fleet/offers.hpp"
#include "engine/fleet/rows.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/facts.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::fleet {
namespace {

// Instances without their places: a tool that makes layouts by counts puts them anywhere.
plan::Wish made_of(const plan::BoardState& state) {
  plan::Wish wish = wish_of(state);
  for (plan::WishedInstance& one : wish.instances) one.start.reset();
  std::sort(wish.instances.begin(), wish.instances.end(),
            [](const auto& a, const auto& b) { return a.profile.text < b.profile.text; });
  return wish;
}

bool is_told(const Node& node) {
  return node.health != Health::down && node.health != Health::unknown && !plan::boards_untold(node);
}

struct Ended {
  std::vector<plan::BoardState> boards;  // empty: the run does not tell
  bool unchanged = false;                // it has the layout that the run found
};

bool same_boards(const std::vector<plan::BoardState>& a, const std::vector<plan::BoardState>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const auto& one, const auto& other) {
           return one.gpu == other.gpu && made_of(one) == made_of(other);
         });
}

// A plan that was made on the way says more of the GPUs that it names than the first one.
Ended end_of(const plan::Run& run, const NodeName& node) {
  const auto& plans = run.started.plan.nodes;
  const auto first =
      std::find_if(plans.begin(), plans.end(), [&](const plan::NodePlan& one) { return one.node == node; });
  if (first == plans.end()) return {};
  const bool done = plan::stage_of(run, node) == plan::NodeStage::done;
  Ended end{done ? first->after : first->before, false};
  const plan::NodePlan& last = run.plans.at(node);
  if (run.replanned.contains(node))
    for (const plan::BoardState& board : last.after) {
      const auto same = std::find_if(end.boards.begin(), end.boards.end(),
                                     [&](const auto& one) { return one.gpu == board.gpu; });
      same == end.boards.end() ? end.boards.push_back(board) : void(*same = board);
    }
  // The way back puts instances anywhere.
  end.unchanged =
      last.only_given_back || (done ? end.boards == first->before : same_boards(end.boards, first->before));
  return end;
}

}  // namespace

std::string state_text(const plan::BoardState& state) {
  return state.mig && state.instances.empty() ? "empty" : plan::to_text(made_of(state));
}

Left left_on(const plan::Run* run, const Node& node) {
  if (!run) return {};
  const auto executor = run->nodes.find(node.name);
  if (executor == run->nodes.end()) return {};
  if (!executor->second.finished()) return {Since::unfinished, ""};
  const Ended end = end_of(*run, node.name);
  if (end.boards.empty() || !is_told(node)) return {};
  Left left{end.unchanged ? Since::unchanged : Since::stands, ""};
  std::vector<std::pair<std::string, std::vector<int>>> otherwise;  // by what was left
  for (const plan::BoardState& board : end.boards) {
    const Gpu* gpu = plan::find_gpu(node, board.gpu);
    if (!gpu || !is_made_told(*gpu)) return {};
    if (made_of(plan::state_of(*gpu)) == made_of(board)) continue;
    const std::string text = state_text(board);
    auto same =
        std::find_if(otherwise.begin(), otherwise.end(), [&](const auto& one) { return one.first == text; });
    if (same == otherwise.end()) same = otherwise.insert(otherwise.end(), {text, {}});
    same->second.push_back(board.gpu.value);
  }
  for (const auto& [text, gpus] : otherwise)
    left.boards += fmt::format("{}GPU {}: {}", left.boards.empty() ? "" : "; ", gpus_text(gpus), text);
  if (!otherwise.empty()) left.since = Since::changed;
  return left;
}

std::string last_sentence(const RunHead& head, const Left& left) {
  const std::string run = clean(head.run, 60), who = clean(head.who, 60), at = utc_text(head.started),
                    words = clean(head.words, 200);
  switch (left.since) {
    case Since::stands: return fmt::format("changed last by run {} of {}, {}: {}", run, who, at, words);
    case Since::unchanged:
      return fmt::format("run {} of {}, {}, left the layout as it was: {}; who changed it last is not known",
                         run, who, at, words);
    case Since::changed:
      return fmt::format("changed since by another: run {} of {}, {}, left {}", run, who, at, left.boards);
    case Since::unfinished:
      return fmt::format("run {} of {}, {}, has not ended there: {}", run, who, at, words);
    case Since::untold: break;
  }
  return fmt::format("the newest run that names it is {} of {}, {}: {}; who changed it last is not known",
                     run, who, at, words);
}

}  // namespace tessera::fleet
