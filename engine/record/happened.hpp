// What happened between two rounds of a recording: jobs and pods that ended, layouts that changed, findings
// that appeared, runs that went on. Threads: pure functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/record/recording.hpp"

namespace tessera::record {

// As much of a round as is compared.
struct Moment {
  std::map<WorkloadId, std::string> running;               // and how they are called: "job 4711"
  std::map<NodeName, std::map<int, std::string>> layouts;  // by GPU
  std::map<NodeName, std::string> pools;                   // of slices of which no one tells the GPU
  std::set<std::string> findings;
  std::vector<std::string> runs;  // what they told in that round
};

// only: what is on that node, or about it; empty: everything.
Moment moment_of(const Round& round, const NodeName& only);

// In words, layouts first. What is new or gone as a whole (a node, a GPU) is no change of a layout.
std::vector<std::string> happened(const Moment& before, const Moment& after);

}  // namespace tessera::record
