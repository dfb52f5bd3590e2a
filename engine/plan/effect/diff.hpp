// What happens to one GPU on the way to a wish: which instances stay, which go, which are made and in what
// order. As much stays as the backend can spare, what is held before what is free.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/plan/effect/observed.hpp"

namespace tessera::plan {

// A held instance that the wish cannot stand beside.
struct InTheWay {
  InstanceAt instance;
  std::vector<WorkloadId> holders;  // empty: a client that nobody can name
  friend bool operator==(const InTheWay&, const InTheWay&) = default;
};

struct BoardChange {
  GpuIndex gpu;
  const mig::Product* product = nullptr;  // nullptr: not known
  BoardState before, after;
  bool mode_changes = false;
  bool sharing_changes = false;        // replicas, or a strategy without MIG
  bool dragged = false;                // no wish is about it: it suffers from a neighbour's change
  std::vector<InstanceAt> kept;        // in placement order
  std::vector<InstanceAt> destroyed;   // in placement order
  std::vector<InstanceAt> created;     // in the order in which they are made
  bool chosen = true;                  // created where we say; else where the driver is expected to
  std::vector<InTheWay> in_the_way;    // held, and destroyed by the wish
  std::vector<std::string> reachable;  // nearest layouts that leave all held instances alone
  std::vector<std::string> remarks;    // "starts cannot be chosen here: ..."

  bool instances_change() const { return !destroyed.empty() || !created.empty(); }
  bool changes() const { return mode_changes || sharing_changes || instances_change(); }
};

// Errors: the GPU cannot do it, or what stands on it is not told.
Result<BoardChange> diff_board(const Gpu& gpu, const mig::Product* product, const Wish& wish,
                               const Capabilities& can);

// A reset sweeps the GPU clean: what would have stayed goes, too, and is made again.
void sweep(BoardChange& change, const Gpu& gpu, const Capabilities& can);
// A GPU that no wish is about, but which suffers from a neighbour's reset.
BoardChange drag_board(const Gpu& gpu, const mig::Product* product, const Capabilities& can);

// The target for a wish: every instance with its start, keeping as much of `now` as can be. `held` is
// parallel to `now`. Errors name what cannot be.
Result<mig::Layout> target_layout(const mig::Product& product, const Wish& wish, const mig::Layout& now,
                                  const std::vector<bool>& held);

// Layouts around the held instances that are nearest to the wish, best first, at most `limit`.
std::vector<mig::Layout> nearest_layouts(const mig::Product& product, const Wish& wish,
                                         const mig::Layout& held, std::size_t limit);

}  // namespace tessera::plan
