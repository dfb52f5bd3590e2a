// What is wrong and what to do about it: the overview's list, worked out from the model.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/insight/totals.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::insight {

// What a plan of tessera can do about it.
enum class WayOut : std::uint8_t {
  none,
  open,     // the node: resume, uncordon
  layout,   // another layout, or the same again
  restart,  // of the pod of the node's device plugin
};

struct Finding {
  Severity severity = Severity::warning;
  ClusterName cluster;
  std::string subject;          // node, source or daemon; empty: the cluster
  bool is_node = false;         // subject names a node that can be opened
  std::optional<GpuIndex> gpu;  // the GPU of that node; nullopt: the node as a whole
  std::string text;             // what is wrong, one line
  std::string hint;             // what to do
  // For the list by cause (causes.hpp).
  std::string cause;                 // the same of all that have it: without a place, an age or a count
  std::string follows;               // what that means for work; empty: nothing to add
  Source source = Source::none;      // who says so
  std::optional<TimePoint> since{};  // by the cluster's clock; nullopt: not told
  std::optional<TimePoint> seen{};  // where that is so: it has been so since then at least; nullopt: not told
  std::vector<std::string> commands{};
  WayOut way_out = WayOut::none;
  // What it is known by where its text tells of what comes and goes, as who is in the way; empty: by its
  // text.
  std::string key{};
};

// Most severe first, then by subject. wall is the wall clock, for ages.
std::vector<Finding> attention(const Cluster& cluster, const mig::Catalogue& catalogue, TimePoint wall);

}  // namespace tessera::insight
