// News of runs: what the room that drives them tells whoever looks (engine/plan/run/runs.hpp).
//
// Values that travel in events beside those about clusters; reduce() keeps none of them, since a run is what
// its journal says. Texts are already clean.
// Threads: plain values.
#pragma once

#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera {

enum class RunState : std::uint8_t {
  running,      // a tessera drives it now, here or elsewhere
  parked,       // at rest in a stated safe place
  interrupted,  // its tessera is gone in the middle
  finished,
  marked,      // known by its mark on the cluster only: the journal is on another machine
  unreadable,  // the journal cannot be read; `why` says where
};

// One run in the list of runs.
struct RunHead {
  std::string run;  // id: "20261121-1403-n0031"
  RunState state = RunState::unreadable;
  bool here = false;  // driven by this process
  std::string who;
  std::string from;
  ClusterName cluster;
  std::string cluster_id;  // Cluster::id as the journal tells it; empty: not told
  std::vector<NodeName> nodes;
  std::string words;   // the intent, in a few words
  std::string undoes;  // the run that it takes back; else empty
  TimePoint started{};
  TimePoint last{};      // its newest line
  std::string progress;  // "1 done, 1 under way, 2 untouched"
  std::string why;       // parked, interrupted or unreadable: the reason
  std::string place;     // parked: what stands now
  bool waits = false;    // parked as planned alone: until nodes are empty, or their time has come
  std::string outcome;   // finished: "wanted" "recorded" "partial"
  std::string file;      // of its journal; empty when it is not here
  std::string unarmed;   // why a timer must not take it up; empty: this user left it as it is
  // What others have changed in its journal since this user left it, as lines of a diff.
  std::vector<std::string> changed;
  friend bool operator==(const RunHead&, const RunHead&) = default;
};

// All runs that can be seen, newest first.
struct RunsListed {
  std::vector<RunHead> runs;
};

// Lines of a run's journal, complete ones. from_start: all of it so far; else what was just written.
struct RunTold {
  std::string run;
  std::string lines;
  bool from_start = false;
};

// What was asked about a run cannot be done. run: empty when it was about none that exists.
struct RunRefused {
  std::string run;
  Error error;
};

// Nothing is driven by this process any more.
struct RunsAtRest {};

}  // namespace tessera
