#include "engine/fleet/left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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

std::string text_of(const plan::BoardState& state) {
  return state.mig && state.instances.empty() ? "empty" : plan::to_text(made_of(state));
}

bool is_told(const Node& node) {
  return node.health != Health::down && node.health != Health::unknown && !plan::boards_untold(node);
}

bool is_told(const Gpu& gpu) {
  const bool shared = gpu.strategy == Strategy::mps || gpu.strategy == Strategy::time_slicing;
  return gpu.strategy != Strategy::unknown && (!shared || gpu.replicas);
}

// nullptr: the run has not come to its end there, or does not tell.
const std::vector<plan::BoardState>* end_of(const plan::Run& run, const NodeName& node) {
  const auto& plans = run.started.plan.nodes;
  const auto first =
      std::find_if(plans.begin(), plans.end(), [&](const plan::NodePlan& one) { return one.node == node; });
  if (first == plans.end()) return nullptr;
  return plan::stage_of(run, node) == plan::NodeStage::done ? &first->after : &first->before;
}

}  // namespace

Left left_on(const plan::Run* run, const Node& node) {
  if (!run) return {};
  const auto executor = run->nodes.find(node.name);
  if (executor == run->nodes.end()) return {};
  if (!executor->second.finished()) return {Since::unfinished, ""};
  const auto* boards = end_of(*run, node.name);
  if (!boards || boards->empty() || !is_told(node)) return {};
  Left left{Since::stands, ""};
  std::vector<std::pair<std::string, std::vector<int>>> otherwise;  // by what was left
  for (const plan::BoardState& board : *boards) {
    const Gpu* gpu = plan::find_gpu(node, board.gpu);
    if (!gpu || !is_told(*gpu)) return {};
    if (made_of(plan::state_of(*gpu)) == made_of(board)) continue;
    const std::string text = text_of(board);
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
