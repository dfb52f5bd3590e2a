// Demand that instances of some nodes alone meet: those of a partition, with a feature, without a taint.
// Problems whose demand any of their nodes meets are made of it, and their answers joined.
//
// Pools that share no node are problems of their own. Those that share some are first answered as one, which
// is a bound for them; where no way of sharing its instances out meets them as well, they are answered one
// after the other, the one with the fewest nodes first. Threads: pure functions.
#pragma once

#include <functional>
#include <string>

#include "engine/pack/problem.hpp"

namespace tessera::pack {

bool has_pools(const Problem& problem);

// solve: answers a problem without pools. A demand without a pool may use any node of the problem.
using Solve = std::function<Result<Answer>(const Problem& part)>;
Result<Answer> pack_pools(const Problem& problem, const Solve& solve);

// What is not known of the answer: work that is moved may be held to nodes by more than is told of it
// (Instance::homes), whoever the demand is of. Empty: none is moved.
std::string unchecked_text(const Answer& answer);

}  // namespace tessera::pack
