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

bool Table::could_serve(const Places& of, const Room& room) const {
  return are_enough(of, room.allowed, room,
                    [&](const Place& one) { return one.machine.is_large_enough(room.machine); });
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

const Guard* Table::guard(std::size_t number, const Due& due, const Places* left) {
  if (left != nullptr) known_.erase(number);  // which these are, the time and its limit decide
  const auto [at, fresh] = known_.try_emplace(number);
  if (fresh) {
    const Room& room = stage_.rooms[number];
    const Places& allowed = left != nullptr ? *left : room.allowed;
    // Where there is room, those before it come first.
    const bool has_room = are_enough(able_[room.asked], allowed, room,
                                     [&](const Place& one) { return one.machine.has(room.machine); });
    const auto is_large = [&](const Place& one) { return one.machine.is_large_enough(room.machine); };
    if (!has_room && are_enough(ever_[room.asked], allowed, room, is_large)) {
      Guard made = walk(number, due, allowed);
      if (static_cast<int>(made.places.size()) == room.nodes) at->second = std::move(made);
    }
  }
  return at->second ? &*at->second : nullptr;
}

// Gives back in the order of time, until there is enough of it.
Guard Table::walk(std::size_t number, const Due& due, const Places& allowed) const {
  const Room& room = stage_.rooms[number];
  const Asked& asked = board_.asked[room.asked];
  Guard made{number, {}, {}};
  Places::each(able_[room.asked], allowed, board_.open, [&](std::size_t place) {
    const Place& now = board_.places[place];
    if (now.machine.has(room.machine)) made.places.emplace(place, Left{now.units, now.machine});
    return true;
  });
  std::map<std::size_t, Left> later;
  const auto is_enough = [&] { return static_cast<int>(made.places.size()) == room.nodes; };
  for (const auto& [at, what, index] : due) {
    if (at > end_) break;
    if (what != Happens::release || board_.running[index].gone) continue;
    for (const Held& held : board_.running[index].held) {
      const std::size_t place = held.place;
      if (!ever_[room.asked].has(place) || !allowed.has(place) || !board_.open.has(place)) continue;
      const auto [left, fresh] = later.try_emplace(place);
      if (fresh) left->second = {board_.places[place].units, board_.places[place].machine};
      sum_up(left->second.units, held.units, 1);
      give_back(left->second.machine, held);
      if (auto known = made.places.find(place); known != made.places.end())
        known->second = left->second;
      else if (!is_enough() && serves(left->second.units, asked) && left->second.machine.has(room.machine))
        made.places.emplace(place, left->second);
    }
    made.at = at;
    if (is_enough()) return made;
  }
  return made;
}

}  // namespace tessera::whatif
