// The steps of a reset by itself, for each dialect that has a way to a node (node_reset.hpp). Threads: pure
// functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {

// change: without GPUs, with what must be free of work. Precondition for Slurm: its setup has been read.
std::vector<Step> direct_reset_steps(const NodeChange& change, const std::vector<GpuIndex>& gpus);
std::vector<Step> slurm_reset_steps(const NodeChange& change, const std::vector<GpuIndex>& gpus);
// Of a run that has stopped half-way: what it stopped is started again.
std::vector<Step> slurm_steps_after_reset(const NodeChange& change, const std::set<std::string>& begun);

// The reset itself and its reading back, the same for every dialect: what they rely on beside the dialect's
// own, and what they must lead to.
void expect_reset(Step& step, const std::vector<GpuIndex>& gpus);
void expect_sound(Step& step, const std::vector<GpuIndex>& gpus);

}  // namespace tessera::plan
