// Findings by what is behind them: twenty nodes drained for one reason are one line.
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/insight/attention.hpp"

namespace tessera::insight {

inline constexpr std::size_t kMostCommands = 100;

struct Cause {
  std::string id;  // stays the same while counts and ages move on
  Severity severity = Severity::warning;
  ClusterName cluster;
  std::string text;                // what is wrong
  std::vector<std::string> whose;  // nodes, sources, daemons: each once, in their order
  bool nodes = false;              // they are nodes
  std::vector<Source> sources;     // who says so; each once
  std::optional<TimePoint> since;  // the earliest that is told
  std::optional<TimePoint> seen;   // the earliest since which one of the others has been so at least
  std::string follows;
  bool follows_differ = false;        // from one to the next: that of the first is told, as that
  std::string hint;                   // of the first of them
  std::vector<std::string> commands;  // of all of them, at most kMostCommands
  WayOut way_out = WayOut::none;      // of each of them
  std::optional<GpuIndex> gpu;        // where it is about a single GPU
};

// The Cause::id of the cause that a finding belongs to.
std::string cause_id(const Finding& finding);

// Most severe first, then those that concern most.
std::vector<Cause> causes_of(std::span<const Finding> findings);

}  // namespace tessera::insight
