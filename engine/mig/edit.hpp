// Cutting a GPU by hand: where one more instance goes, what stands in its way, and moving one along.
//
// Every function expects a legal layout and leaves one. A profile is an index into product.profiles, a unit a
// memory slice counted from 0.
// Threads: pure functions of values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/mig/geometry.hpp"

namespace tessera::mig {

// Starts at which one more of the profile fits, ascending.
std::vector<int> open_starts(const Product& product, const Layout& layout, int profile);
// Of these the one that covers `unit`, else the nearest; of two alike the lower. nullopt: there is none.
std::optional<int> open_start_near(const Product& product, const Layout& layout, int profile, int unit);
// Whether an instance of that profile with that start covers the unit.
bool covers(const Product& product, Placed placed, int unit);

// Which instance of the layout stands on a unit; nullopt: none does.
std::optional<std::size_t> instance_at(const Product& product, const Layout& layout, int unit);

// The layout with that instance at the next start to the left (direction < 0) or right at which it can stand
// while the others stay, beyond them if need be; nullopt: there is none that way.
std::optional<Layout> slide(const Product& product, const Layout& layout, std::size_t index, int direction);

// Why one more of a profile fits nowhere.
enum class Lack : std::uint8_t {
  places,     // none are published
  count,      // as many stand as may
  memory,     // others stand wherever it could
  instances,  // the GPU holds no more
  compute,
  engines,  // decoders and the like
};
struct Obstacle {
  Lack lack = Lack::places;
  Placement needs;                  // memory: the place with the fewest in its way, of these the nearest
  std::vector<std::size_t> in_way;  // memory: which of the layout stand there
  int needed = 0;                   // compute slices, engines
  int left = 0;
  int most = 0;        // count, instances
  std::string engine;  // "decoder"
};
// nullopt: it fits somewhere. `unit` is where one would like to have it.
std::optional<Obstacle> obstacle(const Product& product, const Layout& layout, int profile, int unit);
// "needs slices 4-5 free", "compute slices used up", "at most 1 with media engines".
std::string to_text(const Product& product, int profile, const Obstacle& obstacle);

// Memory that nothing more can use while these stand: "slice 7 is stranded"; empty: there is none.
std::string stranded_text(const Product& product, const Layout& layout);

}  // namespace tessera::mig
