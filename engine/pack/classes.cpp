#include "engine/pack/classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "engine/pack/whole.hpp"

namespace tessera::pack {
namespace {

constexpr int kBits = 5;
constexpr int kOffset = 7;  // as many may be evicted
constexpr std::size_t kMaxPlaces = 64;
constexpr mig::Placed kUncut{-1, 0};  // stands in no layout that leaves this file

constexpr Worth guards() {
  Worth mask = 0;
  for (std::size_t slot = 0; slot < kMaxRowsOfProduct; ++slot) mask |= Worth{1} << (slot * kBits + 4);
  return mask;
}
constexpr Worth kGuards = guards();

Worth nothing() {
  Worth worth = 0;
  for (std::size_t slot = 0; slot < kMaxRowsOfProduct; ++slot) worth |= Worth{kOffset} << (slot * kBits);
  return worth;
}

std::optional<std::size_t> row_for(const Classes& classes, std::size_t product, const ProfileName& profile) {
  for (std::size_t i = 0; i < classes.rows.size(); ++i) {
    const Row& row = classes.rows[i];
    if (row.profile == profile && (!row.product || *row.product == product)) return i;
  }
  return std::nullopt;
}

// Rows for what may be evicted and is not asked for: they go with the product unless the demand stands
// without.
void add_rows_for_running(const Problem& problem, Classes& classes) {
  bool by_product = !problem.demand.empty() && problem.demand.front().product.has_value();
  const auto add = [&](const Board& board, const ProfileName& profile) {
    if (row_for(classes, board.product, profile)) return;
    classes.rows.push_back({profile, by_product ? std::optional(board.product) : std::nullopt, 0, 0});
  };
  for (const Board& board : problem.boards) {
    const mig::Product& product = *problem.products[board.product];
    for (const Instance& instance : board.instances)
      if (instance.held) add(board, product.profiles[static_cast<std::size_t>(instance.placed.profile)].name);
    if (board.whole_held) add(board, ProfileName(std::string(kWhole)));
  }
}

Result<Universe> universe_of(const Classes& classes, const mig::Product& product, std::size_t number,
                             std::set<int> profiles) {
  Universe universe;
  universe.product = &product;
  for (std::size_t i = 0; i < product.profiles.size(); ++i)
    if (row_for(classes, number, product.profiles[i].name)) profiles.insert(static_cast<int>(i));
  for (int profile : profiles) {
    auto row = row_for(classes, number, product.profiles[static_cast<std::size_t>(profile)].name);
    int slot = -1;
    if (row) {
      slot = static_cast<int>(universe.rows.size());
      universe.rows.push_back(*row);
    }
    for (int start : product.profiles[static_cast<std::size_t>(profile)].starts) {
      if (row && universe.places.size() < kMaxPlaces)
        universe.wanted |= std::uint64_t{1} << universe.places.size();
      universe.places.push_back({profile, start});
      universe.slots.push_back(slot);
    }
  }
  if (const auto row = row_for(classes, number, ProfileName(std::string(kWhole)))) {
    // Where there is no bit for it, there are too many places.
    if (universe.places.size() < kMaxPlaces) universe.whole = std::uint64_t{1} << universe.places.size();
    universe.wanted |= universe.whole;
    universe.places.push_back(kUncut);
    universe.slots.push_back(static_cast<int>(universe.rows.size()));
    universe.rows.push_back(*row);
  }
  if (universe.places.size() > kMaxPlaces || universe.rows.size() > kMaxRowsOfProduct)
    return Error{"cannot plan for " + product.key.text,
                 fmt::format("{} profiles are asked for or in use at once: {} placements", profiles.size(),
                             universe.places.size()),
                 fmt::format("ask for at most {} profiles of a product at a time", kMaxRowsOfProduct)};
  return universe;
}

void add_layouts(Universe& universe, const std::set<int>& profiles) {
  std::map<mig::Placed, std::size_t> number;
  for (std::size_t i = 0; i < universe.places.size(); ++i) number[universe.places[i]] = i;
  std::vector<int> all(profiles.begin(), profiles.end());
  if (universe.whole != 0) universe.layouts.push_back(universe.whole);
  for (const mig::Placed& placed : universe.places)
    if (placed != kUncut && std::find(all.begin(), all.end(), placed.profile) == all.end())
      all.push_back(placed.profile);
  if (all.empty()) {
    universe.layouts.push_back(0);  // none asked for, none in use: an empty list would mean every profile
    return;
  }
  for (const mig::Layout& layout : mig::enumerate(*universe.product, mig::Which::all, all)) {
    std::uint64_t mask = 0;
    for (const mig::Placed& placed : layout) mask |= std::uint64_t{1} << number.at(placed);
    universe.layouts.push_back(mask);
  }
}

void describe_layouts(Universe& universe) {
  universe.with.resize(universe.places.size());
  for (std::size_t i = 0; i < universe.layouts.size(); ++i) {
    const std::uint64_t layout = universe.layouts[i];
    universe.worths.push_back(worth_between(universe, layout, 0));
    universe.sizes.push_back(std::popcount(layout & ~universe.whole));
    for (std::uint64_t left = layout; left != 0; left &= left - 1)
      universe.with[static_cast<std::size_t>(std::countr_zero(left))].push_back(i);
  }
}

// Five bits each, as of a Worth, and in the order in which choices are weighed: two costs compare like
// numbers, and in every respect at once with covers().
std::uint64_t cost_of(const Choice& choice) {
  return static_cast<std::uint64_t>(choice.evicted << 2 * kBits | choice.destroyed << kBits | choice.created);
}

// A choice as it is compared: tens of thousands are, and each look is two subtractions.
struct Weighed {
  Worth worth;
  std::uint64_t cost;
  // In every respect at least as good.
  bool beats(const Weighed& other) const {
    return ((((worth | kGuards) - other.worth) & ((other.cost | kGuards) - cost)) & kGuards) == kGuards;
  }
};

// By everything that they cost.
std::vector<Choice> unbeaten(std::vector<Choice> choices) {
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::tuple(cost_of(a), b.worth, a.layout) < std::tuple(cost_of(b), a.worth, b.layout);
  });
  std::vector<Weighed> weighed;
  // In this order none is beaten by a later one: that would cost no more, and be worth more.
  const auto beaten = [&](const Choice& choice) {
    const Weighed one{choice.worth, cost_of(choice)};
    if (std::any_of(weighed.begin(), weighed.end(), [&](const Weighed& kept) { return kept.beats(one); }))
      return true;
    weighed.push_back(one);
    return false;
  };
  std::erase_if(choices, beaten);
  return choices;
}

