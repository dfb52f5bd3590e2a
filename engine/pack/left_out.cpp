#include "engine/pack/left_out.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "engine/model/both_sides.hpp"
#include "engine/model/gpu_numbers.hpp"
#include "engine/model/slinky.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::pack {
namespace {

bool resets_node(const Look& look, const Gpu& gpu, const mig::Product& product) {
  return look.can.reset >= plan::Unit::node && gpu.strategy == Strategy::whole &&
         plan::mode_of(gpu) == MigMode::disabled && plan::mode_needs_reset(product);
}

using Words = std::vector<std::string>;

// "runs slurmd of gpu01: IDLE+DRAIN (reason)"
Words states_in(const std::string& comment) {
  Words states;
  const std::size_t colon = comment.find(": ");
  if (colon == std::string::npos) return states;
  const std::string told = comment.substr(colon + 2, comment.find(" (", colon) - colon - 2);
  for (std::size_t at = 0; at < told.size();) {
    const std::size_t end = std::min(told.find('+', at), told.size());
    states.push_back(told.substr(at, end - at));
    at = end + 1;
  }
  return states;
}

// The states of each Slurm node that runs in a pod on this Kubernetes node: as the other cluster tells them,
// else as the pod does. Empty states are not known.
std::vector<Words> slurm_states(const Look& look) {
  std::vector<Words> all;
  std::vector<std::string> named;
  if (look.cluster.scheduler != Scheduler::kubernetes) return all;
  for (const slinky::OtherWords& other : slinky::other_words(look.node)) {
    if (other.scheduler != Scheduler::slurm) continue;
    all.push_back(other.state);
    named.push_back(other.node);
  }
  for (const WorkloadId& id : look.node.workloads) {
    const Workload* pod = look.cluster.workloads.find(id);
    const auto slurmd = pod ? slinky::slurm_node_of(*pod) : std::nullopt;
    if (slurmd && std::find(named.begin(), named.end(), *slurmd) == named.end())
      all.push_back(states_in(pod->comment));
  }
  return all;
}

// Slurm hands out the GPUs of its pods' machines by itself, whatever Kubernetes takes for free.
bool slurm_may_use(const Look& look) {
  const std::vector<Words> all = slurm_states(look);
  return std::any_of(all.begin(), all.end(), [](const Words& one) { return !slinky::is_empty(one); });
}
bool slurm_works_on(const Look& look) {
  const std::vector<Words> all = slurm_states(look);
  return std::any_of(all.begin(), all.end(), [](const Words& one) {
    return one.empty() || std::any_of(one.begin(), one.end(), [](const std::string& state) {
             return state == "ALLOCATED" || state == "MIXED" || state == "COMPLETING";
           });
  });
}

bool starts_again(const Workload& work) { return !work.stays && work.restartable == true; }

bool holds_one(const Workload& work) {
  return work.allocations.size() == 1 && work.allocations[0].count == 1 &&
         work.allocations[0].devices.size() <= 1 && work.node_count <= 1;
}

bool is_only_on(const Workload& work, const NodeName& node) {
  return work.node_count <= 1 && std::all_of(work.allocations.begin(), work.allocations.end(),
                                             [&](const Allocation& one) { return one.node == node; });
}

// Slurm hands these out: a plan of the machine empties Slurm first, and a packing plan waits for none of its
// jobs.
constexpr const char* kOfSlurmd =
    "held by a pod that runs slurmd: tessera plan of their node cuts them, and drains both schedulers";

bool is_held_by_slurmd(const Look& look, const Gpu& gpu) {
  if (look.cluster.scheduler != Scheduler::kubernetes) return false;
  const auto runs_slurmd = [&](const Holder& holder) {
    const Workload* pod = look.cluster.workloads.find(holder.workload);
    return pod && slinky::slurm_node_of(*pod);
  };
  return std::any_of(gpu.slices.begin(), gpu.slices.end(), [&](const Slice& slice) {
    return !look.is_free(slice) && !slice.holders.empty() &&
           std::all_of(slice.holders.begin(), slice.holders.end(), runs_slurmd);
  });
}

// A whole GPU of a job on several is not one of them to move: all of them would stop.
std::string why_not_moved(const Look& look, const Gpu& gpu) {
  constexpr const char* kUnknown = "held as a whole, or not known to be free";
  if (gpu.slices.size() != 1) return kUnknown;
  const Slice& slice = gpu.slices[0];
  if (slice.kind != SliceKind::whole_gpu || slice.capacity != 1 || slice.holding != Holding::held ||
      !slice.exact || slice.holders.size() != 1)
    return kUnknown;
  const Workload* work = look.cluster.workloads.find(slice.holders[0].workload);
  if (!work || !starts_again(*work)) return "held as a whole by work that does not start again by itself";
  return holds_one(*work) ? "" : "held as a whole by work that holds more than this GPU";
}

std::string why_not_whole(const Look& look, const Gpu& gpu, const mig::Product& product) {
  const bool free = gpu.slices.size() == 1 && gpu.slices[0].kind == SliceKind::whole_gpu &&
                    gpu.slices[0].capacity == 1 && look.is_free(gpu.slices[0]) &&
                    gpu.slices[0].usable == true;
  if (!free && is_held_by_slurmd(look, gpu)) return kOfSlurmd;
  if (!free && look.evict) {
    if (std::string why = why_not_moved(look, gpu); !why.empty()) return why;
  } else if (!free) {
    return "held as a whole, or not known to be free";
  }
  const auto& all = look.node.gpus;
  if (resets_node(look, gpu, product) && std::any_of(all.begin(), all.end(), is_pending))
    return "whose change would reset another one with a MIG mode that is pending";
  return "";
}

std::string why_not_cut(const Look& look, const Gpu& gpu, const mig::Product& product) {
  const bool placed = mig::observed_layout(product, gpu).has_value();
  // What is cleared as a whole needs no places.
  const bool counted = !look.can.chooses_placement && look.can.clears != plan::Unit::slice;
  if (!placed && (!counted || !layout_anywhere(product, gpu)))
    return "with instances whose placement is not known";
  for (const Slice& slice : gpu.slices) {
    if (slice.capacity != 1) return "with instances that are shared";
    if (slice.holding != Holding::held && slice.usable != true) return "with instances that are out of use";
    const bool clears_all = look.can.clears == plan::Unit::gpu && look.can.instances == plan::Unit::gpu;
    if ((clears_all || !placed) && !look.is_free(slice))
      return is_held_by_slurmd(look, gpu) ? kOfSlurmd : "in use, where a change clears the whole GPU";
  }
  return "";
}

// Of so many slices that are held, and it is not told whose each is, those of a job that counts by another
// one: it is told how many it holds. some: the jobs that hold some of them; named: those that count already.
int counted_again(const Look& look, const std::set<WorkloadId>& some,
                  const std::vector<std::string_view>& named, int untold) {
  int jobs = 0, slices = 0;
  for (const WorkloadId& id : some) {
    const Workload* work = look.cluster.workloads.find(id);
    if (!work || std::binary_search(named.begin(), named.end(), id.view())) continue;
    int held = 0;
    for (const Allocation& one : work->allocations)
      if (one.node == look.node.name && one.family == Family::gpu && one.devices.empty()) held += one.count;
    if (held > 0) ++jobs, slices += held;
  }
  return slices <= untold ? slices - jobs : 0;
}

}  // namespace

