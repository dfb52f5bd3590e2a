// Geometry of one board: which sets of GPU instances may stand together, and where.
//
// A layout is legal when every instance starts where its profile may, memory intervals do not overlap,
// compute slices sum to at most the board's, no profile exceeds its maximum, the instance count stays
// within the board's, and media engines fit the board's budget (catalogue: "legality").
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
  friend auto operator<=>(const Placed&, const Placed&) = default;
};

// Sorted by start, then profile. The empty layout is MIG on, nothing cut.
using Layout = std::vector<Placed>;

// Why a layout is not legal, as a sentence for the admin; nullopt: it is legal.
std::optional<std::string> why_illegal(const Product& product, const Layout& layout);
bool is_legal(const Product& product, const Layout& layout);

// Whether one more instance fits, given that `layout` is legal. Fast: no allocation.
bool fits(const Product& product, const Layout& layout, Placed wanted);
// Why it does not, for greyed menu entries: "memory slices 4-5 are taken", "no compute slice left".
std::optional<std::string> why_not(const Product& product, const Layout& layout, Placed wanted);

enum class Which { all, maximal, undominated };
// all: every legal layout (the empty one included). maximal: nothing can be added.
// undominated: multisets of maximal layouts to which no other maximal layout adds an instance or widens one,
// each with one placement. Order: lexicographic by start and profile.
// `profiles` restricts to some of product.profiles by index; empty: the base profiles and double-memory 1g
// (those without +me, +gfx, -me).
std::vector<Layout> enumerate(const Product& product, Which which, std::span<const int> profiles = {});
// Distinct multisets of profiles among the legal layouts (the empty one included).
std::size_t count_multisets(const Product& product, std::span<const int> profiles = {});

// The profile indices of the base geometry: no attributes; `with_double` adds the double-memory 1g.
std::vector<int> base_profiles(const Product& product, bool with_double);

// A legal placement for a multiset of profiles, keeping `held` where they are; nullopt: there is none.
std::optional<Layout> place(const Product& product, std::span<const int> wanted, const Layout& held = {});

// What is left on a board.
struct Room {
  std::vector<Placement> free;  // memory intervals that no instance covers
  std::vector<Placement>
      stranded;                // parts of `free` that no further instance can ever cover while the rest stays
  std::optional<int> largest;  // index of the largest profile that still fits (compute, then memory)
  int free_memory_slices = 0;
  int stranded_memory_slices = 0;
  int free_compute_slices = 0;
  int stranded_compute_slices = 0;  // left over in the best completion
  double fragmentation =
      0;  // 0: the free part could be one instance as large as an empty board of that size; 1: no use at all
};
Room room(const Product& product, const Layout& layout);

// "3g.40gb@4,2g.20gb@2,1g.10gb@0"; without @ a start is chosen (largest first). Errors name the part.
Result<Layout> parse_layout(const Product& product, std::string_view text);
std::string to_text(const Product& product, const Layout& layout);

// The layout of a GPU as observed; nullopt when a slice has an unknown profile or placement.
std::optional<Layout> observed_layout(const Product& product, const Gpu& gpu);

}  // namespace tessera::mig