// By worth and what they evict: what else they cost is the cheapest of its kind. The choices are in the
// order of unbeaten().
std::vector<Choice> roughly_unbeaten(const std::vector<Choice>& choices) {
  std::vector<Choice> kept;
  std::vector<Weighed> weighed;
  for (const Choice& choice : choices) {
    const Weighed one{choice.worth, static_cast<std::uint64_t>(choice.evicted)};
    if (std::any_of(weighed.begin(), weighed.end(), [&](const Weighed& other) { return other.beats(one); }))
      continue;
    std::size_t left = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!one.beats(weighed[i])) kept[left] = kept[i], weighed[left++] = weighed[i];
    kept.resize(left), weighed.resize(left);
    kept.push_back(choice), weighed.push_back(one);
  }
  return kept;
}

// By worth a number that is 0 at first. Thousands of states are looked at one after the other: what the one
// before has left there is not cleared, but passed over.
class ByWorth {
 public:
  // No more of them than that between two clear().
  explicit ByWorth(std::size_t most) : slots_(std::bit_ceil(2 * most + 2)) {}
  void clear() { ++round_; }
  std::size_t& operator[](Worth worth) {
    const std::size_t last = slots_.size() - 1;
    std::size_t at = (worth * 0x9e3779b97f4a7c15u >> 32) & last;
    while (slots_[at].round == round_ && slots_[at].worth != worth) at = (at + 1) & last;
    if (slots_[at].round != round_) slots_[at] = {worth, 0, round_};
    return slots_[at].number;
  }

