// How a cluster went, below its line on the overview.
#include "tui/screens/overview/overview_trend.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "engine/history/history.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/terminal/utf8.hpp"

namespace tessera::test {
namespace {

struct Watched {
  explicit Watched(tui::Size size) : session(two_places(), size) {}

  // So many samples of the first cluster until now, so many seconds apart.
  void sample(int count, int every, std::optional<float> used, float held = 50) {
    const Cluster& cluster = session.model.clusters.front();
    const TimePoint now = cluster_now(cluster, session.wall);
    for (int i = count - 1; i >= 0; --i)
      history.take(cluster.name, {now - std::chrono::seconds(i * every), held, used});
  }
  // The line of that cluster; empty: there is none.
  std::string line(bool ascii = false) {
    session.state.ascii = ascii;
    tui::UiContext ui = session.world();
    ui.history = &history;
    tui::Canvas canvas(session.state.size);
    tui::draw(ui, session.state, canvas);
    std::istringstream lines(canvas.text());
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("   held ") && line.find("used ") != std::string::npos) return line;
    return {};
  }

  Session session;
  history::History history;
};

// Its samples are 10 s apart: the newest one says what the cluster's line above it says, 56 and 58 %.
TEST(OverviewTrend, FromAHundredColumnsEachClusterTellsItsLastHourAndItsAxis) {
  Watched wide({100, 30});
  EXPECT_EQ(wide.line(), "");
  EXPECT_TRUE(wide.session.shows("how much was held and used is not sampled yet"));
  wide.sample(360, 10, 25.0F, 75);
  const std::string line = wide.line();
  EXPECT_NE(line.find("held ⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶ 56% (56-75)"), std::string::npos) << line;
  EXPECT_NE(line.find("used ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣠ 58% (25-58)"), std::string::npos) << line;
  EXPECT_NE(line.find(", every 10 s"), std::string::npos) << line;
  EXPECT_LE(tui::display_width(line), 100);
  Watched narrow({99, 30});
  narrow.sample(360, 10, 25.0F);
  EXPECT_EQ(narrow.line(), "");
}

TEST(OverviewTrend, AsciiHasItsOwnShapesAndWhatIsNotMeasuredIsNoZero) {
  Watched here({120, 40});
  here.sample(360, 10, std::nullopt, 100);
  const std::string line = here.line(true);
  EXPECT_NE(line.find("held ######"), std::string::npos) << line;
  EXPECT_NE(line.find("56% (56-100)"), std::string::npos) << line;
  EXPECT_NE(line.find("used n/a"), std::string::npos) << line;
}

// A column without a sample would read as a time in which nothing was known.
TEST(OverviewTrend, FewSamplesMakeAShortChartAndAGapStaysBlank) {
  Watched here({200, 60});
  here.sample(5, 60, 50.0F);
  EXPECT_NE(here.line().find(" ⣴ 56% (50-56)"), std::string::npos) << here.line();
  Watched gap({120, 40});
  const Cluster& cluster = gap.session.model.clusters.front();
  const TimePoint now = cluster_now(cluster, gap.session.wall);
  for (int i = 359; i >= 0; --i)
    if (i < 100 || i > 250)
      gap.history.take(cluster.name, {now - std::chrono::seconds(i * 10), 50.0F, 50.0F});
  EXPECT_NE(gap.line().find("⣤  "), std::string::npos) << gap.line();
  EXPECT_NE(gap.line().find("⣤⣴ 56%"), std::string::npos) << gap.line();
}

TEST(OverviewTrend, TellsUntilWhenItIsFromPrometheus) {
  Watched here({100, 30});
  here.sample(6, 10, 25.0F, 75);
  const Cluster& cluster = here.session.model.clusters.front();
  const TimePoint now = cluster_now(cluster, here.session.wall);
  std::vector<history::Sums> kept;
  for (int minute = 59; minute > 0; --minute)
    kept.push_back({now - std::chrono::minutes(minute), 75.0F, 25.0F});
  here.history.take_before(cluster.name, kept);
  const std::string line = here.line();
  EXPECT_NE(line.find("held ⣶⣶⣶⣶⣶⣶⣶⣶ 56% (56-75)"), std::string::npos) << "no gaps between minutes\n" << line;
  EXPECT_NE(line.find(" from Prometheus"), std::string::npos) << line;
  EXPECT_EQ(line.find(", every"), std::string::npos) << "it was not sampled at one pace\n" << line;
  EXPECT_LE(tui::display_width(line), 100);
}

TEST(OverviewTrend, WhatIsStillToComeOfAPastMomentIsNotDrawn) {
  Watched here({120, 40});
  const Cluster& cluster = here.session.model.clusters.front();
  const TimePoint now = cluster_now(cluster, here.session.wall);
  here.history.take(cluster.name, {now - std::chrono::seconds(60), 10.0F, {}});
  here.history.take(cluster.name, {now + std::chrono::seconds(60), 90.0F, {}});
  EXPECT_NE(here.line().find("10% (10-10)"), std::string::npos) << here.line();
}

}  // namespace
}  // namespace tessera::test
