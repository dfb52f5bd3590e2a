// What the instances of a layout take from a GPU, kept in small numbers so that a check costs nanoseconds.
// Threads: plain values. Used by the geometry only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "engine/mig/geometry.hpp"

namespace tessera::mig {

// The engines of the budget rule, in the order of Load::engines.
inline constexpr std::array<std::optional<int> Engines::*, 4> kMediaEngines = {
    &Engines::decoder, &Engines::encoder, &Engines::jpeg, &Engines::ofa};

inline constexpr std::array<std::string_view, kMediaEngines.size()> kMediaEngineNames = {
    "decoder", "encoder", "JPEG engine", "OFA engine"};

struct Load {
  std::uint32_t memory = 0;  // one bit a placement unit
  int compute = 0;
  int instances = 0;
  std::array<std::uint8_t, kMaxProfiles> count{};  // instances of each profile
  std::array<int, kMediaEngines.size()> engines{};
};

inline bool has_layouts(const Product& product) {
  return product.mig_capable && product.placements_known && product.units > 0 && product.units <= kMaxUnits &&
         product.profiles.size() <= kMaxProfiles;
}

inline std::uint32_t all_units(const Product& product) { return (1u << product.units) - 1; }

inline const Profile& profile_of(const Product& product, Placed placed) {
  return product.profiles[static_cast<std::size_t>(placed.profile)];
}

inline std::uint32_t mask_of(const Profile& profile, int start) {
  return ((1u << profile.memory_slices) - 1) << start;
}

// Whether the product has this profile, and the profile this start.
inline bool is_placeable(const Product& product, Placed placed) {
  if (placed.profile < 0 || static_cast<std::size_t>(placed.profile) >= product.profiles.size()) return false;
  for (const int start : profile_of(product, placed).starts) {
    if (start == placed.start) return true;
  }
  return false;
}

// Precondition of all below: is_placeable().
inline bool engines_fit(const Product& product, const Load& load, const Profile& profile) {
  for (std::size_t i = 0; i < kMediaEngines.size(); ++i) {
    const std::optional<int>& board = product.budget.*kMediaEngines[i];
    const std::optional<int>& own = profile.engines.*kMediaEngines[i];
    if (board && own && *own > 0 && load.engines[i] + *own > *board) return false;
  }
  return true;
}

inline bool has_room(const Product& product, const Load& load, Placed placed) {
  const Profile& profile = profile_of(product, placed);
  return (load.memory & mask_of(profile, placed.start)) == 0 &&
         load.compute + profile.compute_slices <= product.compute_slices &&
         load.instances < product.max_instances &&
         load.count[static_cast<std::size_t>(placed.profile)] < profile.max &&
         engines_fit(product, load, profile);
}

inline void add_engines(Load& load, const Profile& profile) {
  for (std::size_t i = 0; i < kMediaEngines.size(); ++i) {
    load.engines[i] += (profile.engines.*kMediaEngines[i]).value_or(0);
  }
}

inline void add(const Product& product, Load& load, Placed placed) {
  const Profile& profile = profile_of(product, placed);
  load.memory |= mask_of(profile, placed.start);
  load.compute += profile.compute_slices;
  ++load.instances;
  ++load.count[static_cast<std::size_t>(placed.profile)];
  add_engines(load, profile);
}

inline Load load_of(const Product& product, const Layout& layout) {
  Load load;
  for (const Placed placed : layout) add(product, load, placed);
  return load;
}

// The intervals of the units that are set.
std::vector<Placement> intervals(std::uint32_t units);

// Every place of the given profiles, ordered by start, then profile.
std::vector<Placed> places(const Product& product, std::span<const int> profiles);

}  // namespace tessera::mig
