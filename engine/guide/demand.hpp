// What waiting work asks for, matched with what a proposal would add, GPU by GPU: fast enough to rank
// many layouts. Which work starts then follows from the plan's own count. Used by the proposals. Threads:
// pure functions.
#pragma once

#include <map>
#include <vector>

#include "engine/guide/evidence.hpp"
#include "engine/guide/proposals/proposals.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/plan/effect/queue.hpp"

namespace tessera::guide {

// One workload's wish, as far as GPUs of one product can grant it.
struct Demand {
  WorkloadId workload;
  std::optional<int> profile;  // index into the product's profiles
  bool any = false;            // any part will do: an untyped gpu on Slurm
  bool whole = false;          // whole GPUs
  std::int64_t count = 0;
};

// Those of the queue, longest wait first. Work that asks for something else altogether has count 0 and never
// fits.
std::vector<Demand> demands(const plan::Queue& queue, const mig::Product* product);

// Free parts on offer.
struct Offer {
  std::map<int, std::int64_t> parts;  // by profile
  std::int64_t whole = 0;
  bool single = false;  // Kubernetes' strategy single: nvidia.com/gpu means a part
};
// Takes from the offer what the demand needs; false: it stays as it was.
bool grant(Offer& offer, const Demand& demand);

// Sets `fit` and `wait` by the count that the plan of this proposal makes.
void count_starts(Proposal& proposal, const Scope& scope, const plan::Queue& queue);

}  // namespace tessera::guide
