// The text format of Prometheus (exposition formats, version 0.0.4), line by line, for whoever wants a few
// metrics out of many.
//
// Written for texts of strangers: a line that is too long or makes no sense is passed by and counted, label
// values are clean, and a value may be anything that a double can be, NaN included.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::figures {

struct MetricLine {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> labels;
  double value = 0;

  // The value of a label; empty: it is not there.
  std::string_view label(std::string_view key) const;
};

struct MetricsRead {
  std::size_t told = 0;     // lines that were wanted and handed on
  std::size_t skipped = 0;  // ... and that could not be read
  std::string problem;      // of the first of those, with its line: "line 12: the labels do not end"
};

// A value alone: "0.5", "NaN", "+Inf". nullopt: it is no number.
std::optional<double> read_metric_value(std::string_view text);

// wanted: by the name alone, so that nothing else costs time. The line's texts live as long as the call.
MetricsRead read_metrics(std::string_view text, const std::function<bool(std::string_view name)>& wanted,
                         const std::function<void(const MetricLine&)>& told);

}  // namespace tessera::figures
