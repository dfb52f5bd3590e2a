#include "engine/insight/available.hpp"

#include <algorithm>
#include <initializer_list>

#include "engine/model/recorded.hpp"

namespace tessera::insight {
namespace {

// A cluster of which no source has reported (values made by hand) is taken as it is.
bool current(const Cluster& cluster, std::initializer_list<Source> sources) {
  if (cluster.sources.empty()) return cluster.loaded || !cluster.progress;
  // A recording that has nothing of this moment, or cannot be read.
  if (recording_failure(cluster) && cluster.nodes.empty()) return false;
  bool answered = false;
  for (Source source : sources) {
    auto found = cluster.sources.find(source);
    if (found == cluster.sources.end()) continue;
    if (found->second.failure || !found->second.last_ok) return false;
    answered = true;
  }
  return cluster.loaded || (answered && !cluster.progress);
}

// Flags of the scheduler that keep new work away although the node is well.
bool is_kept_free(const Node& node) {
  return std::any_of(node.state.begin(), node.state.end(), [](const std::string& flag) {
    return flag == "MAINT" || flag == "MAINTENANCE" || flag == "REBOOT_ISSUED";
  });
}

// True where every partition of the node is known and none of them starts jobs.
bool partitions_are_closed(const Cluster& cluster, const Node& node) {
  if (node.partitions.empty()) return false;
  return std::all_of(node.partitions.begin(), node.partitions.end(), [&](const std::string& name) {
    auto found = std::find_if(cluster.partitions.begin(), cluster.partitions.end(),
                              [&](const Partition& one) { return one.name == name; });
    // DRAIN takes jobs and starts none; DOWN takes jobs and starts them later; INACTIVE does neither.
    return found != cluster.partitions.end() &&
           (found->state == "DOWN" || found->state == "DRAIN" || found->state == "INACTIVE");
  });
}

Access access_of(const Cluster& cluster, const Node& node) {
  if (!nodes_are_current(cluster)) return Access::unknown;
  if (node.health == Health::unknown) return Access::unknown;
  if (!takes_work(node) || is_kept_free(node) || partitions_are_closed(cluster, node)) return Access::closed;
  return Access::open;
}

}  // namespace

bool nodes_are_current(const Cluster& cluster) {
  return current(cluster, {Source::simulator, Source::slurm_nodes, Source::kubernetes_nodes});
}

bool work_is_current(const Cluster& cluster) {
  return current(cluster, {Source::simulator, Source::slurm_jobs, Source::kubernetes_pods}) &&
         !work_untold(cluster);
}

bool takes_work(const Node& node) { return node.health == Health::ok; }

Sight sight_of(const Cluster& cluster, const Node& node) {
  return {access_of(cluster, node), work_is_current(cluster)};
}

Availability availability(const Sight& sight, const Slice& slice) {
  return slice.holding == Holding::held ? Availability::held : remainder(sight, slice);
}

Availability remainder(const Sight& sight, const Slice& slice) {
  const std::optional<int> rest = unheld(slice, sight.work_read);
  if (rest == 0) return Availability::held;
  if (slice.usable != true) return slice.usable ? Availability::closed : Availability::unknown;
  if (!rest) return Availability::unknown;
  switch (sight.access) {
    case Access::open: return Availability::free;
    case Access::closed: return Availability::closed;
    case Access::unknown: break;
  }
  return Availability::unknown;
}

std::string_view word(Availability availability) {
  switch (availability) {
    case Availability::free: return "free";
    case Availability::held: return "held";
    case Availability::closed: return "closed";
    case Availability::unknown: break;
  }
  return "unknown";
}

std::optional<int> unheld(const Slice& slice, bool work_read) {
  if (slice.holding == Holding::unknown) return std::nullopt;
  // The scheduler's own word counts without the list of workloads.
  if (!work_read && slice.holding == Holding::free && slice.told_held != false) return std::nullopt;
  if (slice.holding == Holding::free) return slice.capacity;
  if (slice.capacity == 1 || slice.holders.empty()) return 0;
  if (!work_read) return std::nullopt;
  int held = 0;
  for (const Holder& holder : slice.holders) {
    if (holder.share <= 0) return std::nullopt;
    held += holder.share;
  }
  return std::max(0, slice.capacity - held);
}

std::optional<int> available(const Sight& sight, const Slice& slice) {
  switch (remainder(sight, slice)) {
    case Availability::free: return unheld(slice, sight.work_read);
    case Availability::held:
    case Availability::closed: return 0;
    case Availability::unknown: break;
  }
  return std::nullopt;
}

std::optional<int> available_slices(const Sight& sight, const Node& node) {
  if (sight.access == Access::closed) return 0;
  int some = 0, free = 0, open = 0, silent = 0;
  auto look = [&](const Slice& slice) {
    const std::optional<int> rest = available(sight, slice);
    some += rest.value_or(0) > 0;
    free += slice.holding == Holding::free && slice.usable == true;
    if (rest) return;
    slice.holding == Holding::unknown || !slice.usable ? ++open : ++silent;
  };
  for (const Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), look);
  std::for_each(node.pool.begin(), node.pool.end(), look);
  if (silent > 0) return std::nullopt;
  if (open == 0) return some;
  const SliceCounts& counts = node.counts;
  if (!sight.work_read || sight.access != Access::open || !counts.known()) return std::nullopt;
  return some + counts.free - free;
}

}  // namespace tessera::insight
