// Pages with two columns of lines on a wide terminal: both say what one says below 150 columns, and the
// cursor goes where it goes there.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/query/tables.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/random_world.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/preview.hpp"

namespace tessera::test {
namespace {

tui::UiState page_of(tui::ScreenKind kind, const ClusterName& cluster, std::string subject) {
  tui::UiState state;
  state.top().kind = kind;
  state.top().cluster = cluster;
  state.top().subject = std::move(subject);
  return state;
}

// Every page of a world that has two columns.
std::vector<tui::UiState> pages_of(const Cluster& cluster) {
  std::vector<tui::UiState> all;
  for (const Workload& work : cluster.workloads.all())
    all.push_back(page_of(tui::ScreenKind::workload, cluster.name, work.id.text));
  for (const Node& node : cluster.nodes.all()) {
    all.push_back(
        page_of(tui::ScreenKind::facts, cluster.name, query::row_id(query::NodeRow{&cluster, &node})));
    for (const Gpu& gpu : node.gpus) {
      all.push_back(page_of(tui::ScreenKind::gpu, cluster.name, tui::gpu_subject(node.name, gpu.index)));
      all.push_back(
          page_of(tui::ScreenKind::facts, cluster.name, query::row_id(query::GpuRow{&cluster, &node, &gpu})));
    }
  }
  return all;
}

std::multiset<std::string> headings_in(const tui::PageColumns& page) {
  std::multiset<std::string> all;
  for (const tui::Document* column : {&page.main, &page.side})
    for (const tui::DocLine& line : *column)
      if (!line.spans.empty() && line.spans.front().at == 1) all.insert(line.spans.front().text);
  return all;
}

// At 200 columns half of a waiting job's page was empty, and the nodes stood below the last line.
TEST(WidePage, TwoColumnsHaveTheSectionsAndTheStopsOfOne) {
  int pages = 0, waiting = 0;
  const auto compare = [&](const Model& model) {
    const tui::UiContext ui{model, catalogue(), at(0)};
    for (const Cluster& cluster : model.clusters)
      for (const tui::UiState& state : pages_of(cluster)) {
        const std::string& of = state.top().subject;
        const tui::PageColumns wide = tui::page_columns(ui, state, 198),
                               one = tui::page_columns(ui, state, 149);
        EXPECT_TRUE(one.side.empty());
        EXPECT_EQ(headings_in(wide), headings_in(one)) << of;
        EXPECT_EQ(tui::stops_in(wide.main).ids, tui::stops_in(one.main).ids) << of;
        EXPECT_TRUE(tui::stops_in(wide.side).ids.empty()) << "no cursor rests there";
        if (!wide.side.empty()) {
          ++pages;
          EXPECT_LT(wide.lines(), one.lines()) << of;
        }
        const Workload* work = cluster.workloads.find(WorkloadId(of));
        if (!work || work->state != WorkloadState::pending) continue;
        ++waiting;
        EXPECT_FALSE(wide.side.empty()) << of;
      }
  };
  compare(small_place());
  for (unsigned seed = 0; seed < 40; ++seed) compare(RandomWorld(seed).model());
  EXPECT_GT(pages, 300);
  EXPECT_GT(waiting, 2);
}

TEST(WidePage, WhyAJobWaitsStandsBesideTheNodesThatItCannotUse) {
  Session session(small_place(), {200, 60});
  session.press(":job 88140<enter>");
  const std::string both = session.line_with("NODES");
  EXPECT_NE(both.find("88140"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
  EXPECT_TRUE(session.shows("ABOUT IT")) << session.screen();
  Session narrower(small_place(), {149, 60});
  narrower.press(":job 88140<enter>");
  EXPECT_EQ(narrower.line_with("NODES").find("88140"), std::string::npos) << narrower.screen();
}

// Until something was measured the right half of a running job's page was empty.
TEST(WidePage, WhatARunningJobIsStandsBesideWhatItHoldsWithAndWithoutCharts) {
  Session session(small_place(), {160, 40});
  session.press(":job 88123<enter>");
  EXPECT_NE(session.line_with("job 88123").find("team-ml"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("HOLDS")) << session.screen();
  Session narrow(small_place(), {149, 40});
  narrow.press(":job 88123<enter>");
  EXPECT_EQ(narrow.line_with("job 88123").find("team-ml"), std::string::npos) << narrow.screen();
}

TEST(WidePage, AClickOnTheSecondColumnLeavesTheCursorInTheFirst) {
  Session session(small_place(), {200, 60});
  session.press(":job 88123<enter>j");
  const std::string before = session.state.top().cursor;
  ASSERT_FALSE(before.empty());
  for (int y = 2; y < 50; ++y) session.mouse(tui::Mouse::Kind::press, 150, y);
  EXPECT_EQ(session.state.top().cursor, before);
}

TEST(WidePage, AColumnWithLessStaysAtItsEndWhileTheOtherGoesOn) {
  tui::PageColumns page;
  page.main_width = 40;
  for (int i = 0; i < 12; ++i) page.main.push_back({{{"left " + std::to_string(i), {}, 1}}, {}});
  for (int i = 0; i < 40; ++i) page.side.push_back({{{"right " + std::to_string(i), {}, 1}}, {}});
  EXPECT_EQ(page.lines(), 40);
  tui::Screen screen;
  screen.top = 30;
  tui::Canvas canvas({80, 10});
  tui::draw_columns(canvas, {0, 0, 80, 10}, page, screen, false);
  for (const char* text : {"left 2 ", "left 11 ", "right 30", "right 39"})
    EXPECT_NE(canvas.text().find(text), std::string::npos) << text << "\n" << canvas.text();
}

// A node of one GPU left most of the screen empty, and what happened there was a key away.
TEST(NodePage, LinesThatItsGpusLeaveTellWhatHappenedThereAndWhoWaitsForThem) {
  Story story;
  Node one = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  one.model = "h100";
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{waiting("17", "alice", "gpu:h100"), waiting("18", "bob", "gpu:a100")}});
  story.tell(Loaded{});
  Node closed = one;
  closed.health = Health::drained;
  closed.reason = "fan failure";
  story.tell(NodeSeen{closed});
  for (const tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}}) {
    Session session(story.model, size);
    session.press(":node n1<enter>");
    EXPECT_TRUE(session.shows("LAST CHANGES")) << session.screen();
    EXPECT_NE(session.line_with(" alice").find("17"), std::string::npos) << session.screen();
    EXPECT_EQ(session.screen().find(" bob"), std::string::npos) << "it asks for another GPU\n"
                                                                << session.screen();
    session.tell(on("hpc", NodeSeen{one}));
    EXPECT_TRUE(session.state.gpu_notes) << "looked up once for a revision";
  }
  Session full(small_place(), {80, 24});
  full.press(":node n0007<enter>");
  EXPECT_FALSE(full.shows("LAST CHANGES")) << full.screen();
}

// Beside a list a page had 100 columns at most, however wide the terminal was.
TEST(WidePage, BesideAListAPageHasTwoColumnsWhereHalfOfTheTerminalHasRoomForThem) {
  EXPECT_EQ(tui::list_beside_page(200), 119);
  EXPECT_EQ(tui::list_beside_page(299), 198);
  EXPECT_EQ(tui::list_beside_page(320), 159);
  Session session(small_place(), {320, 60});
  session.press("5/88140<enter>");
  EXPECT_NE(session.line_with("NODES").find("88140"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
