// Which places serve whom now, ever, and once they are changed; and when the first in line of a partition
// gets its room, so that those behind it do not delay it. Kept as places change, since the scheduler looks
// hundreds of times at thousands of places. Private to this room. Threads: a value; one owner.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "engine/whatif/stage.hpp"

namespace tessera::whatif {

enum class Happens : std::uint8_t { release, change, reservation_ends };
// Who of `running`, what of the plan, which reservation.
using Due = std::set<std::tuple<TimePoint, Happens, std::size_t>>;

// What a place has free at some time.
struct Left {
  Units units;
  why::Machine machine;
};

// The first in line of a partition for which there is no room yet: whoever comes after it may not delay it.
struct Guard {
  std::size_t room = 0;
  TimePoint at{};                      // when it starts, by the time limits of what runs
  std::map<std::size_t, Left> places;  // where, and what is free there then
};

class Table {
 public:
  // Both must outlive it. end: nothing behind it is played.
  Table(const Stage& stage, const Board& board, TimePoint end);

  const Places& able(std::size_t asked) const { return able_[asked]; }        // now, were they open
  const Places& capable(std::size_t asked) const { return capable_[asked]; }  // by all that they offer
  // Whether of these as many as that room needs are open to it, and large enough with no work on them.
  bool could_serve(const Places& of, const Room& room) const;

  // The board has been changed: something is given back, or begun, or a place is another one.
  void released(const Held& held, std::optional<TimePoint> ends);
  void started(const Held& held, std::optional<TimePoint> ends);
  void changed(std::size_t place);

  // Its start by the time limits of what runs, if nothing else began. nullptr: there is room, or it does not
  // start until the end. left: the places that reservations leave to it now; nullptr: all that it may use.
  const Guard* guard(std::size_t room, const Due& due, const Places* left);

 private:
  // Whether so many as the room needs of these are in `allowed`, open, and as `is` says.
  template <class Is>
  bool are_enough(const Places& of, const Places& allowed, const Room& room, const Is& is) const {
    int found = 0;
    Places::each(of, allowed, board_.open, [&](std::size_t place) {
      found += is(board_.places[place]) ? 1 : 0;
      return found < room.nodes;
    });
    return found >= room.nodes;
  }
  void look_at(std::size_t place);
  Guard walk(std::size_t room, const Due& due, const Places& allowed) const;
  bool is_within(std::optional<TimePoint> ends) const { return ends && *ends <= end_; }

  const Stage& stage_;
  const Board& board_;
  TimePoint end_;
  std::vector<Units> pending_;  // by place: what is given back until the end
  std::vector<Places> able_, capable_, ever_;
  std::map<std::size_t, std::optional<Guard>> known_;  // by room, as long as no place of it changes
};

}  // namespace tessera::whatif
