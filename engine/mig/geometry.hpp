// Geometry of one GPU: which sets of GPU instances may stand together, and where.
//
// A layout is legal when every instance starts where its profile may, memory intervals do not overlap,
// compute slices sum to at most the GPU's, no profile exceeds its maximum, the instance count stays
// within the GPU's, and decoders, encoders, JPEG and OFA engines fit the GPU's budget. A figure that is
// not published, of an instance or of the GPU, limits nothing. Taking instances out of a legal layout
// always leaves a legal one; several functions here rest on that.
// Products without published placements have no legal layout, not even the empty one.
// Threads: pure functions of values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"

namespace tessera::mig {

// One instance: an index into product.profiles and a start in placement units.
struct Placed {
  int profile = 0;
  int start = 0;
  friend bool operator==(const Placed&, const Placed&) = default;
  friend auto operator<=>(const Placed& a, const Placed& b) {  // as layouts are sorted: by start first
    return a.start != b.start ? a.start <=> b.start : a.profile <=> b.profile;
  }
};

// Sorted by start, then profile. The empty layout is MIG on, no instances.
using Layout = std::vector<Placed>;

// Why a layout is not legal, as a sentence for the admin; nullopt: it is legal. Any order is accepted.
std::optional<std::string> why_illegal(const Product& product, const Layout& layout);
bool is_legal(const Product& product, const Layout& layout);

// Whether one more instance fits, given that `layout` is legal. Fast: no allocation.
bool fits(const Product& product, const Layout& layout, Placed wanted);

enum class Which { all, maximal, undominated };
// all: every legal layout (the empty one included). maximal: nothing can be added.
// undominated: multisets of profiles to which no legal layout, however it is placed, adds an instance; each
// stands here once, as the first of its layouts. (3g@0 with 2g and 1g is maximal as it stands, but dominated:
// with the 3g at 4, another 1g fits.)
// Order: lexicographic by start and profile.
// `profiles` restricts all of this to some of product.profiles by index (others are passed over); empty: the
// base profiles and double-memory 1g (those without +me, +gfx, -me).
std::vector<Layout> enumerate(const Product& product, Which which, std::span<const int> profiles = {});

// The profile indices of the base geometry: no attributes; `with_double` adds profiles that have the compute
// slices of another one and more memory (the double-memory 1g).
std::vector<int> base_profiles(const Product& product, bool with_double);

// A legal placement for a multiset of profiles, keeping `held` where they are; nullopt: there is none.
// Of several, one that strands least (memory, then compute), then leaves most places open, then starts
// lowest.
std::optional<Layout> place(const Product& product, std::span<const int> wanted, const Layout& held = {});
// Why place() finds nothing, as a sentence; nullopt: it does find a place.
std::optional<std::string> why_no_place(const Product& product, std::span<const int> wanted,
                                        const Layout& held = {});

// What is left on a GPU. For a layout that is not legal everything is 0 and empty.
struct Room {
  std::vector<Placement> free;  // memory intervals that no instance covers
  // Parts of `free` that no further instance of any profile can cover while the rest stays.
  std::vector<Placement> stranded;
  std::optional<int> largest;  // index of the largest profile that still fits (compute, then memory)
  int free_memory_slices = 0;
  int stranded_memory_slices = 0;
  int free_compute_slices = 0;
  int stranded_compute_slices = 0;  // left over in the best completion
  // What is lost by where the instances stand: 1 - a/b, where b is the memory of the largest profile that
  // would go into the free memory and compute if they lay side by side, and a that of the largest which does
  // go in. 0: nothing is lost (also when nothing is free); 1: nothing fits, though there would be enough.
  double fragmentation = 0;
};
Room room(const Product& product, const Layout& layout);

// Instances with a start, and profiles for which a start is still to be chosen.
struct Wish {
  Layout fixed;
  std::vector<int> open;
};
// "3g.40gb@4, 2g.20gb@2, 3x1g.10gb". Reads only; the result need not be legal. Errors name the part.
Result<Wish> parse_wish(const Product& product, std::string_view text);
// As parse_wish, with starts chosen by place() for those that have none; an error when there is no place.
// When every instance has its start, the layout is returned as it was written, legal or not.
Result<Layout> parse_layout(const Product& product, std::string_view text);
// "1g.10gb@0,2g.20gb@2,3g.40gb@4"
std::string to_text(const Product& product, const Layout& layout);

// The layout of a GPU as observed; nullopt when it has a slice that is no GPU instance, whose profile or
// place is not told, or which contradicts the catalogue.
std::optional<Layout> observed_layout(const Product& product, const Gpu& gpu);

}  // namespace tessera::mig