 private:
  struct Slot {
    Worth worth = 0;
    std::size_t number = 0;
    std::uint64_t round = 0;
  };
  std::vector<Slot> slots_;
  std::uint64_t round_ = 1;
};

// Of these places that which the fewest layouts have.
std::size_t rarest(const Universe& universe, std::uint64_t places) {
  auto best = static_cast<std::size_t>(std::countr_zero(places));
  for (; places != 0; places &= places - 1)
    if (const auto place = static_cast<std::size_t>(std::countr_zero(places));
        universe.with[place].size() < universe.with[best].size())
      best = place;
  return best;
}

// Layouts that the state could become and that are worth more than it is: by number.
void possible(const Universe& universe, const State& state, bool evict, std::vector<std::size_t>& numbers) {
  const Worth running = worth_running(universe, state.held);
  const std::uint64_t have = state.held | state.idle;
  const std::uint64_t stays = evict ? state.stays : state.held;
  // Whole it may be made only where nothing runs.
  const std::uint64_t never = ~universe.wanted | (state.may_be_whole && state.held == 0 ? 0 : universe.whole);
  std::size_t count = 0;
  const auto look_at = [&](std::size_t i) {
    const std::uint64_t layout = universe.layouts[i], created = layout & ~have;
    // One condition, for whose branch most layouts are guessed wrongly, and no branch: each is written.
    const bool fits = static_cast<int>((stays & ~layout) == 0) & static_cast<int>(created != 0) &
                      static_cast<int>((created & never) == 0) &
                      static_cast<int>(!covers(state.worth, universe.worths[i] - running));
    numbers[count] = i;
    count += fits ? 1 : 0;
  };
  numbers.resize(universe.layouts.size());
  if (stays == 0)
    for (std::size_t i = 0; i < universe.layouts.size(); ++i) look_at(i);
  else
    for (const std::size_t i : universe.with[rarest(universe, stays)]) look_at(i);
  numbers.resize(count);
}

// What choices_of() works with; kept from state to state.
struct Scratch {
  ByWorth last;
  std::vector<std::size_t> numbers;
  std::vector<std::size_t> before;  // by choice: one more than that of the same worth that came before it
};

// Everything that the state could become and that is worth more than it is.
std::vector<Choice> choices_of(const Universe& universe, const State& state, bool evict, Scratch& scratch) {
  std::vector<Choice> choices;
  if (state.fixed) return choices;
  possible(universe, state, evict, scratch.numbers);
  scratch.last.clear();
  scratch.before.clear();
  const Worth running = worth_running(universe, state.held);
  const std::uint64_t idle = state.idle & ~universe.whole;
  const int held = std::popcount(state.held), destroyable = std::popcount(idle);
  for (const std::size_t i : scratch.numbers) {
    const std::uint64_t layout = universe.layouts[i];
    const int stays = evict ? std::popcount(state.held & layout) : held;
    const int kept = idle == 0 ? 0 : std::popcount(idle & layout);
    const Choice choice{universe.worths[i] - running, held - stays, destroyable - kept,
                        universe.sizes[i] - stays - kept, layout};
    std::size_t& newest = scratch.last[choice.worth];
    std::size_t known = newest;
    const auto no_dearer = [&](const Choice& one) { return covers(cost_of(choice), cost_of(one)); };
    while (known > 0 && !no_dearer(choices[known - 1])) known = scratch.before[known - 1];
    if (known > 0) continue;
    scratch.before.push_back(newest);
    choices.push_back(choice);
    newest = choices.size();
  }
  return unbeaten(std::move(choices));
}

