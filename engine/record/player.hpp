// Moving about in the past that is looked at: Backend::player() gives it (engine/port.hpp).
// Threads: the one that owns the model; the methods return at once, and the cluster then tells the other
// moment by events, as a live one does.
#pragma once

#include "engine/model/units.hpp"

namespace tessera::record {

class Player {
 public:
  virtual ~Player() = default;
  virtual void jump(TimePoint to) = 0;
  // To the next recorded round, or the one before (negative).
  virtual void step(int rounds) = 0;
  // To the next round in which something happened (happened.hpp), or the one before (negative); on that node,
  // or anywhere where it is empty.
  virtual void seek(int direction, const NodeName& node) = 0;
  // Seconds of the past in a second from now on; 0 stops.
  virtual void play(double speed) = 0;
};

}  // namespace tessera::record
