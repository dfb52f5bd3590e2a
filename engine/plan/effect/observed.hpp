// Reading GPUs as observed, in the words of plans: instances with places, modes, who is in the way.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/condition.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Nobody tells which GPUs it has, or what stands on which of them.
bool boards_untold(const Node& node);
const Gpu* find_gpu(const Node& node, GpuIndex index);
// Its GPU instances, in placement order.
std::vector<InstanceAt> instances_of(const Gpu& gpu);
// The slice of that profile at that place; nullptr: there is none.
const Slice* find_instance(const Gpu& gpu, const InstanceAt& instance);
bool same_layout(std::vector<InstanceAt> left, std::vector<InstanceAt> right, bool placed);
// Worked out from strategy and slices where the mode itself is not told.
MigMode mode_of(const Gpu& gpu);
// It holds something now: it neither waits for a place nor has ended.
bool present(const Workload& workload);
// The mark is this run's.
bool ours(const std::optional<RunMark>& mark, std::string_view run);
int replicas_of(const Gpu& gpu);
ProfileName vgpu_of(const Gpu& gpu);

BoardState state_of(const Gpu& gpu);
const BoardState* board_in(const std::vector<BoardState>& boards, GpuIndex gpu);  // nullptr: not among them
// How many instances of each profile.
std::map<std::string, int> profiles_of(const BoardState& board);

// Whether anyone has it, a client that no scheduler knows of included.
bool in_use(const Slice& slice);
// Who or what is in the way there, as one sentence; nullopt: nobody.
std::optional<std::string> why_busy(const NodeFacts& facts, const Scope& scope);

std::string to_text(const InstanceAt& instance);                // "3g.40gb@4"
std::string to_text(const std::vector<InstanceAt>& instances);  // "1g.10gb@0, 3g.40gb@4"; "nothing"
// "GPU 1 3g.40gb@4", "GPU 0" for a whole GPU, "GPU 0 MPS".
std::string slice_text(GpuIndex gpu, const Slice& slice);
// The same where the GPU is not reported: "3g.40gb", "GPU", "MPS".
std::string slice_kind_text(const Slice& slice);

// Why no plan may be made from these facts, with the way out: GPUs that could not be asked would be planned
// as whole ones.
std::optional<Error> why_no_plan(const NodeFacts& facts);

}  // namespace tessera::plan
