// Runs that have not ended, are at rest, and that nothing takes up by itself: what is said of them.
// Threads: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/run_news.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::fleet {

struct LeftBehind {
  RunHead head;
  std::vector<NodeName> closed;  // nodes that it has closed, and that are closed now
  std::string why{};             // why its fleet file does not let it go on; empty: that is not the reason
};
// Those of the clusters that are parked or were interrupted and that count, whatever stands on their nodes by
// now and whichever runs came after them there. counts: it is of the file, and waits for a person.
std::vector<LeftBehind> left_runs(const std::vector<RunHead>& runs,
                                  const std::vector<const Cluster*>& clusters,
                                  const std::function<bool(const RunHead&)>& counts);

// Of one that is parked: no timer goes on with it as it stands, by its journal. What its fleet file says by
// now is not looked at. run: null: its journal cannot be read. now: by the clock of its cluster.
bool waits_for_a_person(const RunHead& head, const plan::Run* run, TimePoint now);

// What it holds, why it is left, and the ways out.
std::string left_sentence(const LeftBehind& left);

}  // namespace tessera::fleet
