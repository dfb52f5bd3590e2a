// What the charts of a GPU, a slice and a workload are put together from.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/history/history.hpp"
#include "engine/query/tables.hpp"
#include "tui/screens/documents.hpp"
#include "tui/widgets/chart.hpp"

namespace tessera::tui {

inline constexpr int kUseLines = 5, kOtherLines = 2;  // of one chart alone

// What was measured of a slice, or of the GPU (slice null), in the hour until now.
history::Line line_of(const UiContext& ui, const query::GpuRow& row, const Slice* slice);

// "since 01:12, every 10 s, by DCGM exporter": of the earliest line, with each source that told one.
std::string axis_text(const FactPage& page, const std::vector<history::Line>& lines);

// From `from` on, or from the first sample where that is not given.
Chart chart_of(const history::Line& line, history::Figure figure, TimePoint now, TimePoint from = {});

// A chart of several lines with its name and the same in words above it; "n/a" where nothing was measured.
// whose: what it is of, where that is not what the page is about.
void add_chart(FactPage& page, std::string_view name, const Chart& chart, std::string_view unit, int lines,
               Role role, std::string_view whose = {});

// What was measured of each GPU instance of a GPU, and the same as one line each below one time axis.
std::vector<history::Line> lines_of_slices(const UiContext& ui, const query::GpuRow& row);
void add_slices(FactPage& page, const UiContext& ui, const query::GpuRow& row, TimePoint now);

void add_idle(FactPage& page, const query::Value& idle);

// "not measured  01:30-01:42": when nothing of the line was; empty name: of all there is.
struct NamedLine {
  std::string name;
  history::Line line;
};
void add_gaps(FactPage& page, const std::vector<NamedLine>& lines, TimePoint now);

}  // namespace tessera::tui
