// One line in the list of runs, from what a journal says and from marks on clusters.
// Threads: pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/model/run_news.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::runs {

// driven: a process holds its lock. file, here: for the caller to fill in.
RunHead head_of(const plan::Run& run, TimePoint started, TimePoint last, bool driven);
RunHead head_of(const plan::Journal& journal, bool driven);
// run: the file's name without its ending, whatever that holds.
RunHead unreadable(const std::string& run, const Error& error);

// Runs that are known by their marks only, one head each.
struct Marked {
  ClusterName cluster;
  std::vector<plan::MarkedNode> nodes;
};
std::vector<RunHead> heads_of(const Marked& marked, const std::set<std::string>& known);

// Newest first.
void sort_heads(std::vector<RunHead>& heads);

}  // namespace tessera::runs
