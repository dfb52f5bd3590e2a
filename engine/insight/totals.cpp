#include "engine/insight/totals.hpp"

#include <algorithm>

#include "engine/insight/counted.hpp"
#include "engine/insight/free_kinds.hpp"
#include "engine/number.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::insight {
namespace {

constexpr int kPercent = 100;  // Slurm's MPS shares of a GPU that is handed out in percent

// One node's part of the sums.
class NodeSum {
 public:
  NodeSum(Totals& totals, const Cluster& cluster, const Node& node)
      : totals_(totals), cluster_(cluster), node_(node), sight_(sight_of(cluster, node)) {}

  void add(const Counted& counted = {}) {
    ++totals_.nodes;
    if (!takes_work(node_)) ++totals_.nodes_closed;
    if (counted.gpus) gpus();
    if (!counted.slices) return;
    counts(counted.lent);
    can_be_had(sight_) ? unheld() : told();
  }

 private:
  void gpus() {
    for (const Gpu& gpu : node_.gpus) {
      ++totals_.gpus;
      ++totals_.gpus_by_strategy[gpu.strategy];
      if (gpu.strategy == Strategy::mps) mps(gpu);
      use(gpu);
    }
    for (const Slice& slice : node_.pool)
      ++totals_.gpus_by_strategy[sharing::amd::is_partition(slice) ? Strategy::unknown : Strategy::mig];
  }

  void mps(const Gpu& gpu) {
    for (const Slice& slice : gpu.slices) {
      if (slice.kind != SliceKind::mps) continue;
      ++totals_.mps_gpus;
      if (slice.capacity == kPercent) ++totals_.mps_in_percent;
    }
  }

  void counts(int lent) {
    const SliceCounts& counts = node_.counts;
    totals_.slices += counts.all - lent;
    totals_.held += counts.held - lent;
    totals_.unknown += counts.all - counts.held - counts.free - counts.out;
    // Where a node's number is not known, that of the others stands: so many at least.
    *totals_.free += available_slices(sight_, node_).value_or(0);
  }

  void use(const Gpu& gpu) {
    const bool held = std::any_of(gpu.slices.begin(), gpu.slices.end(),
                                  [](const Slice& slice) { return slice.holding == Holding::held; });
    if (!held || !gpu.telemetry.use) return;
    ++totals_.measured;
    totals_.used += static_cast<double>(gpu.telemetry.use->value);
  }

  void add(const Slice& slice, int shares) {
    if (shares > 0) figures(slice)[label(slice)] += shares;
  }

  void unheld() {
    for (const UnheldKind& kind : node_.unheld.kinds) add(kind);
    for (const UnheldKind& kind : node_.open_kinds) add(kind);
  }
  void add(const UnheldKind& kind) {
    Slice like;
    like.kind = kind.kind;
    like.profile = kind.profile;
    like.capacity = kind.capacity;
    add(like, kind.units);
  }

  // The same where not all that nobody holds can be had, or not all lists are there.
  void told() {
    const auto look = [&](const Slice& slice) { add(slice, available(sight_, slice).value_or(0)); };
    for (const Gpu& gpu : node_.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), look);
    std::for_each(node_.pool.begin(), node_.pool.end(), look);
  }

  std::map<std::string, int>& figures(const Slice& slice) const {
    return slice.capacity > 1 ? totals_.free_shares : totals_.free_by_profile;
  }
  std::string label(const Slice& slice) const {
    return slice.capacity == 1 ? slice_label(slice) : share_label(cluster_, node_, slice);
  }

  Totals& totals_;
  const Cluster& cluster_;
  const Node& node_;
  Sight sight_;
};

void add_work(Totals& totals, const Workload& workload) {
  if (workload.state == WorkloadState::running) ++totals.running;
  if (workload.state != WorkloadState::pending) return;
  ++totals.pending;
  for (const Request& request : workload.requests) {
    Waiting& waiting = totals.waiting_by_request[request.resource];
    ++waiting.workloads;
    waiting.units = add_times(waiting.units, request.count, workload.tasks);
  }
}

}  // namespace

std::string slice_label(const Slice& slice) {
  if (!slice.profile.empty()) return slice.profile.text;
  return std::string(word(slice.kind));
}

std::string share_unit(const Slice& slice, Scheduler scheduler) {
  if (slice.capacity == 1) return "slices";
  const std::string of = slice.profile.empty() ? "" : slice.profile.text + " ";
  switch (slice.kind) {
    case SliceKind::mps:
      if (scheduler == Scheduler::kubernetes) return of + "MPS clients";
      return slice.capacity == kPercent ? "MPS percent" : "MPS shares";
    case SliceKind::shard: return of + (scheduler == Scheduler::slurm ? "shards" : "shares");
    case SliceKind::time_slice: return of + "time-slices";
    default: return slice_label(slice) + " shares";
  }
}

std::string unit_asked_for(const Totals& totals, std::string_view resource, Scheduler scheduler) {
  if (scheduler != Scheduler::slurm) return {};
  const auto name = sharing::parse_resource(resource, scheduler);
  if (!name || name->kind != sharing::ResourceKind::mps) return {};
  const bool percent = totals.mps_gpus > 0 && totals.mps_in_percent == totals.mps_gpus;
  std::string unit = percent ? "MPS percent" : "MPS shares";
  if (!name->type.empty()) unit += " " + name->type;
  return unit;
}

Totals totals(const Cluster& cluster) {
  return totals(cluster, {[](const Node&) { return Counted(); }, [](const Workload&) { return true; }});
}

Totals totals(const Cluster& cluster, const Counting& counting) {
  Totals totals;
  for (const Node& node : cluster.nodes.all()) NodeSum(totals, cluster, node).add(counting.node(node));
  for (const Workload& workload : cluster.workloads.all())
    if (counting.workload(workload)) add_work(totals, workload);
  if (!nodes_are_current(cluster) || !work_is_current(cluster)) totals.free.reset();
  return totals;
}

}  // namespace tessera::insight
