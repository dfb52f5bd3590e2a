// A moment of a recording on the screens of a session.
#pragma once

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {

// The moment that is so many minutes old stands on the screen.
inline void show_past(Session& session, int minutes) {
  if (!session.state.past) tui::update(session.state, session.world(), tui::OtherWorld{true});
  session.tell(on("hpc", ClockSet{session.wall, 0}, -60 * minutes));
  session.tell(on("hpc", Recorded{at(-7200), at(0), ""}, -60 * minutes));
}

}  // namespace tessera::test
