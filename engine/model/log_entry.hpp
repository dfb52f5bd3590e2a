// What happened, one entry each: to a node, a GPU's slices, a job or pod, a source of figures.
//
// Made by reduce from what a cluster was and what it is (tell.hpp), kept in the model, folded for people by
// engine/insight/folded.hpp.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/units.hpp"

namespace tessera {

enum class Severity : std::uint8_t { info, good, warning, danger };

enum class Happened : std::uint8_t {
  source,   // a source, daemon or the cluster itself
  node,     // health, closed or opened, appeared or gone
  layout,   // slices made or destroyed, another way of sharing
  started,  // a job or pod got its GPUs
  ended,    // it no longer has them
  failed,   // the scheduler reports why: TIMEOUT, NODE_FAIL
  moved,    // suspended, resumed, requeued, left the queue
  run,      // a change made with tessera
  console,  // what the console itself had to say
};
std::string_view word(Happened kind);  // as the filter of the events takes it

struct LogEntry {
  TimePoint at{};
  ClusterName cluster;
  Severity severity = Severity::info;
  std::string subject;  // node, job, source; may be empty
  std::string text;
  Happened kind = Happened::source;
  std::vector<NodeName> nodes = {};  // where, at most kMostNodes
  WorkloadId work = {};
  // What several can be told as one by: "started", "ok → drained"; empty: it stands alone.
  std::string what = {};
  std::string user = {};
  std::string pool = {};     // what the GPUs there are called
  std::uint64_t number = 0;  // counts up with each entry
  int count = 1;             // so many of the kind in one entry: a fleet that came back at once

  static constexpr std::size_t kMostNodes = 64;
};

}  // namespace tessera
