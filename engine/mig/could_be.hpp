// What could be cut out of a GPU whose instances are made as work asks for them: where each profile fits
// beside what work holds, and what is in the way where it does not. Threads: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "engine/mig/geometry.hpp"

namespace tessera::mig {

struct CouldBe {
  int profile = 0;        // of product.profiles
  std::vector<int> free;  // starts where one could be made now
  struct Blocked {
    int start = 0;
    std::vector<std::size_t>
        by;  // gpu.slices whose memory is in the way; empty: engines or compute are used up
    friend bool operator==(const Blocked&, const Blocked&) = default;
  };
  std::vector<Blocked> blocked;
  int together = 0;  // so many of it could be made now, beside each other
  friend bool operator==(const CouldBe&, const CouldBe&) = default;
};

// The layout of what has to stay: instances that are held. nullopt: who holds one, or where it stands, is not
// known.
std::optional<Layout> held_layout(const Product& product, const Gpu& gpu);

// The base profiles and the double-memory one, in the product's order; nullopt: as held_layout. A GPU that is
// held as a whole has room for none.
std::optional<std::vector<CouldBe>> could_be(const Product& product, const Gpu& gpu);

}  // namespace tessera::mig
