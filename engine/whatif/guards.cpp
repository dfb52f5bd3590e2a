#include "engine/whatif/guards.hpp"

#include <utility>

namespace tessera::whatif {
namespace {

void sum_up(Units& units, const Units& more, int sign) {
  for (std::size_t i = 0; i < more.size(); ++i) units[i] += sign * more[i];
}

}  // namespace

Table::Table(const Stage& stage, const Board& board, TimePoint end)
    : stage_(stage),
      board_(board),
      end_(end),
      pending_(board.places.size(), Units(board.names.all().size())),
      able_(board.asked.size(), Places(board.places.size())),
      capable_(able_),
      ever_(able_) {
  for (const Running& run : board.running)
    if (!run.gone && is_within(run.ends))
      for (const Held& held : run.held) sum_up(pending_[held.place], held.units, 1);
  for (std::size_t place = 0; place < board.places.size(); ++place) changed(place);
}

int Table::count(const Places& of, const Room& room, int most) const {
  int found = 0;
  Places::each(of, room.allowed, board_.open, [&](std::size_t) { return ++found < most; });
  return found;
}

void Table::released(const Held& held, std::optional<TimePoint> ends) {
  if (is_within(ends)) sum_up(pending_[held.place], held.units, -1);
  look_at(held.place);
}

void Table::started(const Held& held, std::optional<TimePoint> ends) {
  if (is_within(ends)) sum_up(pending_[held.place], held.units, 1);
  look_at(held.place);
}

void Table::changed(std::size_t place) {
  for (std::size_t i = 0; i < board_.asked.size(); ++i)
    capable_[i].set(place, serves(board_.places[place].all, board_.asked[i]));
  look_at(place);
}

void Table::look_at(std::size_t place) {
  const Units& now = board_.places[place].units;
  Units later = now;
  sum_up(later, pending_[place], 1);
  std::vector<bool> matters(board_.asked.size());
  for (std::size_t i = 0; i < board_.asked.size(); ++i) {
    const bool able = serves(now, board_.asked[i]), ever = able || serves(later, board_.asked[i]);
    matters[i] = ever || ever_[i].has(place);
    able_[i].set(place, able), ever_[i].set(place, ever);
  }
  std::erase_if(known_, [&](const auto& one) {
    const Room& room = stage_.rooms[one.first];
    return matters[room.asked] && room.allowed.has(place);
  });
}

const Guard* Table::guard(std::size_t number, const Due& due) {
  const auto [at, fresh] = known_.try_emplace(number);
  if (fresh) {
    const Room& room = stage_.rooms[number];
    // Where there is room, those before it come first.
    const bool has_room = count(able_[room.asked], room, room.nodes) == room.nodes;
    if (!has_room && count(ever_[room.asked], room, room.nodes) == room.nodes) {
      Guard made = walk(number, due);
      if (static_cast<int>(made.places.size()) == room.nodes) at->second = std::move(made);
    }
  }
  return at->second ? &*at->second : nullptr;
}

// Gives back in the order of time, until there is enough of it.
Guard Table::walk(std::size_t number, const Due& due) const {
  const Room& room = stage_.rooms[number];
  const Asked& asked = board_.asked[room.asked];
  Guard made{number, {}, {}};
  Places::each(able_[room.asked], room.allowed, board_.open, [&](std::size_t place) {
    made.places.emplace(place, board_.places[place].units);
    return true;
  });
  std::map<std::size_t, Units> later;
  const auto is_enough = [&] { return static_cast<int>(made.places.size()) == room.nodes; };
  for (const auto& [at, what, index] : due) {
    if (at > end_) break;
    if (what != Happens::release || board_.running[index].gone) continue;
    for (const Held& held : board_.running[index].held) {
      const std::size_t place = held.place;
      if (!ever_[room.asked].has(place) || !room.allowed.has(place) || !board_.open.has(place)) continue;
      Units& units = later.try_emplace(place, board_.places[place].units).first->second;
      sum_up(units, held.units, 1);
      if (auto known = made.places.find(place); known != made.places.end())
        known->second = units;
      else if (!is_enough() && serves(units, asked))
        made.places.emplace(place, units);
    }
    made.at = at;
    if (is_enough()) return made;
  }
  return made;
}

}  // namespace tessera::whatif