using ClassKey = std::vector<std::uint64_t>;
struct ClassHash {
  std::size_t operator()(const ClassKey& key) const {
    std::uint64_t all = 0;
    for (const std::uint64_t one : key) all = (std::rotl(all, 5) ^ one) * 0x9e3779b97f4a7c15u;
    return all;
  }
};

ClassKey key_of(const State& state, const std::vector<Choice>& choices, bool whole) {
  ClassKey key;
  key.reserve(2 + 2 * choices.size());
  key.insert(key.end(), {state.product, state.worth});
  for (const Choice& choice : choices) {
    key.push_back(choice.worth);
    auto costs = static_cast<std::uint64_t>(choice.evicted);
    if (whole) costs |= static_cast<std::uint64_t>(choice.destroyed << 8 | choice.created << 16);
    key.push_back(costs);
  }
  return key;
}

void group(Classes& classes, bool whole) {
  std::unordered_map<ClassKey, std::size_t, ClassHash> known;
  for (State& state : classes.states) {
    std::vector<Choice> choices = whole ? state.choices : roughly_unbeaten(state.choices);
    auto [at, fresh] = known.try_emplace(key_of(state, choices, whole), classes.classes.size());
    if (fresh) classes.classes.push_back({state.product, state.worth, 0, std::move(choices)});
    state.class_number = at->second;
    classes.classes[at->second].count += state.count;
  }
}

struct StateKey {
  std::size_t product;
  std::uint64_t held, idle, stays;
  bool may_be_whole, fixed;
  friend bool operator==(const StateKey&, const StateKey&) = default;
};
struct StateHash {
  std::size_t operator()(const StateKey& key) const {
    return std::hash<std::uint64_t>{}(key.held * 0x9e3779b97f4a7c15u ^ key.stays * 0xc2b2ae3d27d4eb4fu ^
                                      (key.idle * 0xff51afd7ed558ccdu + key.product * 4 +
                                       (key.may_be_whole ? 1 : 0) + (key.fixed ? 2 : 0)));
  }
};

void add_states(const Problem& problem, Classes& classes, bool evict) {
  // By product, the bit of an instance; kUncut is none.
  std::vector<std::array<std::array<std::uint64_t, mig::kMaxUnits + 1>, mig::kMaxProfiles>> bits(
      classes.universes.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (std::size_t place = 0; place < classes.universes[i].places.size(); ++place)
      if (const mig::Placed& at = classes.universes[i].places[place]; at != kUncut)
        bits[i][static_cast<std::size_t>(at.profile)][static_cast<std::size_t>(at.start)] = std::uint64_t{1}
                                                                                            << place;
  classes.state_of.reserve(problem.boards.size());
  std::unordered_map<StateKey, std::size_t, StateHash> known;
  for (const Board& board : problem.boards) {
    const std::uint64_t whole = classes.universes[board.product].whole;
    StateKey key{board.product,
                 board.whole_held ? whole : 0,
                 board.whole ? whole : 0,
                 0,
                 whole != 0 && board.may_be_whole,
                 board.whole_held && !evict};
    for (const Instance& instance : board.instances) {
      const std::uint64_t bit = bits[board.product]
                                    .at(static_cast<std::size_t>(instance.placed.profile))
                                    .at(static_cast<std::size_t>(instance.placed.start));
      (instance.held ? key.held : key.idle) |= bit;
      // Where nothing is evicted all that is held stays: no states are told apart by it.
      if (evict && instance.held && instance.stays) key.stays |= bit;
    }
    auto [at, fresh] = known.try_emplace(key, classes.states.size());
    if (fresh) {
      State state;
      state.product = key.product, state.held = key.held, state.idle = key.idle, state.stays = key.stays;
      state.may_be_whole = key.may_be_whole, state.fixed = key.fixed;
      state.worth = worth_between(classes.universes[key.product], key.idle, 0);
      classes.states.push_back(std::move(state));
    }
    ++classes.states[at->second].count;
    classes.state_of.push_back(at->second);
  }
}

// By product. Nearly every instance is of a profile that was seen before.
std::vector<std::set<int>> profiles_in_use(const Problem& problem) {
  std::vector<std::array<bool, mig::kMaxProfiles>> seen(problem.products.size());
  std::vector<std::set<int>> all(problem.products.size());
  for (const Board& board : problem.boards)
    for (const Instance& instance : board.instances) {
      bool& known = seen[board.product].at(static_cast<std::size_t>(instance.placed.profile));
      if (!known) all[board.product].insert(instance.placed.profile);
      known = true;
    }
  return all;
}

bool serves(const Problem& problem, const Spare& spare, const Row& row) {
  return spare.profile == row.profile && (!row.product || problem.products[*row.product] == spare.product);
}

void count_standing(const Problem& problem, Classes& classes) {
  for (const Spare& spare : problem.spare)
    for (Row& row : classes.rows)
      if (serves(problem, spare, row)) row.standing += spare.count;
  for (const State& state : classes.states) {
    const Universe& universe = classes.universes[state.product];
    for (std::size_t slot = 0; slot < universe.rows.size(); ++slot)
      classes.rows[universe.rows[slot]].standing += state.count * worth_at(state.worth, slot);
  }
}

}  // namespace

