// A moment of a recording as the events that a live backend would have told.
// Threads: of the backend that tells it.
#pragma once

#include "engine/model/model.hpp"
#include "engine/port.hpp"

namespace tessera::record {

// All but the clock. at: the round that is told.
void tell_moment(EventSink& sink, const ClusterName& name, const Cluster& then, TimePoint at);

}  // namespace tessera::record
