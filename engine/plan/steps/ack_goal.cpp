// What a change means where ACK's own device plugin follows the label of a node's pool
// (engine/sharing/ack.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/shape.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

namespace ack = sharing::ack;

// How each of its GPUs is handed out afterwards.
std::vector<Strategy> ways_of(const NodeChange& change) {
  std::vector<Strategy> ways;
  for (const Gpu& gpu : change.node.gpus) {
    Strategy way = state_of(gpu).strategy;
    for (const BoardChange& one : change.boards)
      if (one.gpu == gpu.index) way = one.after.strategy;
    ways.push_back(way);
  }
  return ways;
}

Error cannot_by_ack(const Node& node, std::string why, std::string hint) {
  return {"cannot plan the change of " + node.name.text, std::move(why), std::move(hint)};
}

}  // namespace

Result<OperatorGoal> ack_goal(const NodeChange& change) {
  const Node& node = change.node;
  const std::vector<Strategy> ways = ways_of(change);
  const Strategy way = ways.empty() ? Strategy::unknown : ways.front();
  if (std::any_of(ways.begin(), ways.end(), [&](Strategy one) { return one != way; }))
    return cannot_by_ack(node, "ACK's label says one mode for all GPUs of a node",
                         "choose the same for every GPU");
  if (way != Strategy::whole && way != Strategy::mps)
    return cannot_by_ack(
        node,
        fmt::format("ACK hands out its GPUs, whole ({0}={1}) or by MPS with memory in GiB ({0}={2}); "
                    "{3} is not among what tessera sets there",
                    ack::kSchedule, ack::kWhole, ack::kMps, word(way)),
        "choose --strategy mps or none, for all nodes of the pool");
  OperatorGoal goal;
  const std::string schedule(way == Strategy::mps ? ack::kMps : ack::kWhole);
  if (change.boards.empty() && ack::schedule_of(node) == schedule) return goal;  // offered and ordered
  goal.ack.emplace();
  goal.ack->schedule = schedule;
  goal.ack->found = std::string(sharing::label(node, ack::kSchedule).value_or(""));
  auto pool = sharing::label(node, ack::kPool);
  goal.notices.push_back(
      {Severity::warning, "ack-pool-label", node.name,
       fmt::format("set {}={} in the labels of node pool {}, too: nodes that join it get the pool's own, and "
                   "so do those that are there when ACK updates their labels",
                   ack::kSchedule, goal.ack->schedule, pool ? clean(*pool, 64) : "(not known)")});
  if (way == Strategy::mps)
    goal.notices.push_back(
        {Severity::info, "ack-memory", node.name,
         fmt::format("pods ask for {} in GiB, not for a number of clients; MPS there shares memory only, and "
                     "pods that ask for nvidia.com/gpu find none",
                     ack::kMemory)});
  return goal;
}

std::optional<std::string> kept_by_ack(const Node& node) {
  const std::string mode = ack::schedule_of(node);
  bool in_parts = std::any_of(node.gpus.begin(), node.gpus.end(),
                              [](const Gpu& gpu) { return gpu.strategy == Strategy::shard; });
  if (mode == ack::kWhole && in_parts)
    return fmt::format(
        "{0} hands out memory in parts, and its label does not say in which of ACK's modes: taking {1} off "
        "brings no GPU back. Set it first: kubectl label node {0} --overwrite {1}={2}",
        node.name.text, ack::kSchedule, ack::kWhole);
  if (mode == ack::kWhole || mode == ack::kMps) return std::nullopt;
  std::string text = fmt::format("ACK hands out the GPUs of {} in the mode {}={}", node.name.text,
                                 ack::kSchedule, clean(mode, 64));
  if (mode == "mig") return text + ", which cannot be changed: make another node pool";
  return text + fmt::format(
                    ": a plan changes between default (whole GPUs) and mps, since the way back from another "
                    "mode would not be known. Empty the pool and set it to default first: kubectl label node "
                    "{} --overwrite {}=default",
                    node.name.text, ack::kSchedule);
}

}  // namespace tessera::plan
