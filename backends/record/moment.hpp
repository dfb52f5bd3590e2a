// A moment of a recording as the events that a live backend would have told.
// Threads: of the backend that tells it.
#pragma once

#include <map>
#include <set>

#include "engine/model/model.hpp"
#include "engine/port.hpp"

namespace tessera::record {

// Tells one moment after the other, earlier or later ones: what the moment before told and the next one does
// not is taken away.
class Moments {
 public:
  // All but the clock, and that it is all (Loaded). at: the round that is told.
  void tell(EventSink& sink, const ClusterName& name, const Cluster& then, TimePoint at);

 private:
  std::set<Source> remarked_;
  std::map<NodeName, std::set<Source>> measured_;
};

}  // namespace tessera::record
