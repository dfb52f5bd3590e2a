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
    Chart chart;
    chart.samples = samples, chart.from = test::at(0), chart.to = test::at(360);
    return spark_line(chart, ascii ? 6 : 3, ascii);
  };
  EXPECT_EQ(line(false), "\u28f8 \u28c4");
  EXPECT_EQ(line(true), "_#  =:");
}

// Ten samples for forty columns are ten steps, and no rain of single dots; a gap is a gap all the same.
TEST(Chart, ASampleStandsForItsWholeStepWhereThereIsMoreRoomThanSamples) {
  Chart few;
  for (int i = 0; i < 10; ++i)
    if (i < 4 || i > 6) few.samples.push_back({at(60 * i), i < 5 ? 100.0F : 25.0F, {}, {}, {}});
  few.from = at(0);
  few.to = at(60 * 9);
  EXPECT_EQ(spark_line(few, 16, true), "######     :::::");
  EXPECT_EQ(spark_line(few, 8, false), "⣿⣿⣿  ⢀⣀⣀");
}

// Seven samples of an hour were put into four columns of their means: "now 90%, peak 90%" stood above a
// picture that ended at 80.
TEST(Chart, TheFigureThatIsNamedNowAndAtItsPeakIsSeen) {
  Chart chart;
  for (const auto& [minute, use] :
       std::vector<std::pair<int, float>>{{0, 25}, {12, 25}, {24, 25}, {36, 50}, {48, 25}, {60, 100}}) {
    history::Sample sample;
    sample.at = test::at(60 * minute);
    sample.use = use;
    chart.samples.push_back(sample);
  }
  chart.from = test::at(0), chart.to = test::at(3600);
  EXPECT_EQ(chart_words(chart, "%"), "now 100%, mean 42%, peak 100%");
  for (int cells = 6; cells <= 40; ++cells) {
    const std::string line = spark_line(chart, cells, true);
    EXPECT_EQ(line.back(), '#') << cells << ": " << line;
    EXPECT_NE(line.find('='), std::string::npos) << cells << ": " << line;
    EXPECT_EQ(line.find(' '), std::string::npos) << cells << ": " << line;
  }
  chart.samples.erase(chart.samples.begin() + 2);
  EXPECT_NE(spark_line(chart, 40, true).find(' '), std::string::npos) << "24 minutes without any are a gap";
}

// A figure of half an hour ago is none of now.
TEST(Chart, SaysWhenTheLastFigureWasWhereItIsOld) {
  Chart old = rising();
  old.to = at(16 + 1800);
  EXPECT_EQ(chart_words(old, "%"), "at 08:00 100%, mean 50%, peak 100%");
  old.decimals = 1;
  EXPECT_EQ(chart_words(old, " GiB"), "at 08:00 100.0 GiB, mean 50.0 GiB, peak 100.0 GiB");
}

TEST(Chart, NeedsRoom) { EXPECT_TRUE(chart_lines(rising(), 10, 2, false).empty()); }

}  // namespace
}  // namespace tessera::tui
