// The pack screen and time: work that ends by then is waited for, and what was needed in the past is the
// demand.
#include <gtest/gtest.h>

#include "engine/usage/reckoning.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/pack_state.hpp"
#include "tui/packer.hpp"
#include "tui/usage_reading.hpp"

namespace tessera::test {
namespace pack_time_test {

using tui::ScreenKind;

Session asking(const std::string& demand, tui::Size size) {
  Session session = changing(size);
  session.press(":pack " + demand + "<enter>");
  return session;
}

// The command line had --ends-within, and the screen counted work as there for ever.
TEST(PackTime, WorkThatEndsByATimeIsWaitedForAndThatIsSaid) {
  Session session = changing({120, 40});
  const auto there = session.model.clusters.front().workloads.all();
  for (Workload work : std::vector<Workload>(there.begin(), there.end()))
    if (work.state == WorkloadState::running) {
      work.started = session.wall - std::chrono::hours(1), work.ends = session.wall + std::chrono::hours(1);
      session.tell(on("hpc", WorkloadSeen{work}));
    }
  session.press(":pack 7g.80gb=13<enter>").pack();
  EXPECT_TRUE(session.shows("unmet: 2 of 13 7g.80gb")) << session.screen();
  session.press(":pack by 4h<enter>");
  EXPECT_TRUE(session.shows("work that ends by ")) << session.screen();
  session.pack();
  EXPECT_TRUE(session.shows("unmet: 1 of 13 7g.80gb")) << "the demand stays: " << session.screen();
  session.press("r");
  EXPECT_EQ(session.state.message.text, "work that ends in time is waited for: :pack by never ends that");
  session.press("y");
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_NE(session.effects.back().copy->find(" --ends-within "), std::string::npos)
      << *session.effects.back().copy;
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  EXPECT_EQ(session.state.plan->plan.intent.options.way, plan::Way::wait);
  session.press("<esc>:pack by never<enter>").pack();
  EXPECT_TRUE(session.shows("unmet: 2 of 13 7g.80gb")) << session.screen();
  EXPECT_FALSE(session.shows("work that ends by ")) << session.screen();
}

TEST(PackTime, ATimeBehindADemandCountsForItAndOneThatIsOverPlansNothing) {
  Session session = asking("3g.40gb=2 by 4h", {120, 40});
  session.pack();
  EXPECT_EQ(session.state.pack->answer->question->until, session.wall + std::chrono::hours(4));
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node")) << session.screen();
  session.pass(std::chrono::hours(5));
  EXPECT_FALSE(session.state.pack->question) << "nothing is asked for a time that is over";
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::pack) << session.screen();
}

TEST(PackTime, ATimeThatIsNoneIsRefusedAndNoneIsWaitedForWithRequeue) {
  Session session = asking("3g.40gb=2", {200, 40});
  for (const char* wrong : {"soon", "1999-01-01T00:00Z", "0s"}) {
    session.press(std::string(":pack by ") + wrong + "<enter>");
    EXPECT_TRUE(session.shows("for example :pack by 18:00")) << wrong << session.screen();
    EXPECT_FALSE(session.state.pack->until) << wrong;
  }
  session.press("r").press(":pack by 4h<enter>");
  EXPECT_TRUE(session.shows("by TIME waits for their end")) << session.screen();
  EXPECT_FALSE(session.state.pack->until);
}

// Forty minutes in which two were waited for.
std::shared_ptr<const usage::Reckoning> recorded(const Session& session, Duration since) {
  usage::Reckoning read;
  read.asked.since = since;
  read.from = at(-2400), read.to = at(0);
  const Cluster& cluster = *session.model.find(ClusterName("hpc"));
  for (int second = -2400; second <= 0; second += 600) read.demand[cluster.name].see(cluster, at(second));
  return std::make_shared<const usage::Reckoning>(std::move(read));
}

// The command line had --for-history, and the screen the queue of now alone.
TEST(PackTime, TakesTheDemandFromWhatWasNeededOnceThePastIsRead) {
  Session session = changing({120, 40});
  session.state.usage.sources = {usage::PastSource::recording};
  session.press(":pack history 30d<enter>");
  EXPECT_TRUE(session.shows("what was needed in the past is being read")) << session.screen();
  EXPECT_EQ(session.state.usage.since, Duration(std::chrono::hours(720))) << "that is what is read now";
  EXPECT_TRUE(tui::reads_past(session.state));
  session.state.usage.read = recorded(session, std::chrono::hours(168));
  session.pass(Duration(0));
  EXPECT_TRUE(session.state.pack->history) << "seven days do not stand for thirty";
  session.state.usage.read = recorded(session, std::chrono::hours(720));
  session.pass(Duration(0));
  EXPECT_FALSE(session.state.pack->history);
  EXPECT_TRUE(session.state.pack->question) << "the planner is asked at once, and not with the next event";
  EXPECT_FALSE(tui::reads_past(session.state)) << "it is read once";
  session.pack();
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node; proven minimum 1")) << session.screen();
  EXPECT_TRUE(session.shows("the history from ")) << session.screen();
  EXPECT_TRUE(session.shows("3g.40gb: 2 at most at ")) << session.screen();
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  EXPECT_EQ(session.state.plan->plan.intent.words, "packed for the history");
  session.press("<esc>").press("+");
  EXPECT_FALSE(session.shows("the history from ")) << "an edit makes it another demand";
}

TEST(PackTime, AHistoryThatCannotBeHadIsSaidAndNotWaitedFor) {
  Session session = changing({200, 40});
  session.press(":pack history 30d<enter>");
  EXPECT_TRUE(session.shows("nothing here has kept the past")) << session.screen();
  EXPECT_FALSE(session.state.pack->history);
  session.press(":pack history soon<enter>");
  EXPECT_TRUE(session.shows("history takes a time from 1h to 3650d")) << session.screen();
  session.state.usage.sources = {usage::PastSource::recording};
  session.press(":pack history 30d<enter>");
  session.state.usage.failure = Error{"cannot read the recording", "it is damaged", ""};
  session.pass(Duration(0));
  EXPECT_TRUE(session.shows("it is damaged")) << session.screen();
  EXPECT_FALSE(session.state.pack->history);
}

// The failure of the reading before stood for each that was asked for later, and nothing was read.
TEST(PackTime, AHistoryThatCouldNotBeReadIsReadOnceMoreByTheSameCommand) {
  Session session = changing({200, 40});
  session.state.usage.sources = {usage::PastSource::recording};
  session.press(":pack history 30d<enter>");
  session.state.usage.failure = Error{"cannot read the recording", "it is damaged", ""};
  session.pass(Duration(0));
  ASSERT_FALSE(session.state.pack->history);
  session.state.usage.wanted_again = false;
  session.press(":pack history 30d<enter>");
  EXPECT_TRUE(session.state.pack->history) << session.screen();
  EXPECT_TRUE(session.state.usage.wanted_again) << "it is read once more";
  EXPECT_FALSE(session.state.usage.failure);
}

TEST(PackTime, WhereOnlyTheAccountingKeptThePastTheWayToAskItIsNamedAndTheCommandAsksIt) {
  Session session = changing({200, 40});
  session.state.usage.sources = {usage::PastSource::accounting};
  session.press(":pack history 30d<enter>");
  EXPECT_TRUE(session.shows("o on :usage asks it")) << session.screen();
  session.state.usage.chosen = usage::PastSource::accounting;
  session.press(":pack history 30d<enter>");
  EXPECT_TRUE(session.state.pack->history) << session.screen();
  EXPECT_TRUE(session.state.usage.asked) << "else it would be waited for without end";
}

// The time counted at once, for the demand of before.
TEST(PackTime, ADemandThatCannotBeReadLeavesTheTimeBehindItOut) {
  Session session = asking("3g.40gb=2", {200, 40});
  session.press(":pack 3g.40gb=x by 4h<enter>");
  EXPECT_TRUE(session.shows("3g.40gb=x")) << session.screen();
  EXPECT_FALSE(session.state.pack->until);
  session.pack();
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node")) << "the demand stays: " << session.screen();
}

TEST(PackTime, ATimeOrRequeueDoesNotEndTheReadingOfTheQueue) {
  Session session = asking("3g.40gb=4", {120, 40});
  session.press("f").press(":pack by 4h<enter>");
  ASSERT_TRUE(session.state.pack->question);
  EXPECT_TRUE(session.state.pack->question->reads_queue) << "what waits was asked for";
  session.press(":pack by never<enter>r");
  ASSERT_TRUE(session.state.pack->question);
  EXPECT_TRUE(session.state.pack->question->reads_queue);
  session.pack().pack();
  EXPECT_TRUE(session.shows("the queue: 2 jobs or pods")) << session.screen();
}

// Cut to the minute, what ends within the last one was not waited for.
TEST(PackTime, TheCopiedCommandNamesTheTimeToTheSecond) {
  Session session = asking("3g.40gb=2 by 2027-01-16T08:00:59Z", {120, 40});
  session.press("y");
  ASSERT_FALSE(session.effects.empty());
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_NE(session.effects.back().copy->find(" --ends-within 2027-01-16T08:00:59Z"), std::string::npos)
      << *session.effects.back().copy;
}

}  // namespace pack_time_test
}  // namespace tessera::test
