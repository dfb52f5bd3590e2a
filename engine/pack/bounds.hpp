// What no plan can be better than, without solving anything: GPUs by slices, and GPUs if all of them were
// empty. Threads: pure functions.
#pragma once

#include <span>
#include <vector>

#include "engine/pack/problem.hpp"

namespace tessera::pack {

// How many instances of a profile have to be made.
struct Needed {
  const mig::Profile* profile = nullptr;
  int count = 0;
};

// The fewest empty GPUs of the product that hold all of these. Exact where the product has eight memory and
// seven compute slices, whose halves decide (docs/planning.md); of other products what slices allow.
int empty_boards(const mig::Product& product, std::span<const Needed> needed);
// By memory and compute slices alone.
int boards_by_slices(const mig::Product& product, std::span<const Needed> needed);

struct Fewest {
  int slices = 0, empty_boards = 0;
};
// By the demand that idle instances do not meet, for all products together. `left`: by Problem::demand.
Fewest fewest(const Problem& problem, std::span<const int> left);

}  // namespace tessera::pack