Worth worth_between(const Universe& universe, std::uint64_t gained, std::uint64_t lost) {
  Worth worth = nothing();
  auto each = [&](std::uint64_t mask, bool more) {
    for (; mask != 0; mask &= mask - 1) {
      int slot = universe.slots[static_cast<std::size_t>(std::countr_zero(mask))];
      if (slot < 0) continue;
      Worth one = Worth{1} << (slot * kBits);
      worth = more ? worth + one : worth - one;
    }
  };
  each(gained, true);
  each(lost, false);
  return worth;
}

Worth worth_running(const Universe& universe, std::uint64_t held) {
  return worth_between(universe, held, 0) - nothing();
}

int worth_at(Worth worth, std::size_t slot) {
  return static_cast<int>(worth >> (slot * kBits) & 15) - kOffset;
}

bool covers(Worth a, Worth b) { return (((a | kGuards) - b) & kGuards) == kGuards; }

Result<Classes> classify(const Problem& problem, bool evict, bool whole) {
  Classes classes;
  for (const Demand& demand : problem.demand)
    classes.rows.push_back({demand.profile, demand.product, demand.count, 0});
  if (evict) add_rows_for_running(problem, classes);
  const std::vector<std::set<int>> in_use = profiles_in_use(problem);
  std::size_t most = 0;  // layouts of a product
  for (std::size_t i = 0; i < problem.products.size(); ++i) {
    Result<Universe> universe = universe_of(classes, *problem.products[i], i, in_use[i]);
    if (!universe) return universe.error();
    add_layouts(*universe, in_use[i]);
    most = std::max(most, universe->layouts.size());
    describe_layouts(*universe);
    classes.universes.push_back(std::move(*universe));
  }
  add_states(problem, classes, evict);
  Scratch scratch{ByWorth(most), {}, {}};
  for (State& state : classes.states)
    state.choices = choices_of(classes.universes[state.product], state, evict, scratch);
  count_standing(problem, classes);
  group(classes, whole);
  return classes;
}

mig::Layout layout_of(const Universe& universe, std::uint64_t mask) {
  mig::Layout layout;
  for (mask &= ~universe.whole; mask != 0; mask &= mask - 1)
    layout.push_back(universe.places[static_cast<std::size_t>(std::countr_zero(mask))]);
  std::sort(layout.begin(), layout.end());
  return layout;
}

}  // namespace tessera::pack
