// What the plan's page in the console and its preview on the command line both say, in the same words.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::tui {

// "requeues", of a pod "evicted"; "WILL END", "waited for"
std::string fate_text(const plan::Disturbed& one, plan::Way way);
// "job 88120", "pod ml/train-0", "unknown client"
std::string name_text(const plan::Disturbed& one);
// "2 jobs of 2 owners, 9 GPUs or slices, 17 GPU-hours so far"; "no workload". A job on several nodes counts
// once, with all that it holds.
std::string disturbs_text(const plan::Plan& plan);
// "closing the node, a MIG mode change, a GPU reset"; closing: how closing it is called. Empty: it needs
// none.
std::string needs_list(const plan::Needs& needs, std::string_view closing);
// What a node's plan makes, in order; without places where the driver or its tool chooses them.
std::vector<plan::SlicePlan> made_slices(const plan::Plan& plan, const plan::NodePlan& node);
// "1g.10gb@0", "mps×4"; times: what stands before the number of shares.
std::string slice_text(const plan::SlicePlan& slice, std::string_view times);
// The device plugin's switches for shares, "renameByDefault", "true → false"; those that stand as well.
// Empty: no node hands out shares, before or after. "mixed" where nodes differ.
struct SwitchLine {
  std::string name, before, after;
};
std::vector<SwitchLine> switch_lines(const plan::Plan& plan);
// What is said of several nodes in the same words is said once. nodes: "n[1-3],n7"; empty: of the plan, or of
// the only node in it.
struct NoticeLine {
  const plan::Notice* notice = nullptr;
  std::string nodes;
};
std::vector<NoticeLine> told_once(const std::vector<plan::Notice>& notices, bool several_nodes);
// How many of a step's lines are commands to type; those behind them are a patch, or what the last command
// is given to read.
std::size_t typed_lines(const plan::Step& step);
// Steps in a row that do the same to several GPUs, as one line: "GPU 0-7: create 3g.40gb@4".
struct StepGroup {
  std::size_t first = 0, count = 1;
  plan::Step all;  // title, commands, proofs and undo of all of them; the rest is the first one's
};
std::vector<StepGroup> folded(const std::vector<plan::Step>& steps);
// Their numbers, as the run's page has each of them: "4", "4-6".
std::string numbers_text(const StepGroup& group);

}  // namespace tessera::tui
