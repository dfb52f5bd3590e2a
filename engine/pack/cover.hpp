// Whether a small program has a solution that costs no more than so much, found out by trying.
//
// The solver needs a millisecond to be set up, however small the program is; where a handful of choices at
// most can be made, trying them all takes a few microseconds. Threads: pure functions.
#pragma once

#include <span>

#include "engine/pack/solver.hpp"

namespace tessera::pack {

// true: it has none, which is sure. false: it has one, or this is not known after a bounded number of tries,
// or the program is of another kind: rows with an upper limit have no negative entries, others a lower limit.
// weights: by column; reduced: its reduced costs in the relaxation, whose value is `relaxed`.
bool none_costs_at_most(const Program& program, std::span<const double> weights,
                        std::span<const double> reduced, double relaxed, double most);

}  // namespace tessera::pack
