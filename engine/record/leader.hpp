// Which of several recordings is gone through by rounds and events, while the others go to its moment.
// Threads: a pure function.
#pragma once

#include <vector>

#include "engine/model/model.hpp"

namespace tessera::record {

// The first of `names` that has a round at the moment shown and more of them that way (direction: negative is
// back in time); else the one whose rounds begin next that way; else one that is recorded; else the first.
// names: not empty. wall: the wall clock's time.
ClusterName leader(const Model& model, const std::vector<ClusterName>& names, int direction, TimePoint wall);

}  // namespace tessera::record
