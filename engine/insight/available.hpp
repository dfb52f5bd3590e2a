// What can be had now: the one place that decides it, for tables, sums, tiles, filters and JSON.
//
// A slice that no workload holds is free only where new work can start: on a node that takes work, in a
// cluster whose lists are current. Of the MPS of a Slurm node that is so only of the GPU that is in use.
// Threads: pure functions of values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/model.hpp"

namespace tessera::insight {

// Whether new work can start on a node. unknown: no current list says so.
enum class Access : std::uint8_t { open, closed, unknown };

// What a judgement about a node's slices rests on; worked out once a node.
struct Sight {
  Access access = Access::open;
  bool work_read = true;    // the list of workloads is current, so that a slice without holder is free
  bool mps_in_use = false;  // that of one GPU (mps_in_use.hpp): that of the others cannot be had
};
Sight sight_of(const Cluster& cluster, const Node& node);
// All that nobody holds can be had: Node::unheld and Node::open_kinds say how much that is.
inline bool can_be_had(const Sight& sight) {
  return sight.access == Access::open && sight.work_read && !sight.mps_in_use;
}

// Whether the cluster's own lists are current: false before the first answer and while a source fails.
bool nodes_are_current(const Cluster& cluster);
bool work_is_current(const Cluster& cluster);

// Whether the node's health lets new work start there.
bool takes_work(const Node& node);

// Whether it is in a reservation of Slurm's that has begun. A job has to ask for that by name, and to be let
// in, whatever its flags are: a node that is reserved is closed.
bool is_reserved(const Node& node);
std::string reserved_words(const Node& node);  // "in the reservation course"; empty: it is in none

// held: by anyone, named or not. free: nobody holds it and it can be had now. closed: nobody holds it, and
// new work cannot have it.
enum class Availability : std::uint8_t { unknown, free, held, closed };
Availability availability(const Sight& sight, const Slice& slice);
std::string_view word(Availability availability);  // "unknown" "free" "held" "closed"

// The same of what its holders leave of a slice that is handed out in shares; held: they leave nothing.
Availability remainder(const Sight& sight, const Slice& slice);

// Shares that can be had now, in the slice's capacity units; an exclusive slice counts 1. nullopt: not known.
std::optional<int> available(const Sight& sight, const Slice& slice);

// Shares that nobody holds, wherever the slice is. nullopt: not known.
std::optional<int> unheld(const Slice& slice, bool work_read = true);

// Slices of a node of which something can be had now; nullopt: not known. Slices of which it is known how
// many are free and not which are counted.
std::optional<int> available_slices(const Sight& sight, const Node& node);

}  // namespace tessera::insight