bool Free::operator()(const Slice& slice) const {
  if (slice.holding == Holding::free) return true;
  // Where it is open which of several is held, all that may hold it are its holders.
  if (!until_ || slice.holders.empty()) return false;
  if (!slice.exact && (!cluster_.work_known || slice.told_held)) return false;
  return std::all_of(slice.holders.begin(), slice.holders.end(), [&](const Holder& holder) {
    const Workload* work = cluster_.workloads.find(holder.workload);
    return work && work->ends && *work->ends <= *until_;
  });
}

bool is_pending(const Gpu& gpu) {
  const MigMode mode = plan::mode_of(gpu);
  return mode == MigMode::enable_pending || mode == MigMode::disable_pending;
}

bool keeps_free(const Look& look) { return look.mode != Mode::in_place || !slurm_may_use(look); }

bool takes_work(const Node& node) {
  return node.health == Health::ok &&
         (!sharing::by_claims(node) || operators::way_of(node) == operators::DraWay::at_start);
}

std::string why_left_out(const Look& look, const Gpu& gpu, const mig::Product* product) {
  if (look.node.health != Health::ok) return "on a node that takes no workloads";
  if (look.cluster.scheduler == Scheduler::slurm && look.node.host_pod)
    return "of a node whose slurmd runs in a pod: tessera plan of its Kubernetes node cuts them, and drains "
           "both schedulers";
  if (look.mode == Mode::in_place && slurm_may_use(look))
    return "of a machine on which Slurm may start jobs, too";
  if (sharing::amd::is_amd(gpu)) return "of AMD, whose partition modes are shown, not planned";
  if (!numbers_told(look.node)) return "whose number on the node is not known";
  if (!product || !product->mig_capable || !product->placements_known) return "without known MIG placements";
  if (!takes_work(look.node)) return "of a DRA driver that cuts them itself, or may";
  if (is_pending(gpu)) return "with a MIG mode that is pending";
  if (gpu.strategy == Strategy::whole) return why_not_whole(look, gpu, *product);
  if (gpu.strategy != Strategy::mig) return "shared in another way than by MIG";
  if (gpu.mig_mode && *gpu.mig_mode != MigMode::enabled) return "with a MIG mode that is off";
  return why_not_cut(look, gpu, *product);
}

