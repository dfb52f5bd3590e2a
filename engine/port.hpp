// What a backend offers and what it is given: the seam between the worlds and everything else.
//
// Arrows: backends implement Backend and post to an EventSink; the console and the command line hold
// Backends and read an EventSource. Only tui/main.cpp knows the concrete types.
// Threads: EventSink::post may be called from any thread. EventSource and Backend are for the one
// thread that owns the model; Backend's methods return at once, the work happens on its own thread.
#pragma once

#include <memory>
#include <vector>

#include "engine/model/event.hpp"

namespace tessera {

namespace plan {
class Actuator;
}
namespace history {
class KeepsFigures;
class AsksNodes;
}  // namespace history
namespace record {
class Player;
}
class LooksInto;

class EventSink {
 public:
  virtual ~EventSink() = default;
  // Never blocks for long and never throws; may coalesce an event with an older one about the same object.
  virtual void post(Event event) = 0;
  // How many events about single objects were dropped since the start because nothing read them. Whoever
  // posts such events posts its lists again when this has grown.
  virtual std::size_t dropped() const { return 0; }
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  // Readable (poll for POLLIN) while events wait.
  virtual int wake_fd() const = 0;
  // Everything that waits, oldest first; empty when there is nothing. Clears wake_fd.
  virtual std::vector<Event> take() = 0;
};

// Whether a user is looking: sets the polling interval.
enum class Pace { focused, idle };

class Backend {
 public:
  virtual ~Backend() = default;  // stops and joins its thread
  virtual ClusterName name() const = 0;
  virtual void start(EventSink& sink) = 0;
  virtual void set_pace(Pace pace) = 0;
  // Asks for a fresh look now; does nothing when one is under way.
  virtual void refresh() = 0;

  // What only some backends offer; nullptr: not this one. Each lives as long as the backend.
  // The way to change this cluster (engine/plan/run/actuator.hpp); without it, it can only be looked at.
  virtual plan::Actuator* actuator() { return nullptr; }
  // More of one job or pod than the lists hold (engine/looks_into.hpp).
  virtual LooksInto* looks_into() { return nullptr; }
  // What its source measured before we asked (engine/history/keeps_figures.hpp).
  virtual history::KeepsFigures* keeps_figures() { return nullptr; }
  // It asks nodes one by one (engine/history/keeps_figures.hpp).
  virtual history::AsksNodes* asks_nodes() { return nullptr; }
  // It shows a recording (engine/record/player.hpp).
  virtual record::Player* player() { return nullptr; }
};

using BackendPtr = std::unique_ptr<Backend>;

}  // namespace tessera
