// Demand that instances of some nodes alone meet: those of a partition, with a feature, without a taint.
// Problems whose demand any of their nodes meets are made of it, and their answers joined.
//
// Pools that share no node are problems of their own. Those that share some are first answered as one, which
// is a bound for them; where no way of sharing its instances out meets them as well, they are answered one
// after the other, the one with the fewest nodes first. Threads: pure functions.
#pragma once

#include <functional>

#include "engine/pack/problem.hpp"

namespace tessera::pack {

bool has_pools(const Problem& problem);

// solve: answers a problem without pools. Precondition: each demand has a pool.
using Solve = std::function<Result<Answer>(const Problem& part)>;
Result<Answer> pack_pools(const Problem& problem, const Solve& solve);

}  // namespace tessera::pack
