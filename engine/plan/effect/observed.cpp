#include "engine/plan/effect/observed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/node_action.hpp"
#include "engine/plan/run/journal.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

bool overlaps(const Placement& left, const Placement& right) {
  return left.start < right.start + right.size && right.start < left.start + left.size;
}

// Whether the scope takes in this slice. A slice without a place fills its GPU.
bool in_scope(const Scope::Board& board, const Slice& slice) {
  if (board.slices.empty() || !slice.placement) return true;
  return std::any_of(board.slices.begin(), board.slices.end(),
                     [&](const Placement& one) { return overlaps(one, *slice.placement); });
}

std::string user_of(const NodeFacts& facts, const WorkloadId& id) {
  for (const Workload& one : facts.workloads)
    if (one.id == id) return one.user;
  return "";
}

std::string slice_holders(const NodeFacts& facts, const Slice& slice) {
  if (slice.holders.empty()) return "a client that the scheduler does not know";
  const WorkloadId& first = slice.holders.front().workload;
  std::string user = user_of(facts, first);
  std::string text = user.empty() ? first.text : fmt::format("{} ({})", first.text, user);
  if (slice.holders.size() > 1) text += fmt::format(" and {} more", slice.holders.size() - 1);
  return slice.exact ? text : "perhaps " + text;
}

// It has asked for nothing and is started there again at once: plans name it, no run waits for it.
bool looks_on(const Workload& workload) { return workload.stays && !workload.unasked.empty(); }

// The first three by name, each with its end where that is told.
std::optional<std::string> who_is_there(const NodeFacts& facts) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  std::size_t all = 0;
  for (const Workload& one : facts.workloads) {
    if (!present(one) || looks_on(one) || ++all > kNamed) continue;
    text += fmt::format("{}{} ({}{}{})", text.empty() ? "" : ", ", one.id.text, one.user,
                        one.ends ? ", ends by " : "", one.ends ? utc_text_ms(*one.ends) : "");
  }
  if (all == 0) return std::nullopt;
  if (all > kNamed) text += fmt::format(" and {} more", all - kNamed);
  return text + (all == 1 ? " is there" : " are there");
}

// Who reaches the GPUs without having asked for one. What comes back at once is not waited for: plans name
// it.
std::optional<std::string> unasked_there(const NodeFacts& facts) {
  for (const Workload& one : facts.workloads)
    if (!one.unasked.empty() && !looks_on(one) && present(one))
      return fmt::format("{} uses GPUs that it did not ask for ({})", one.id.text, one.unasked);
  return std::nullopt;
}

}  // namespace

bool present(const Workload& workload) {
  if (workload.state == WorkloadState::ended) return false;
  // A pod whose image is being pulled has its node, and its GPUs with it.
  return workload.state != WorkloadState::pending || !workload.allocations.empty();
}

bool ours(const std::optional<RunMark>& mark, std::string_view run) { return mark && mark->run == run; }

bool boards_untold(const Node& node) { return node.gpus.empty() || !node.pool.empty(); }

const Gpu* find_gpu(const Node& node, GpuIndex index) {
  for (const Gpu& gpu : node.gpus)
    if (gpu.index == index) return &gpu;
  return nullptr;
}

std::vector<InstanceAt> instances_of(const Gpu& gpu) {
  std::vector<InstanceAt> found;
  for (const Slice& slice : gpu.slices)
    if (slice.kind == SliceKind::gpu_instance)
      found.push_back({slice.profile, slice.placement.value_or(Placement{}), slice.instance_id});
  std::stable_sort(found.begin(), found.end(),
                   [](const InstanceAt& a, const InstanceAt& b) { return a.at < b.at; });
  return found;
}

const Slice* find_instance(const Gpu& gpu, const InstanceAt& instance) {
  for (const Slice& slice : gpu.slices)
    if (slice.kind == SliceKind::gpu_instance && slice.profile == instance.profile &&
        slice.placement.value_or(Placement{}) == instance.at)
      return &slice;
  return nullptr;
}

bool same_layout(std::vector<InstanceAt> left, std::vector<InstanceAt> right, bool placed) {
  auto before = [placed](const InstanceAt& a, const InstanceAt& b) {
    if (placed && a.at != b.at) return a.at < b.at;
    return a.profile < b.profile;
  };
  std::sort(left.begin(), left.end(), before);
  std::sort(right.begin(), right.end(), before);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [placed](const InstanceAt& a, const InstanceAt& b) {
                      return placed ? a.same(b) : a.profile == b.profile;
                    });
}

