// Charts as text: zero is seen, gaps are blank, and both alphabets say the same.
#include "tui/widgets/chart.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/build.hpp"

namespace tessera::tui {
namespace {

using test::at;

Chart rising() {
  Chart chart;
  for (int i = 0; i < 16; ++i)
    if (i < 6 || i > 9) chart.samples.push_back({at(i), i == 0 ? 0.0F : 100.0F * i / 15, {}, {}, {}});
  chart.from = at(0);
  chart.to = at(16);
  chart.from_text = "01:12";
  chart.to_text = "now";
  return chart;
}

TEST(Chart, DrawsZeroAsTheLowestDotAndAGapAsNothing) {
  EXPECT_EQ(chart_lines(rising(), 14, 2, false), (std::vector<std::string>{
                                                     " 100%      ⣤⣶⣿",
                                                     "    0 ⣀⣤⣶  ⣿⣿⣿",
                                                     "           now",
                                                 }));
}

TEST(Chart, HasBarsOfAsciiWhereTheTerminalHasNoMore) {
  EXPECT_EQ(chart_lines(rising(), 22, 2, true), (std::vector<std::string>{
                                                    " 100%           .::###",
                                                    "    0 ...:::    ######",
                                                    "      01:12        now",
                                                }));
}

TEST(Chart, SaysInWordsWhatItShows) {
  EXPECT_EQ(chart_words(rising(), "%"), "now 100%, mean 50%, peak 100%");
  EXPECT_EQ(chart_words(Chart{}, "%"), "n/a");
}

TEST(Chart, OfOneLineLeavesGapsAndShowsZeroAsTheLowestDot) {
  std::vector<history::Sample> samples;
  for (const auto& [minute, use] : std::vector<std::pair<int, float>>{{0, 0}, {1, 100}, {4, 50}, {5, 25}}) {
    history::Sample sample;
    sample.at = test::at(60 * minute + 10);
    sample.use = use;
    samples.push_back(sample);
  }
  const auto line = [&](bool ascii) {
    return spark_line(samples, history::Figure::use, test::at(0), test::at(360), ascii ? 6 : 3, ascii);
  };
  EXPECT_EQ(line(false), "\u28f8 \u28c4");
  EXPECT_EQ(line(true), "_#  =:");
}

TEST(Chart, NeedsRoom) { EXPECT_TRUE(chart_lines(rising(), 10, 2, false).empty()); }

}  // namespace
}  // namespace tessera::tui
