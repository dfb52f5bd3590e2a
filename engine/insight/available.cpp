#include "engine/insight/available.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "engine/insight/mps_in_use.hpp"
#include "engine/model/held_by.hpp"
#include "engine/model/recorded.hpp"

namespace tessera::insight {
namespace {

// A cluster of which no source has reported (values made by hand) is taken as it is; one of which nothing at
// all was told has not answered yet.
bool current(const Cluster& cluster, std::initializer_list<Source> sources) {
  const bool untold = cluster.nodes.empty() && cluster.workloads.empty();
  if (cluster.sources.empty()) return cluster.loaded || !(cluster.progress || untold);
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

// What keeps new work away although the node is well: flags of the scheduler, and a reservation.
bool is_kept_free(const Node& node) {
  return is_reserved(node) || std::any_of(node.state.begin(), node.state.end(), [](const std::string& flag) {
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

// Where it is not known of each slice who holds it, it is not known which GPU's is in use. Only nodes with
// MPS are looked through: a list asks this of each of its slices.
bool mps_of_one_is_in_use(const Cluster& cluster, const Node& node) {
  constexpr unsigned kMps = 1U << static_cast<unsigned>(Strategy::mps);
  if (cluster.scheduler != Scheduler::slurm || (node.kinds.strategies & kMps) == 0) return false;
  const bool known = node.unheld.open == 0 && node.unheld.silent == 0 && node.open_kinds.empty();
  if (!known) return false;
  const std::vector<const Gpu*> in_use = gpus_whose_mps_is_in_use(cluster, node);
  // One that only may be in use, as of a job that is not told, closes none of the others.
  return in_use.size() == 1 &&
         std::any_of(in_use.front()->slices.begin(), in_use.front()->slices.end(), [](const Slice& slice) {
           return slice.kind == SliceKind::mps && slice.exact && !slice.holders.empty();
         });
}

// Whether it is MPS of another GPU than the one that is in use.
bool is_mps_of_other(const Sight& sight, const Slice& slice) {
  return sight.mps_in_use && slice.kind == SliceKind::mps && slice.holders.empty();
}

// Slices of which it is told that something can be had, one by one; nullopt: not told of each.
std::optional<int> told_available(const Sight& sight, const Node& node) {
  int some = 0;
  const auto add = [&](const Slice& slice) {
    const std::optional<int> rest = available(sight, slice);
    some += rest.value_or(0) > 0;
    return rest.has_value();
  };
  for (const Gpu& gpu : node.gpus)
    if (!std::all_of(gpu.slices.begin(), gpu.slices.end(), add)) return std::nullopt;
  if (!std::all_of(node.pool.begin(), node.pool.end(), add)) return std::nullopt;
  return some;
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

// slurmctld sets the flag and the name when a reservation begins; Slurm 22.05 prints the flag alone.
bool is_reserved(const Node& node) {
  return !node.reservation.empty() ||
         std::find(node.state.begin(), node.state.end(), "RESERVED") != node.state.end();
}

std::string reserved_words(const Node& node) {
  if (!is_reserved(node)) return {};
  return node.reservation.empty() ? "in a reservation"
                                  : fmt::format("in the reservation {}", node.reservation);
}

Sight sight_of(const Cluster& cluster, const Node& node) {
  return {access_of(cluster, node), work_is_current(cluster), mps_of_one_is_in_use(cluster, node)};
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
    case Access::open: return is_mps_of_other(sight, slice) ? Availability::closed : Availability::free;
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
  if (work_read) return tessera::unheld(slice);
  // The scheduler's own word counts without the list of workloads.
  if (slice.holding == Holding::free && slice.told_held == false) return slice.capacity;
  const bool all_held = slice.holding == Holding::held && (slice.capacity == 1 || slice.holders.empty());
  return all_held ? std::optional(0) : std::nullopt;
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
  if (!can_be_had(sight)) return told_available(sight, node);
  const Unheld& unheld = node.unheld;
  if (unheld.silent > 0) return std::nullopt;
  if (unheld.open == 0) return unheld.slices;
  if (!node.counts.known()) return std::nullopt;
  return unheld.slices + node.counts.free - unheld.free;
}

}  // namespace tessera::insight
