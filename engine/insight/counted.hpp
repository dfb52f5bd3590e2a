// A cluster's sums where another cluster counts some of its machines, too: how much of each node counts here.
// Threads: pure functions of values.
#pragma once

#include <functional>

#include "engine/insight/totals.hpp"

namespace tessera::insight {

struct Counted {
  bool gpus = true;    // with their use
  bool slices = true;  // how they are held, and what is free
  int lent = 0;        // slices, all of them held, that the other cluster hands out and counts
};
struct Counting {
  std::function<Counted(const Node&)> node;
  std::function<bool(const Workload&)> workload;  // false: another cluster counts it
};
Totals totals(const Cluster& cluster, const Counting& counting);

}  // namespace tessera::insight
