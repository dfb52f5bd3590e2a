// How old what a recording shows is: an object is written when it changed, and its source tells it since then
// with every answer. Threads: a pure function of the model.
#pragma once

#include "engine/model/model.hpp"

namespace tessera::record {

// Nodes, GPUs, jobs and pods that come of the cluster's lists were seen when that list answered last.
void date_by_answers(Cluster& cluster);

}  // namespace tessera::record
