// Who measures what is shown of a node: of the recorder, which writes figures by their source, and of those
// that read a recording and take figures away again. Threads: a pure function.
#pragma once

#include <set>

#include "engine/model/tells_any.hpp"
#include "engine/model/values.hpp"

namespace tessera::record {

// The sources whose figures the node shows. One whose figures are all n/a measures nothing.
inline std::set<Source> measured_by(const Node& node) {
  std::set<Source> sources;
  for (const Gpu& gpu : node.gpus) {
    if (tells_any(gpu.telemetry)) sources.insert(gpu.telemetry.origin.source);
    for (const Slice& slice : gpu.slices)
      if (tells_any(slice)) sources.insert(slice.measured.source);
  }
  sources.erase(Source::none);
  return sources;
}

// The same with those that tell what sharers of a GPU use by themselves, or which processes have it open.
inline std::set<Source> told_by(const Node& node) {
  std::set<Source> sources = measured_by(node);
  for (const Gpu& gpu : node.gpus) {
    if (gpu.own) sources.insert(gpu.own->origin.source);
    if (gpu.processes) sources.insert(gpu.processes->origin.source);
  }
  sources.erase(Source::none);
  return sources;
}

}  // namespace tessera::record
