#include "tui/widgets/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/history/gaps.hpp"
#include "engine/query/local_time.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

constexpr int kGutter = 6;  // cells left of the picture: its scale

// Dots of braille by column and line of a cell, the lowest line first.
constexpr unsigned kDots[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};

std::string padded(const std::string& text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ') + text;
}

// How many of `steps` a mean fills: at least one, so that zero is seen.
int filled(const std::optional<float>& mean, float top, int steps) {
  if (!mean) return 0;
  return std::clamp(static_cast<int>(std::ceil(*mean / top * static_cast<float>(steps))), 1, steps);
}

// Where samples are farther apart than columns: each stands for the time to which it is the nearest, since
// blank columns between them would read as times without any. Farther than this part of a step is a gap.
constexpr double kReach = 0.6;
void widen(std::vector<std::optional<float>>& columns, const Chart& chart, Duration every) {
  const double all = static_cast<double>((chart.to - chart.from).count()),
               reach = kReach * static_cast<double>(every.count());
  std::vector<std::pair<double, float>> samples;  // since the axis begins
  for (const history::Sample& sample : chart.samples)
    if (const auto value = history::figure_of(sample, chart.figure); value && sample.at <= chart.to)
      samples.emplace_back(static_cast<double>((sample.at - chart.from).count()), *value);
  if (samples.empty()) return;
  std::size_t near = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double middle = all * (static_cast<double>(i) + 0.5) / static_cast<double>(columns.size());
    const auto far = [&](std::size_t which) { return std::abs(samples[which].first - middle); };
    while (near + 1 < samples.size() && far(near + 1) <= far(near)) ++near;
    if (!columns[i] && far(near) <= reach) columns[i] = samples[near].second;
  }
}

std::vector<std::optional<float>> columns_of(const Chart& chart, int columns) {
  auto shown = history::means(chart.samples, chart.figure, chart.from, chart.to, columns);
  const auto every = history::summary_of(chart.samples, chart.figure, chart.from).every;
  // A tenth to spare: samples do not come on the second.
  if (every && *every * columns * 10 > (chart.to - chart.from) * 11) widen(shown, chart, *every);
  return shown;
}

std::vector<int> heights_of(const Chart& chart, int columns, int steps) {
  std::vector<int> heights;
  for (const auto& mean : columns_of(chart, columns)) heights.push_back(filled(mean, chart.top, steps));
  return heights;
}

// One line of the picture; line 0 is the lowest.
std::string braille_line(const std::vector<int>& heights, int line) {
  std::string text;
  for (std::size_t i = 0; i + 1 < heights.size(); i += 2) {
    unsigned dots = 0;
    for (std::size_t column = 0; column < 2; ++column)
      for (int dot = 0; dot < 4; ++dot)
        if (heights[i + column] > line * 4 + dot) dots |= kDots[column][dot];
    if (dots == 0)
      text += ' ';
    else
      append_utf8(text, static_cast<char32_t>(0x2800 + dots));
  }
  return text;
}

std::string ascii_line(const std::vector<int>& heights, int line) {
  constexpr std::string_view kFill = " .:#";
  std::string text;
  for (int height : heights) text += kFill[static_cast<std::size_t>(std::clamp(height - line * 3, 0, 3))];
  return text;
}

}  // namespace

std::string axis_line(const Chart& chart, int cells) {
  const int room = cells - display_width(chart.from_text) - display_width(chart.to_text);
  if (room < 1) return padded(chart.to_text, cells);
  return chart.from_text + std::string(static_cast<std::size_t>(room), ' ') + chart.to_text;
}

std::vector<std::string> chart_lines(const Chart& chart, int width, int height, bool ascii) {
  std::vector<std::string> lines;
  const int cells = width - kGutter;
  if (cells < 8 || height < 1) return lines;
  const int steps = height * (ascii ? 3 : 4);
  const std::vector<int> heights = heights_of(chart, ascii ? cells : cells * 2, steps);
  for (int line = height - 1; line >= 0; --line) {
    const std::string scale = line == height - 1 ? chart.top_text : line == 0 ? "0" : "";
    lines.push_back(padded(scale, kGutter - 1) + " " +
                    (ascii ? ascii_line(heights, line) : braille_line(heights, line)));
  }
  lines.push_back(std::string(kGutter, ' ') + axis_line(chart, cells));
  return lines;
}

std::string spark_line(const Chart& chart, int cells, bool ascii) {
  if (!ascii) return braille_line(heights_of(chart, cells * 2, 4), 0);
  constexpr std::string_view kBars = "_.:-=+*#";
  std::string text;
  for (const auto& mean : columns_of(chart, cells))
    text += mean ? kBars[static_cast<std::size_t>(std::clamp(static_cast<int>(*mean / chart.top * 8), 0, 7))]
                 : ' ';
  return text;
}

std::string chart_words(const Chart& chart, std::string_view unit) {
  const history::Summary summary = history::summary_of(chart.samples, chart.figure, chart.from);
  if (!summary.last) return "n/a";
  const auto text = [&](float figure) { return fmt::format("{:.{}f}{}", figure, chart.decimals, unit); };
  const std::string last = text(*summary.last), mean = text(*summary.mean), peak = text(*summary.peak);
  if (chart.to - summary.last_at <= history::longest_step(summary, chart.pace))
    return fmt::format("now {}, mean {}, peak {}", last, mean, peak);
  return fmt::format("at {} {}, mean {}, peak {}", query::clock_text(summary.last_at), last, mean, peak);
}

}  // namespace tessera::tui
