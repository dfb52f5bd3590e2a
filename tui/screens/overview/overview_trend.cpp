#include "tui/screens/overview/overview_trend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/history/history.hpp"
#include "engine/history/spark.hpp"
#include "engine/history/sums.hpp"
#include "engine/query/local_time.hpp"
#include "engine/query/value.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/widgets/chart.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kSpan{3'600'000}, kLeast{60'000};
constexpr int kWords = 70;      // cells of a line that are no picture
constexpr int kKeptWords = 83;  // of one that names a source, too
constexpr int kFewestCells = 12, kFewestKept = 8, kMostCells = 48;

struct Axis {
  TimePoint from{}, to{};
  int room = 0;  // cells
  int cells =
      0;  // of these that are drawn: no more than there are samples for, or gaps would be seen for them
};
// What a source kept has fewer samples than what was seen: the widest step counts.
std::optional<Duration> step_of(const std::vector<history::Sample>& samples,
                                const std::optional<TimePoint>& kept) {
  const auto every = history::summary_of(samples, history::Figure::held).every;
  if (!kept) return every;
  std::vector<history::Sample> before = samples;
  std::erase_if(before, [&](const history::Sample& one) { return one.at > *kept; });
  return std::max(every, history::summary_of(before, history::Figure::held).every);
}

Axis axis_of(const std::vector<history::Sample>& samples, const std::optional<TimePoint>& kept, TimePoint now,
             int room, bool ascii) {
  Axis axis{std::min(samples.front().at, now - kLeast), now, room, room};
  const auto every = step_of(samples, kept);
  const Duration a_cell = every.value_or(kSpan) * (ascii ? 1 : 2);
  // A tenth less: samples do not come on the second.
  if (a_cell > Duration{0})
    axis.cells = std::clamp(static_cast<int>((axis.to - axis.from) * 9 / (a_cell * 10)), 1, room);
  return axis;
}

// "held ⣀⣤⣶ 62% (55-71)": the same in words, since shapes and colours may not be seen.
void put_figure(Pen& pen, std::string_view name, const std::vector<history::Sample>& samples,
                history::Figure figure, const Axis& axis, Role role, const UiState& state) {
  const history::Summary summary = history::summary_of(samples, figure);
  pen.put(name, Role::dim).skip(1);
  if (!summary.last) {
    pen.put("n/a", Role::dim).skip(2);
    return;
  }
  pen.skip(axis.room - axis.cells);
  Chart chart;
  chart.figure = figure, chart.samples = samples, chart.from = axis.from, chart.to = axis.to;
  pen.put(spark_line(chart, axis.cells, state.ascii), role).skip(1);
  pen.put(fmt::format("{:.0f}%", *summary.last), Role::text).skip(1);
  pen.put(fmt::format("({:.0f}-{:.0f})", *summary.least, *summary.peak), Role::dim).skip(2);
}

// "since 01:12, every 10 s"; kept: the newest that was not seen by this console.
std::string axis_text(const std::vector<history::Sample>& samples, const std::optional<TimePoint>& kept,
                      const UiState& state) {
  const std::string since = query::clock_text(samples.front().at);
  if (kept)
    return told(state, fmt::format("since {}, to {} from Prometheus", since, query::clock_text(*kept)));
  const auto every = history::summary_of(samples, history::Figure::held).every;
  if (!every) return told(state, fmt::format("since {}", since));
  const std::int64_t seconds = *every / std::chrono::seconds(1);
  return told(state, fmt::format("since {}, every {}", since, query::duration_text(seconds)));
}

// Sums are kept every 10 s at most: the newest one says what the columns above it say.
void tell_newest(std::vector<history::Sample>& samples, const UiContext& ui, const UiState& state,
                 const Cluster& cluster) {
  const auto index = static_cast<std::size_t>(&cluster - ui.model.clusters.data());
  if (samples.empty() || index >= state.overview.totals.size()) return;
  if (cluster_now(cluster, ui.wall) - samples.back().at > history::kSumsEvery) return;
  const std::optional<history::Sums> now =
      history::sums_in(cluster, state.overview.totals[index], samples.back().at);
  if (!now) return;
  if (samples.back().held) samples.back().held = now->held;
  if (samples.back().use && now->used) samples.back().use = now->used;
}

}  // namespace

void draw_trend(Canvas& canvas, Rect area, int y, const UiContext& ui, const UiState& state,
                const Cluster& cluster) {
  const TimePoint now = cluster_now(cluster, ui.wall);
  std::vector<history::Sample> samples;
  if (ui.history) samples = ui.history->sums(cluster.name, now - kSpan);
  // What a moment of a recording was gone to from is still to come here.
  std::erase_if(samples, [&](const history::Sample& one) { return one.at > now; });
  Pen pen(canvas, area.x + 3, y, area.right() - 1, state.ascii);
  tell_newest(samples, ui, state, cluster);
  if (samples.empty()) {
    pen.put(told(state, N_("how much was held and used is not sampled yet")), Role::dim);
    return;
  }
  std::optional<TimePoint> kept = ui.history->sums_kept_until(cluster.name);
  if (kept && *kept < samples.front().at) kept.reset();
  const int words = kept ? kKeptWords : kWords, fewest = kept ? kFewestKept : kFewestCells;
  const int room = std::clamp((area.width - words) / 2, fewest, kMostCells);
  const Axis axis = axis_of(samples, kept, now, room, state.ascii);
  put_figure(pen, "held", samples, history::Figure::held, axis, Role::held, state);
  put_figure(pen, "used", samples, history::Figure::use, axis, Role::accent, state);
  pen.put(axis_text(samples, kept, state), Role::dim);
}

}  // namespace tessera::tui