bool resets_others(const Look& look, const Gpu& gpu, const mig::Product& product) {
  if (look.mode != Mode::in_place || !resets_node(look, gpu, product)) return false;
  const auto& all = look.node.gpus;
  return std::any_of(all.begin(), all.end(), [&](const Gpu& other) {
    return other.index != gpu.index &&
           std::any_of(other.slices.begin(), other.slices.end(), [&](const Slice& slice) {
             return slice.kind == SliceKind::gpu_instance || slice.holding != Holding::free;
           });
  });
}

bool may_be_whole(const Look& look, const Gpu& gpu, const mig::Product& product) {
  if (gpu.strategy != Strategy::mig || !plan::why_not_offered(look.can, Strategy::whole).empty())
    return false;
  const bool sweeps = look.mode == Mode::in_place && look.can.reset >= plan::Unit::node;
  if (sweeps && plan::mode_needs_reset(product)) return false;
  return std::all_of(gpu.slices.begin(), gpu.slices.end(),
                     [&](const Slice& slice) { return look.is_free(slice); });
}

std::optional<mig::Layout> layout_anywhere(const mig::Product& product, const Gpu& gpu) {
  std::vector<int> profiles;
  for (const Slice& slice : gpu.slices) {
    const std::optional<int> profile = product.index_of(slice.profile.view());
    if (slice.kind != SliceKind::gpu_instance || !profile || slice.placement) return std::nullopt;
    profiles.push_back(*profile);
  }
  return mig::place(product, profiles);
}

bool may_be_moved(const Look& look, const Slice& slice) {
  if (!look.evict || slice.holders.empty()) return false;
  const bool drained = look.mode == Mode::whole_node;
  // Whoever it may be is on the node and is sent away from there, unless some that hold it are hidden.
  if (!slice.exact && (!drained || !look.cluster.work_known || slice.told_held)) return false;
  return std::all_of(slice.holders.begin(), slice.holders.end(), [&](const Holder& holder) {
    const Workload* work = look.cluster.workloads.find(holder.workload);
    return work && starts_again(*work) && (drained ? is_only_on(*work, look.node.name) : holds_one(*work));
  });
}

int running_on(const Look& look) {
  const SliceCounts& counts = look.node.counts;
  int untold = counts.all - counts.free - counts.out;  // slices of which it is not told whose each is
  bool shared = false;
  std::vector<std::string_view> named;
  std::set<WorkloadId> some;
  const auto count = [&](const Slice& slice) {
    if (slice.holding == Holding::free) return;
    shared = shared || slice.capacity > 1;
    if (look.is_free(slice)) {
      --untold;
    } else if (slice.holding == Holding::held && slice.exact && !slice.holders.empty()) {
      --untold;
      for (const Holder& holder : slice.holders) named.push_back(holder.workload.view());
    } else if (slice.capacity == 1) {
      for (const Holder& holder : slice.holders) some.insert(holder.workload);
    } else if (slice.holders.size() > 1) {
      untold += static_cast<int>(slice.holders.size()) - 1;
    }
  };
  for (const Gpu& gpu : look.node.gpus)
    for (const Slice& slice : gpu.slices) count(slice);
  for (const Slice& slice : look.node.pool) count(slice);
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  // Shares are told by another number than that of slices.
  if (untold > 1 && !shared) untold -= counted_again(look, some, named, untold);
  // Of slices that are free by then some were free before.
  const int running = static_cast<int>(named.size()) + std::max(0, untold);
  // Work without a GPU is waited for, too.
  const bool other = look.can.empties_all_work && look.node.cpus_held.value_or(0) > 0;
  return std::max(running, other ? 1 : 0) + (slurm_works_on(look) ? 1 : 0);
}

}  // namespace tessera::pack
