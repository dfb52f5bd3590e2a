// How use went stands in each of the four lists from a hundred columns on, and nothing that tells rows apart
// goes for it.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/history/history.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::test {
namespace {

// Of a console that has taken what its nodes show now, or that has taken nothing.
std::string heading_of(const char* list, int columns, Model place, bool measured = true) {
  Session session(std::move(place), {columns, 30});
  session.press(":").press(list).press("<enter>");
  history::History history;
  if (measured)
    for (const Cluster& cluster : session.model.clusters)
      for (const Node& node : cluster.nodes.all()) history.take(cluster, node.name);
  tui::UiContext ui = session.world();
  ui.history = &history;
  tui::Screen& top = session.state.top();
  top.derived.valid = false;
  tui::row_of(top.kind).refresh(session.state, top, ui);
  tui::Canvas canvas(session.state.size);
  tui::draw(ui, session.state, canvas);
  std::istringstream lines(canvas.text());
  for (std::string line; std::getline(lines, line);)
    if (line.find("NODE") != std::string::npos) return line;
  return canvas.text();
}

TEST(TrendColumns, StandInListsWhoseTextsLeaveThemRoom) {
  for (const char* list : {"gpus", "slices", "workloads"}) {
    for (int columns : {102, 110, 120}) {  // who holds a GPU is read to its end at 100, too
      const std::string heading = heading_of(list, columns, small_place());
      EXPECT_NE(heading.find("10 MIN"), std::string::npos) << list << " " << columns << "\n" << heading;
      // Of GPUs and workloads none is idle here, and an empty column leaves its room.
      if (std::string_view(list) == "slices")
        EXPECT_NE(heading.find("IDLE"), std::string::npos) << list << " " << columns << "\n" << heading;
    }
    EXPECT_EQ(heading_of(list, 90, small_place()).find("10 MIN"), std::string::npos) << list;
  }
}

// Ten cells of n/a on each row, and the reason why a node is closed was cut beside them.
TEST(TrendColumns, WhereNothingIsMeasuredTheyLeaveTheirRoom) {
  for (const char* list : {"nodes", "gpus", "slices", "workloads"}) {
    const std::string heading = heading_of(list, 120, small_place(), false);
    EXPECT_EQ(heading.find("10 MIN"), std::string::npos) << list << "\n" << heading;
    EXPECT_EQ(heading.find("IDLE"), std::string::npos) << list << "\n" << heading;
  }
}

// It waited there until a long reason was read to its end: at 100 columns, and at 120, it was in no list of
// nodes of which one was closed. What is free and why one is closed have the cells that are left.
TEST(TrendColumns, OfNodesHowUseWentStandsFromAHundredColumnsOn) {
  for (int columns : {100, 110, 120, 140}) {
    const std::string heading = heading_of("nodes", columns, small_place());
    for (const char* title : {"10 MIN", "FREE", "REASON"})
      EXPECT_NE(heading.find(title), std::string::npos) << columns << "\n" << heading;
  }
  EXPECT_EQ(heading_of("nodes", 90, small_place()).find("10 MIN"), std::string::npos);
}

TEST(TrendColumns, OfSeveralClustersTheNameStays) {
  for (const char* list : {"nodes", "gpus", "slices", "workloads"}) {
    const std::string narrow = heading_of(list, 100, two_places()),
                      wide = heading_of(list, 140, two_places());
    EXPECT_NE(narrow.find("CLUSTER"), std::string::npos) << list << "\n" << narrow;
    EXPECT_NE(wide.find("CLUSTER"), std::string::npos) << list << "\n" << wide;
    EXPECT_NE(wide.find("10 MIN"), std::string::npos) << list << "\n" << wide;
  }
}

// The other lists have it beside that name where the texts of their rows leave room.
TEST(TrendColumns, OfNodesOfSeveralClustersHowUseWentStandsBesideTheNameFromAHundredColumnsOn) {
  for (int columns : {100, 110, 120}) {
    const std::string heading = heading_of("nodes", columns, two_places());
    for (const char* title : {"CLUSTER", "NODE", "10 MIN", "FREE", "REASON"})
      EXPECT_NE(heading.find(title), std::string::npos) << columns << "\n" << heading;
  }
  EXPECT_EQ(heading_of("nodes", 90, two_places()).find("10 MIN"), std::string::npos);
}

// "TENSOR 0%  MEM BUS 0%  AVAIL 1" stood on each of sixty rows of free slices. All columns still have it.
TEST(ListColumns, WhatIsTheSameOnEachRowAndOfLeastUseGoes) {
  Session session(small_place(), {120, 30});
  session.press(":gpus<enter>/node=n0007<enter>");
  const auto heading = [&] { return session.line_with("HELD BY"); };
  ASSERT_GT(session.state.top().derived.rows.size(), 1u) << session.screen();
  EXPECT_EQ(heading().find("PRODUCT"), std::string::npos) << session.screen();
  session.press("<c-w>");
  std::string all;
  for (int i = 0; i < 20; ++i) {
    all += session.screen();
    session.press("l");
  }
  EXPECT_NE(all.find("PRODUCT"), std::string::npos) << all;
}

TEST(TrendColumns, WorkThatWaitsHasNone) {
  Session session(small_place(), {100, 30});
  session.press(":workloads<enter>/pending<enter>");
  EXPECT_EQ(session.screen().find("10 MIN"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("REASON")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
