#include "tui/screens/pages/chart_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/history/gaps.hpp"
#include "engine/history/shown.hpp"
#include "engine/query/local_time.hpp"
#include "engine/query/value.hpp"
#include "tui/screens/pages/charts.hpp"

namespace tessera::tui {
namespace {

constexpr int kWidest = 120;
constexpr std::int64_t kIdleLong = 900;  // seconds from which on no use is worth a colour
constexpr std::size_t kMostGaps = 3;     // told of one line

// "01:30-01:42, 01:50-01:55"; empty: there was none.
std::string gaps_text(const FactPage& page, const history::Line& line, TimePoint now) {
  const std::vector<history::Gap> gaps = history::gaps_of(line.samples, history::Figure::any, now, line.pace);
  std::string text;
  for (std::size_t i = 0; i < std::min(gaps.size(), kMostGaps); ++i)
    text += fmt::format("{}{}-{}", i > 0 ? ", " : "", query::clock_text(gaps[i].from),
                        query::clock_text(gaps[i].to));
  if (gaps.size() > kMostGaps) text += " " + page.told(fmt::format("and {} more", gaps.size() - kMostGaps));
  return text;
}

}  // namespace

history::Line line_of(const UiContext& ui, const query::GpuRow& row, const Slice* slice) {
  if (!ui.history) return {};
  const history::Key key = slice ? history::key_of(*row.gpu, *slice) : history::key_of(*row.gpu);
  history::Line line =
      ui.history->line(row.cluster->name, row.node->name, key, cluster_now(*row.cluster, ui.wall) - kCharted);
  line.pace = std::max(row.cluster->pace.interval, row.cluster->pace.viewed);
  history::tell_newest(line, *row.node, *row.gpu, slice);
  return line;
}

std::string axis_text(const FactPage& page, const std::vector<history::Line>& lines) {
  const history::Line* first = nullptr;
  std::vector<std::string> sources;
  for (const history::Line& line : lines) {
    if (line.samples.empty()) continue;
    if (!first || line.samples.front().at < first->samples.front().at) first = &line;
    const std::string by(word(line.source));
    if (std::find(sources.begin(), sources.end(), by) == sources.end()) sources.push_back(by);
  }
  if (!first) return {};
  const std::string since = query::clock_text(first->samples.front().at),
                    by = fmt::format("{}", fmt::join(sources, ", "));
  const auto every = history::summary_of(first->samples, history::Figure::any).every;
  if (!every) return page.told(fmt::format("since {}, by {}", since, by));
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(*every).count();
  return page.told(fmt::format("since {}, every {}, by {}", since, query::duration_text(seconds), by));
}

Chart chart_of(const history::Line& line, history::Figure figure, TimePoint now, TimePoint from) {
  Chart chart;
  chart.figure = figure;
  chart.samples = line.samples;
  chart.pace = line.pace;
  chart.to = now;
  if (from == TimePoint{}) from = line.samples.empty() ? now - kCharted : line.samples.front().at;
  chart.from = std::min(from, now - kCharted / 60);
  chart.from_text = query::clock_text(chart.from);
  chart.to_text = query::clock_text(chart.to);
  return chart;
}

void add_chart(FactPage& page, std::string_view name, const Chart& chart, std::string_view unit, int lines,
               Role role, std::string_view whose) {
  const history::Summary summary = history::summary_of(chart.samples, chart.figure);
  if (!summary.last) return page.fact(name, "n/a", Role::dim);
  DocLine words = fact_line(page.told(name), page.told(chart_words(chart, unit)));
  if (!whose.empty()) words.spans.push_back({fmt::format("  {}", whose), Role::warning});
  page.add(std::move(words));
  const int width = std::min(page.width() - 4, kWidest);
  for (std::string& text : chart_lines(chart, width, lines, page.ascii()))
    page.add({{{std::move(text), role, 3}}, {}});
}

void add_idle(FactPage& page, const query::Value& idle) {
  const auto* seconds = std::get_if<std::int64_t>(&idle);
  const auto* least = std::get_if<query::AtLeast>(&idle);
  if (!seconds && !least) return;
  const std::int64_t seen = seconds ? *seconds : least->number;
  const std::string span = query::duration_text(seen);
  page.fact("not used for",
            seconds ? span : fmt::format("at least {}: before that its use was not measured", span),
            seen >= kIdleLong ? Style(Role::warning) : Style(Role::text));
}

void add_gaps(FactPage& page, const std::vector<NamedLine>& lines, TimePoint now) {
  std::map<std::string, std::vector<std::string>> names;  // by their gaps
  for (const NamedLine& one : lines) names[gaps_text(page, one.line, now)].push_back(one.name);
  for (const auto& [gaps, of] : names)
    if (!gaps.empty())
      page.data(page.told(N_("not measured")),
                names.size() == 1 ? gaps : fmt::format("{}: {}", fmt::join(of, ", "), gaps), Role::warning);
}

}  // namespace tessera::tui
