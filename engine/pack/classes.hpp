// GPUs that are alike for a demand: what each could become, and which of them have the same choices.
//
// A state is a product with its running and idle instances. A choice is a set of instances that it could have
// instead, described by its worth to each demand. The size of a program depends on distinct states,
// not on GPUs. Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/pack/problem.hpp"

namespace tessera::pack {

inline constexpr std::size_t kMaxRowsOfProduct = 12;

// How many instances of each demand's profile, packed: five bits a demand, evicted ones taken off.
using Worth = std::uint64_t;
int worth_at(Worth worth, std::size_t slot);
// Whether a is at least b for every demand.
bool covers(Worth a, Worth b);

// Placements of one product by number; a set of instances is a mask of them.
struct Universe {
  const mig::Product* product = nullptr;
  std::vector<mig::Placed> places;
  std::vector<std::uint64_t> layouts;          // every legal one
  std::vector<Worth> worths;                   // of these, by themselves
  std::vector<int> sizes;                      // of these, in instances
  std::vector<std::vector<std::size_t>> with;  // by place: those that have it, by number
  std::vector<int> slots;                      // by place: which of `rows` it serves; -1: none
  std::vector<std::size_t> rows;               // by slot: an index into Classes::rows
  std::uint64_t wanted = 0;                    // places that serve a row
  std::uint64_t whole = 0;                     // the bit that stands for an uncut GPU; 0: none are asked for
};

// What these instances are worth, less those that are evicted.
Worth worth_between(const Universe& universe, std::uint64_t gained, std::uint64_t lost);
// Where `held` runs, a layout instead is worth that of Universe::worths less this: both count what stays, or
// neither.
Worth worth_running(const Universe& universe, std::uint64_t held);

struct Choice {
  Worth worth = 0;
  int evicted = 0, destroyed = 0, created = 0;
  std::uint64_t layout = 0;  // of the universe; the state's own decide between equal ones
};

struct State {
  std::size_t product = 0;  // an index into universes
  std::uint64_t held = 0, idle = 0;
  std::uint64_t stays = 0;  // of held: what keeps its place even where others are evicted
  bool may_be_whole = false;
  bool fixed = false;  // in use as a whole, and nothing is evicted
  int count = 0;
  Worth worth = 0;  // as it stands
  std::size_t class_number = 0;
  std::vector<Choice> choices;  // none that another one beats in every respect
};

// States with the same product, worth and worths of choices. Here a choice is one of worth and evictions
// alone: what it destroys and creates is looked at when the GPUs are chosen.
struct Class {
  std::size_t product = 0;
  Worth worth = 0;
  int count = 0;
  std::vector<Choice> choices;
};

// A demand, or profiles that only evicted instances ask for.
struct Row {
  ProfileName profile;
  std::optional<std::size_t> product;
  int count = 0;
  int standing = 0;  // idle instances that serve it
};

struct Classes {
  std::vector<Row> rows;  // the demands first, in their order
  std::vector<Universe> universes;
  std::vector<State> states;
  std::vector<std::size_t> state_of;  // by board
  std::vector<Class> classes;
};

// `evict`: with choices that evict. `whole`: classes tell destroyed and created apart, too.
// Errors name what is too much.
Result<Classes> classify(const Problem& problem, bool evict, bool whole);

mig::Layout layout_of(const Universe& universe, std::uint64_t mask);

}  // namespace tessera::pack
