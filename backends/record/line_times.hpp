// When lines were written that stand one behind the other. Those of a round tell the same time in the same
// letters, and a frame has thousands of them.
// Threads: a value of one thread.
#pragma once

#include <optional>
#include <string_view>

#include "backends/record/reader.hpp"
#include "engine/model/units.hpp"

namespace tessera::record {

class LineTimes {
 public:
  // nullopt: the line does not tell it. The line is looked at again with the next one.
  std::optional<TimePoint> of(std::string_view line) {
    if (at_ && line.starts_with(told_)) return at_;
    at_ = Reader::time_of(line);
    told_ = at_ ? line.substr(0, line.find('"', kBefore) + 1) : std::string_view();
    return at_;
  }

 private:
  static constexpr std::size_t kBefore = std::string_view(R"({"at":")").size();
  std::string_view told_;  // with the sign that ends it
  std::optional<TimePoint> at_;
};

}  // namespace tessera::record
