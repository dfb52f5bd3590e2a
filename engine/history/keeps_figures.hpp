// What a backend offers besides, whose sources keep what they measured (the past of a node, for its charts),
// or that asks nodes one by one.
//
// Backend::keeps_figures() and Backend::asks_nodes() give it (engine/port.hpp), where the backend has it.
// Threads: for the one thread that owns the model; both return at once. The backend posts an event when an
// answer is here, so that its reader wakes and takes it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/history/key.hpp"
#include "engine/model/telemetry.hpp"

namespace tessera::history {

struct KeptFigures {
  NodeName node;
  std::vector<Measured> rounds;  // oldest first; none: nothing is known
};

// Of a cluster, at one time.
struct Sums {
  TimePoint at{};
  std::optional<float> held;  // percent of its slices
  std::optional<float>
      used;  // of the GPUs on which work runs, their mean use in percent; nullopt: not measured
};

// The same over a time, of what exporters told and kept: whoever has a GPU stands in its series, and a
// scheduler may count otherwise.
struct SumsBefore {
  int slices = 0;          // GPUs and instances at the newest time
  std::vector<Sums> sums;  // oldest first
};

// Since when lines of a node show no use.
struct ToldIdle {
  NodeName node;
  TimePoint at{};                                // so it was up to the sample of then
  std::vector<std::pair<Key, TimePoint>> since;  // of those that are idle
};

class KeepsFigures {
 public:
  virtual ~KeepsFigures() = default;
  virtual void look_back(const NodeName& node, TimePoint since) = 0;
  // The answers that are here and were not taken yet.
  virtual std::vector<KeptFigures> take_kept() = 0;
  // The same for the sums of the cluster, of sources that know all of it.
  virtual void look_back_at_sums(TimePoint) {}
  virtual std::vector<Sums> take_sums() { return {}; }
  // What look_back_at_sums() brought of sources that know what exporters told alone.
  virtual std::vector<SumsBefore> take_sums_before() { return {}; }
  // Of a recording: all that it tells of the moment that is shown, which no one has to ask for. nullopt:
  // nothing new.
  virtual std::optional<std::vector<ToldIdle>> take_idle() { return std::nullopt; }
};

// What a backend offers besides, that asks nodes one by one: those on screen more often than the others.
class AsksNodes {
 public:
  virtual ~AsksNodes() = default;
  virtual void set_viewed(const std::vector<NodeName>& nodes) = 0;
  // A user looks at a GPU of that node: which processes have its GPUs open is asked there, where that can be
  // asked, and not again within moments.
  virtual void look_at_processes(const NodeName&) {}
};

}  // namespace tessera::history