MigMode mode_of(const Gpu& gpu) {
  if (gpu.mig_mode) return *gpu.mig_mode;
  return gpu.strategy == Strategy::mig ? MigMode::enabled : MigMode::disabled;
}

int replicas_of(const Gpu& gpu) { return gpu.replicas.value_or(1); }

ProfileName vgpu_of(const Gpu& gpu) {
  for (const Slice& slice : gpu.slices)
    if (slice.kind == SliceKind::vgpu) return slice.profile;
  return {};
}

BoardState state_of(const Gpu& gpu) {
  BoardState state;
  state.gpu = gpu.index;
  if (gpu.product) state.product = *gpu.product;
  state.model = gpu.model;
  MigMode mode = mode_of(gpu);
  state.mig = mode == MigMode::enabled || mode == MigMode::disable_pending;
  state.strategy = gpu.strategy;
  state.replicas = gpu.strategy == Strategy::whole ? 1 : replicas_of(gpu);
  state.vgpu = vgpu_of(gpu);
  state.instances = instances_of(gpu);
  return state;
}

const BoardState* board_in(const std::vector<BoardState>& boards, GpuIndex gpu) {
  auto found =
      std::find_if(boards.begin(), boards.end(), [&](const BoardState& one) { return one.gpu == gpu; });
  return found == boards.end() ? nullptr : &*found;
}

std::map<std::string, int> profiles_of(const BoardState& board) {
  std::map<std::string, int> counts;
  for (const InstanceAt& one : board.instances) ++counts[one.profile.text];
  return counts;
}

bool in_use(const Slice& slice) { return slice.holding != Holding::free || slice.told_held.value_or(false); }

std::optional<std::string> why_busy(const NodeFacts& facts, const Scope& scope) {
  if (scope.boards.empty())
    if (auto who = who_is_there(facts)) return who;
  std::string who, what;  // of the first one
  int more = 0;
  for (const Gpu& gpu : facts.node.gpus) {
    auto board = std::find_if(scope.boards.begin(), scope.boards.end(),
                              [&](const Scope::Board& one) { return one.gpu == gpu.index; });
    if (!scope.boards.empty() && board == scope.boards.end()) continue;
    for (const Slice& slice : gpu.slices) {
      if (!scope.boards.empty() && !in_scope(*board, slice)) continue;
      if (!in_use(slice)) continue;
      if (who.empty())
        who = slice_holders(facts, slice), what = slice_text(gpu.index, slice);
      else
        ++more;
    }
  }
  if (more == 1) return fmt::format("{} holds {}, and 1 more is in use", who, what);
  if (more > 1) return fmt::format("{} holds {}, and {} more are in use", who, what, more);
  if (!who.empty()) return fmt::format("{} holds {}", who, what);
  // On which GPU these stand is not reported: it may be one within the scope.
  for (const Slice& slice : facts.node.pool)
    if (in_use(slice))
      return fmt::format("{} holds a {}", slice_holders(facts, slice), slice_kind_text(slice));
  return unasked_there(facts);
}

std::string to_text(const InstanceAt& instance) {
  if (!instance.placed()) return instance.profile.text;
  return fmt::format("{}@{}", instance.profile.text, instance.at.start);
}

std::string to_text(const std::vector<InstanceAt>& instances) {
  if (instances.empty()) return "nothing";
  std::string text;
  for (const InstanceAt& one : instances) text += (text.empty() ? "" : ", ") + to_text(one);
  return text;
}

std::string slice_kind_text(const Slice& slice) {
  switch (slice.kind) {
    case SliceKind::whole_gpu: return "GPU";
    case SliceKind::mps: return "MPS";
    case SliceKind::time_slice: return "time-slice";
    case SliceKind::shard: return "shard";
    case SliceKind::vgpu: return "vGPU " + slice.profile.text;
    case SliceKind::gpu_instance: break;
  }
  return slice.profile.text + (slice.placement ? fmt::format("@{}", slice.placement->start) : "");
}

std::string slice_text(GpuIndex gpu, const Slice& slice) {
  std::string text = fmt::format("GPU {}", gpu.value);
  return slice.kind == SliceKind::whole_gpu ? text : text + " " + slice_kind_text(slice);
}

std::optional<Error> why_no_plan(const NodeFacts& facts) {
  auto boards = facts.words.find(std::string(slurm::key::kBoards));
  if (boards == facts.words.end() || boards->second.empty()) return std::nullopt;
  return Error{
      "cannot plan on " + facts.node.name.text, boards->second,
      fmt::format("{}, then again: its reservation keeps others off meanwhile. Or resume the run as it was "
                  "planned, which does that by itself",
                  opening_command(facts.node.name, Scheduler::slurm))};
}

}  // namespace tessera::plan
