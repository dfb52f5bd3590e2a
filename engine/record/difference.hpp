// Two moments of a cluster compared: what nodes are, how their GPUs are cut, who holds what, and what needed
// attention.
// Threads: pure functions.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/insight/attention.hpp"
#include "engine/model/model.hpp"

namespace tessera::record {

struct Change {
  std::string subject;  // "h100-03", "h100-03 GPU 2", a job or pod, a source, the cluster
  std::string what;     // "health" "layout" "holders" "node" "workload" "driver" "finding"
  // Of a finding with another severity both begin with it ("warning: …"); kNotKnown: see below.
  std::string before;  // empty: it was not there
  std::string after;   // empty: it is gone
  friend bool operator==(const Change&, const Change&) = default;
};

// How the GPU is shared and cut, so that two of them can be compared and read.
std::string layout_of(const Gpu& gpu);

// Of slices of which the scheduler does not tell the GPU, as Slurm has MIG types: how many of each kind.
// Empty: there is none.
std::string pool_of(const Node& node);

// By subject, nodes first.
std::vector<Change> differences(const Cluster& before, const Cluster& after);

// What a finding is at a moment at which its source did not answer: neither there nor gone.
inline constexpr std::string_view kNotKnown = "not known";

// What needed attention at one of the two moments alone, or with another severity, by subject. The same with
// another count or age is no change; where a number names what it is about ("port 2"), or tells several
// apart, it is. failing_…: the sources that did not answer at that moment.
std::vector<Change> finding_differences(std::span<const insight::Finding> before,
                                        std::span<const insight::Finding> after,
                                        const std::set<Source>& failing_before = {},
                                        const std::set<Source>& failing_after = {});

}  // namespace tessera::record
