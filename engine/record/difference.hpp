// Two moments of a cluster compared: what nodes are, how their GPUs are cut, and who holds what.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::record {

struct Change {
  std::string subject;  // "h100-03", "h100-03 GPU 2", a job or pod
  std::string what;     // "health" "layout" "holders" "node" "workload" "driver"
  std::string before;   // empty: it was not there
  std::string after;    // empty: it is gone
  friend bool operator==(const Change&, const Change&) = default;
};

// How the GPU is shared and cut, so that two of them can be compared and read.
std::string layout_of(const Gpu& gpu);

// Of slices of which the scheduler does not tell the GPU, as Slurm has MIG types: how many of each kind.
// Empty: there is none.
std::string pool_of(const Node& node);

// By subject, nodes first.
std::vector<Change> differences(const Cluster& before, const Cluster& after);

}  // namespace tessera::record
