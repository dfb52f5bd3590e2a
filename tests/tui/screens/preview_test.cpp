// A list and the page of its row, side by side on a wide terminal.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

TEST(TwoPanes, AWideTerminalShowsThePageOfTheRowUnderTheCursor) {
  Session session(two_places(), {200, 60});
  session.press(":nodes<enter>");
  EXPECT_TRUE(session.shows("n0007")) << session.screen();
  const std::string first = session.screen();
  session.press("j");
  EXPECT_NE(session.screen(), first);
  session.press("g/n0007<enter>");
  EXPECT_TRUE(session.shows("llama-sft")) << "the tiles of the node\n" << session.screen();
  EXPECT_TRUE(session.shows("│")) << session.screen();
}

// Which node a page is about was told by the cursor of the list alone.
TEST(TwoPanes, TheRuleAboveAPageNamesWhatItIsAbout) {
  Session session(two_places(), {200, 60});
  const auto rule = [&] {
    const std::string screen = session.screen();
    const std::size_t from = screen.find('\n') + 1;
    return screen.substr(from, screen.find('\n', from) - from);
  };
  session.press("2/n0012<enter>");
  EXPECT_NE(rule().find(" n0012 "), std::string::npos) << rule();
  session.press("3/n0007<enter>");
  EXPECT_NE(rule().find(" n0007 GPU 0 "), std::string::npos) << rule();
  session.press("<c-w>");
  EXPECT_EQ(rule().find("n0007"), std::string::npos) << "the list has all of the terminal\n" << rule();
}

TEST(TwoPanes, AWorkloadOrASliceHasItsPageBesideItToo) {
  Session session(two_places(), {160, 40});
  session.press("5/88140<enter>");
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
  session.press("4/user=alice<enter>");
  EXPECT_TRUE(session.shows("GPU 0   MIG")) << session.screen();
}

TEST(TwoPanes, ANarrowerTerminalHasTheListAlone) {
  Session session(two_places(), {159, 40});
  session.press("5/88140<enter>");
  EXPECT_FALSE(session.shows("WHY IT WAITS")) << session.screen();
}

TEST(TwoPanes, AllColumnsTakeAllOfTheTerminal) {
  Session session(two_places(), {200, 60});
  session.press("3");
  EXPECT_FALSE(session.shows("POWER")) << session.screen();
  session.press("<c-w>");
  EXPECT_TRUE(session.shows("POWER")) << session.screen();
  session.press("<c-w>");
  EXPECT_FALSE(session.shows("POWER")) << session.screen();
}

TEST(TwoPanes, AListWithoutRowsExplainsItselfOverTheWholeWidth) {
  Session session(two_places(), {200, 60});
  session.press("5/user=nobody-here<enter>");
  EXPECT_FALSE(session.shows("│")) << session.screen();
}

TEST(TwoPanes, AClickOnThePageLeavesTheCursorInTheList) {
  Session session(two_places(), {200, 60});
  session.press("2");
  const std::string before = session.state.top().cursor;
  session.mouse(tui::Mouse::Kind::press, 150, 6);
  EXPECT_EQ(session.state.top().cursor, before);
}

TEST(TwoPanes, AFindingHasTheNodeThatHasItBesideIt) {
  Session session(two_places(), {200, 60});
  session.press("7");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::doctor);
  EXPECT_TRUE(session.shows("│")) << session.screen();
  EXPECT_TRUE(session.shows("to do")) << "what to do stays below the list\n" << session.screen();
  const std::string first = session.screen();
  session.press("j");
  EXPECT_NE(session.screen(), first);
}

TEST(TwoPanes, AFindingOfSeveralNodesHasEachOfThemBesideIt) {
  Session session(two_places(), {200, 60});
  for (const char* name : {"n0101", "n0102", "n0103"}) {
    Node closed = drained_node();
    closed.name = NodeName(name);
    closed.reason = "rack 4 is being moved";
    session.tell(on("hpc", NodeSeen{closed}));
  }
  session.press("7");
  for (int i = 0; i < 10 && !session.shows("HEALTH"); ++i) session.press("j");
  EXPECT_TRUE(session.shows("HEALTH")) << session.screen();
  EXPECT_NE(session.line_with("n0102").find("drained"), std::string::npos) << session.screen();
}

TEST(TwoPanes, AUserHasHisJobsAndPodsBesideHim) {
  Session session(two_places(), {160, 40});
  session.press("8");
  EXPECT_TRUE(session.shows("JOB OR POD")) << session.screen();
  for (int i = 0; i < 15 && !session.shows("88140"); ++i) session.press("j");
  EXPECT_TRUE(session.shows("88140")) << "what alice waits for\n" << session.screen();
}

// "13 h 35 min ago" is longer than its column, and what was held began elsewhere on each line.
TEST(TwoPanes, WhatAUserHoldsBeginsInOneColumnHoweverLongSince) {
  Session session(two_places(), {160, 40});
  session.press("8");
  for (int i = 0; i < 15 && !session.shows("88126"); ++i) session.press("j");
  EXPECT_NE(session.line_with("88126").find("11 h 20 min"), std::string::npos) << session.screen();
  EXPECT_EQ(session.line_with("88126").find(" ago"), std::string::npos) << session.screen();
}

TEST(TwoPanes, TheListOfRunsHasTheirNamesInFull) {
  Session session(two_places(), {200, 60});
  RunHead head;
  head.run = "20270115-0800-a-node-with-a-name-x7k2pq";
  head.state = RunState::parked;
  head.who = "carol";
  head.from = "login1";
  head.cluster = ClusterName("hpc");
  head.nodes = {NodeName("n0012")};
  head.words = "all-balanced";
  head.started = head.last = at(-300);
  session.hear({RunsListed{{head}}});
  session.press("J");
  EXPECT_NE(session.line_with("carol@login1").find(head.run), std::string::npos) << session.screen();
}

TEST(TwoPanes, ARunWhoseJournalWasNotReadHasItsNodesBesideIt) {
  Session session(two_places(), {160, 40});
  RunHead head;
  head.run = "20270115-0800-n0012";
  head.state = RunState::parked;
  head.who = "carol";
  head.cluster = ClusterName("hpc");
  head.nodes = {NodeName("n0012")};
  head.started = head.last = at(-300);
  session.hear({RunsListed{{head}}});
  session.press("J");
  EXPECT_TRUE(session.shows("HEALTH")) << session.screen();
  EXPECT_TRUE(session.shows("NVLink errors")) << session.screen();
}

TEST(TwoPanes, ARunWhoseJournalWasReadHasItsPageBesideItUnlessItIsVeryLong) {
  Session session = changing({200, 60});
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(1);
  session.hear({RunsListed{{diary.head(RunState::parked)}}});
  session.hear({diary.told()});
  session.press("J");
  EXPECT_TRUE(session.shows("STEPS")) << session.screen();
  for (int i = 0; i < 2000; ++i)
    diary.add("n0031", plan::Waiting{diary.step(1).id, "a job is in the way"}, 10 + i);
  session.hear({diary.told()});
  EXPECT_FALSE(session.shows("STEPS")) << "copied with each frame\n" << session.screen();
  EXPECT_TRUE(session.shows("HEALTH")) << "its nodes stand there\n" << session.screen();
}

TEST(TwoPanes, AListThatIsNoTableHasTheWholeOfANarrowTerminal) {
  Session session(two_places(), {159, 40});
  for (const char* keys : {"7", "8", "6"}) {
    session.press(keys);
    EXPECT_FALSE(session.shows("│")) << session.screen();
  }
}

}  // namespace
}  // namespace tessera::test
