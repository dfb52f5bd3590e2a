// What was measured of some nodes, gathered from the text of a recording: nodes and figures alone are read,
// and no model is built.
// Threads: a value of one thread.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "backends/record/reader.hpp"
#include "engine/history/keeps_figures.hpp"

namespace tessera::record {

class Measurements {
 public:
  Measurements(const std::vector<NodeName>& nodes, TimePoint from, TimePoint to);

  // One frame. Frames come oldest first. Ends early when `goes_on`, asked in each round, says no.
  Status read(std::string_view text, const std::function<bool()>& goes_on);
  std::vector<history::KeptFigures> all() && { return std::move(all_); }

 private:
  void gather(Reader& reader, TimePoint round);

  std::vector<history::KeptFigures> all_;  // of each node
  TimePoint from_, to_;
};

}  // namespace tessera::record
