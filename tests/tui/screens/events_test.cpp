// The events: folded, looked through, one node's alone, and the page beside them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/event_lines.hpp"

namespace tessera::test {
namespace {

// Twelve jobs of alice start on one node, a minute apart, and one of bob among them.
Session busy(tui::Size size = {120, 40}) {
  Session session(two_places(), size);
  for (int i = 0; i < 12; ++i) {
    session.tell(on("hpc",
                    WorkloadSeen{named(
                        running("9" + std::to_string(100 + i), "alice", {holds_some("n0040", "1g.10gb", 1)}),
                        "sweep", i * 60)},
                    i * 60 + 1));
    if (i == 4)
      session.tell(on("hpc",
                      WorkloadSeen{named(running("95", "bob", {holds("n0007", {{5}})}), "one", i * 60)},
                      i * 60 + 2));
  }
  return session;
}

TEST(Events, ManyJobsOfOneUserAreOneLineThatOpens) {
  Session session = busy();
  session.press("6");
  EXPECT_TRUE(session.shows("▸ 12 jobs of alice started on pool a100")) << session.screen();
  EXPECT_FALSE(session.shows("job 9105")) << session.screen();
  EXPECT_TRUE(session.shows("job 95  of bob started on n0007: 1 × whole")) << session.screen();
  session.press("g<enter>");
  EXPECT_TRUE(session.shows("▾ 12 jobs of alice")) << session.screen();
  EXPECT_TRUE(session.shows("job 9105  of alice started on n0040: 1 × 1g.10gb")) << session.screen();
  session.press("<enter>");
  EXPECT_FALSE(session.shows("job 9105")) << session.screen();
}

// The page beside an open one said that Enter shows what was shown.
TEST(Events, BesideOnesThatAreShownStandsThatTheKeyFoldsThem) {
  Session session = busy({200, 60});
  session.press("6g");
  EXPECT_TRUE(session.shows("Enter shows them one by one")) << session.screen();
  session.press("<enter>");
  EXPECT_TRUE(session.shows("Enter shows them as one line again")) << session.screen();
}

// What happened began in another column on each line.
TEST(Events, WhatHappenedStandsInOneColumn) {
  for (int columns : {80, 120}) {
    Session session(two_places(), {columns, 40});
    const auto starts = [&](const char* id) {
      session.tell(
          on("hpc", WorkloadSeen{named(running(id, "bob", {holds("n0007", {{5}})}), "one", 60)}, 60));
    };
    starts("95");
    starts("12345678");
    session.press("6");
    const std::string one = session.line_with("job 95 "), other = session.line_with("job 12345678");
    ASSERT_NE(one.find("of bob"), std::string::npos) << session.screen();
    ASSERT_NE(other.find("of bob"), std::string::npos) << session.screen();
    EXPECT_EQ(one.find("of bob") - one.find("job"), other.find("of bob") - other.find("job"))
        << session.screen();
  }
}

// "of data-science ended aft…", and below it " min on ts-01": what stood between was nowhere.
TEST(Events, NothingOfATextIsLostBehindALongName) {
  Session session(two_places(), {80, 24});
  session.tell(on("hpc",
                  WorkloadSeen{named(running("1234567890123456789012345678901234567890", "data-science",
                                             {holds("n0007", {{5}})}),
                                     "one", 60)},
                  60));
  session.press("6");
  EXPECT_TRUE(session.shows("  of data-science started on n0007: 1 × whole")) << session.screen();
}

TEST(Events, EnterOnOneJobOpensItsPage) {
  Session session = busy();
  session.press("6/bob started<enter><enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workload) << session.screen();
  EXPECT_EQ(session.state.top().subject, "95");
}

TEST(Events, TheFilterTakesWholePartsToo) {
  Session session = busy();
  session.press("6/user=bob<enter>");
  EXPECT_TRUE(session.shows("job 95")) << session.screen();
  EXPECT_FALSE(session.shows("alice")) << session.screen();
  session.press("/<c-u>kind=started !bob<enter>");
  EXPECT_TRUE(session.shows("12 jobs of alice")) << session.screen();
  EXPECT_FALSE(session.shows("of bob")) << session.screen();
  session.press("/<c-u>node=n0007<enter>");
  EXPECT_TRUE(session.shows("job 95")) << session.screen();
  EXPECT_FALSE(session.shows("jobs of alice")) << session.screen();
}

// At each key of a Japanese word all events of both logs were translated, tens of thousands.
TEST(Events, WhatDiffersInNamesAndNumbersAloneIsTranslatedOnceForAWordOfTheReadersLanguage) {
  Session session = busy();
  ASSERT_TRUE(set_language(session.state, tui::Language::ja));
  tui::ToldEvents told(session.state);
  const auto found = [&](const char* words) {
    const tui::EventFilter filter(words);
    return std::count_if(session.model.work_log.begin(), session.model.work_log.end(),
                         [&](const LogEntry& entry) { return filter.passes(entry, told); });
  };
  EXPECT_EQ(found("alice !bob"), 12);
  EXPECT_EQ(found("user=千代"), 0);
  EXPECT_EQ(told.translated(), 0U) << "no word of these is in a translation alone";
  EXPECT_EQ(found("開始"), 13);
  EXPECT_EQ(found("開始 !bob"), 12);
  EXPECT_EQ(found("終了"), 0);
  EXPECT_LE(told.translated(), 2U) << "of slices, and of a whole GPU";
  EXPECT_EQ(found("n0007で開始"), 1) << "a name and what the translation has beside it";
  EXPECT_EQ(found("n0099で開始"), 0);
}

// The texts of events that differ in their owner alone are translated once: the first one's owner was found
// in those of all others.
TEST(Events, AnOwnerInJapaneseIsFoundInItsOwnEventsAlone) {
  Session session(two_places(), {120, 40});
  ASSERT_TRUE(set_language(session.state, tui::Language::ja));
  int number = 0;
  for (const char* owner : {"山田", "佐藤", "山田太郎"}) {
    const std::string id = "98" + std::to_string(number++);
    session.tell(on(
        "hpc", WorkloadSeen{named(running(id, owner, {holds_some("n0040", "1g.10gb", 1)}), "a", 0)}, number));
  }
  tui::ToldEvents told(session.state);
  const auto found = [&](const char* words) {
    const tui::EventFilter filter(words);
    return std::count_if(session.model.work_log.begin(), session.model.work_log.end(),
                         [&](const LogEntry& entry) { return filter.passes(entry, told); });
  };
  EXPECT_EQ(found("開始"), 3);
  EXPECT_EQ(found("佐藤"), 1);
  EXPECT_EQ(found("太郎"), 1);
  EXPECT_EQ(found("山田"), 2) << "a part of a text is looked for, as of every text";
  EXPECT_EQ(found("user=山田"), 1);
}

TEST(Events, OfANodeOnlyItsOwnStandThereEachWithItsLine) {
  Session session = busy();
  session.press(":node n0040<enter>E");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::log) << session.screen();
  EXPECT_TRUE(session.shows("events n0040")) << session.screen();
  EXPECT_TRUE(session.shows("job 9100  of alice started")) << session.screen();
  EXPECT_TRUE(session.shows("job 9111  of alice started")) << session.screen();
  EXPECT_FALSE(session.shows("of bob")) << session.screen();
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::node) << session.screen();
}

TEST(Events, OfAJobItsStartStandsThere) {
  Session session = busy();
  session.press("5/id=95<enter>E");
  EXPECT_TRUE(session.shows("job 95  of bob started")) << session.screen();
  EXPECT_FALSE(session.shows("alice")) << session.screen();
}

TEST(Events, WhereNoNodeIsChosenTheKeySaysSo) {
  Session session = busy();
  session.press("E");
  EXPECT_TRUE(session.shows("no node, job or pod is chosen here")) << session.screen();
}

TEST(Events, ARunHasItsBeginAndItsEndAmongThem) {
  Session session(two_places(), {120, 40});
  RunHead head;
  head.run = "20270115-0800-n0007";
  head.state = RunState::finished;
  head.outcome = "wanted";
  head.who = "carol";
  head.cluster = ClusterName("hpc");
  head.nodes = {NodeName("n0007")};
  head.words = "7x1g.10gb on GPU 0";
  head.progress = "1 done";
  head.started = at(-600);
  head.last = at(-300);
  session.hear({RunsListed{{head}}});
  session.press("6");
  EXPECT_TRUE(session.shows("started by carol: 7x1g.10gb on GPU 0")) << session.screen();
  EXPECT_TRUE(session.shows("finished: 1 done")) << session.screen();
  session.press("<esc>:node n0007<enter>E");
  EXPECT_TRUE(session.shows("finished: 1 done")) << session.screen();
  session.press("<esc><esc>:node n0040<enter>E");
  EXPECT_FALSE(session.shows("finished: 1 done")) << session.screen();
}

// They had one id, and the cursor stayed on the first of them.
TEST(Events, TheCursorGoesOverTwoOfOneMoment) {
  Session session(two_places(), {120, 40});
  RunHead head;
  head.run = "20270115-0800-n0007";
  head.state = RunState::parked;
  head.why = "a job is in the way";
  head.who = "carol";
  head.cluster = ClusterName("hpc");
  head.nodes = {NodeName("n0007")};
  head.words = "7x1g.10gb on GPU 0";
  head.started = head.last = at(-300);
  session.hear({RunsListed{{head}}});
  session.press("6/kind=run<enter>g");
  EXPECT_NE(session.line_with("▌").find("parked: a job is in the way"), std::string::npos)
      << session.screen();
  session.press("j");
  EXPECT_NE(session.line_with("▌").find("started by carol"), std::string::npos) << session.screen();
}

TEST(Events, AReaderOfOlderLinesStaysThereAndOneAtTheNewestStaysWithIt) {
  Session session(two_places(), {100, 15});
  const auto happen = [&](int i) {
    Node down = drained_node();
    down.health = i % 2 ? Health::drained : Health::down;
    down.reason = "turn " + std::to_string(i);
    session.tell(on("hpc", NodeSeen{down}, i * 3600));
  };
  for (int i = 0; i < 40; ++i) happen(i);
  session.press("6");
  EXPECT_TRUE(session.shows("turn 39")) << session.screen();
  happen(40);
  EXPECT_TRUE(session.shows("turn 40")) << session.screen();
  session.press("jjjjjjjjjjjjjjjjjjjj");
  const std::string here = session.line_with("turn 20");
  happen(41);
  EXPECT_EQ(session.line_with("turn 20"), here);
  EXPECT_FALSE(session.shows("turn 41")) << session.screen();
  session.press("f");
  EXPECT_TRUE(session.shows("turn 41")) << session.screen();
}

TEST(Events, AWideTerminalHasThePageOfItsJobBesideAnEvent) {
  Session session = busy({200, 60});
  session.press("6/bob started<enter>");
  EXPECT_TRUE(session.shows("│")) << session.screen();
  EXPECT_TRUE(session.shows("asks for        not reported")) << "the page of the job\n" << session.screen();
}

TEST(Events, TheOverviewFoldsThemToo) {
  Session session = busy({200, 60});
  EXPECT_TRUE(session.shows("12 jobs of alice started")) << session.screen();
}

TEST(Events, InAsciiAFoldedLineHasAPlus) {
  Session session = busy();
  session.state.ascii = true;
  session.press("6");
  EXPECT_TRUE(session.shows("+ 12 jobs of alice")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
