// The pack screen: its demand is taken from what waits or from what was needed, and a past moment is planned.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "engine/usage/reckoning.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/pack_places.hpp"
#include "tests/tui/screens/past_moment.hpp"
#include "tui/pack_state.hpp"
#include "tui/packer.hpp"
#include "tui/screens/documents.hpp"
#include "tui/usage_reading.hpp"

namespace tessera::test {
namespace pack_test {

using tui::ScreenKind;

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
TEST(Pack, TakesTheDemandFromWhatWasNeededOnceThePastIsRead) {
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

TEST(Pack, AHistoryThatCannotBeHadIsSaidAndNotWaitedFor) {
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

TEST(Pack, TakesTheDemandFromWhatWaits) {
  Session session = changing();
  session.press(":pack<enter>f");
  ASSERT_TRUE(session.state.pack->question && session.state.pack->question->reads_queue)
      << "the queue is read beside the keys";
  const auto then = session.state.pack->question->then;
  session.pack();
  EXPECT_EQ(session.state.pack->question->then, then) << "the cluster is copied once for both";
  session.pack();
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node; proven minimum 1")) << session.screen();
  session.resize({120, 40});  // below the names of those that start sooner
  EXPECT_TRUE(session.shows("the queue: 2 jobs or pods")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.plan->plan.intent.words, "packed for the queue");
}

TEST(Pack, WhatNoNodeCouldGiveAtOnceIsNoPartOfTheQueueAndIsNamed) {
  Session session = changing({120, 40});
  Workload many = waiting("99", "bob", "gpu:3g.40gb");
  many.requests.front().count = 40, many.node_count = 1, many.group = "big";
  session.tell(on("hpc", WorkloadSeen{many}));
  session.press(":pack<enter>f").pack().pack();
  EXPECT_TRUE(
      session.shows("not counted: 1 jobs or pods; no node of partition big could give 40 × gpu:3g.40gb"))
      << session.screen();
  EXPECT_TRUE(session.shows("the queue: 2 jobs or pods")) << session.screen();
  session.press("r");
  EXPECT_TRUE(session.state.pack->question && session.state.pack->question->reads_queue)
      << "what may move gives other nodes room";
  session.pack().pack();
  EXPECT_TRUE(session.shows("not counted: 1 jobs or pods")) << session.screen();
  session.press("+");
  EXPECT_FALSE(session.shows("not counted: 1 jobs or pods")) << "a demand that is typed";
}

// Two slices fit on one GPU, which jobs of two partitions cannot share.
TEST(Pack, WhatWaitsForTwoPartitionsIsPlannedForOnTheNodesOfEach) {
  Session session = changing({120, 40});
  for (const char* name : {"n0031", "n0041", "n0042", "n0043", "n0044", "n0045"}) {
    Node one = node(name, {sevenths(0, 0), sevenths(1, 7)});
    one.partitions = {one.name == NodeName("n0045") ? "short" : "long"};
    session.tell(on("hpc", NodeSeen{one}));
  }
  for (const char* group : {"short", "long"}) {
    Workload job = waiting(group == std::string("short") ? "88140" : "88141", "judy", "gpu:3g.40gb");
    job.group = group;
    session.tell(on("hpc", WorkloadSeen{job}));
  }
  session.press(":pack<enter>f").pack().pack();
  ASSERT_TRUE(session.state.pack->answer && session.state.pack->answer->answer) << session.screen();
  std::set<std::string> changed;
  for (const pack::BoardPlan& plan : session.state.pack->answer->answer->boards)
    changed.insert(session.state.pack->answer->problem->boards[plan.board].node.text);
  EXPECT_EQ(changed.size(), 2u) << session.screen();
  EXPECT_TRUE(changed.contains("n0045"));
  EXPECT_TRUE(session.shows("touches 2 GPUs on 2 nodes; proven minimum 2")) << session.screen();
  session.press("+");
  EXPECT_FALSE(session.state.pack->queue) << "a demand that is typed is met on any node";
}

TEST(Pack, EscAndAnEditEndTheReadingOfTheQueue) {
  Session session = asking("3g.40gb=2");
  session.press("f<esc>");
  EXPECT_FALSE(session.state.pack->question);
  EXPECT_TRUE(session.shows("stopped")) << session.screen();
  session.press("f");
  const auto late = tui::answer_of(session.state.pack->question);
  session.press(":pack 3g.40gb=4<enter>");
  tui::update(session.state, session.world(), tui::PackTold{late});
  session.pack();
  EXPECT_TRUE(session.shows("touches 2 GPUs on 1 node")) << session.screen();
  EXPECT_FALSE(session.shows("the queue:")) << session.screen();
}

TEST(Pack, APastMomentIsPlannedByItsOwnTimeAndNothingIsArmedThere) {
  Session session = answered("3g.40gb=2", {120, 40});
  show_past(session, 30);
  EXPECT_FALSE(session.state.pack->answer) << "the answer of now is not one of then";
  session.pack();
  EXPECT_TRUE(session.shows("touches 1 GPU")) << "the demand stays: " << session.screen();
  EXPECT_TRUE(session.shows("as of " + tui::time_text(at(-1800)))) << session.screen();
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  session.press("A");
  EXPECT_FALSE(session.state.arming);
  tui::update(session.state, session.world(), tui::OtherWorld{false});
  session.press("A");
  EXPECT_FALSE(session.state.arming) << "the plan was made of the past";
  EXPECT_FALSE(session.state.pack->answer) << "the answer of then is not one of now";
}

// Whom it disturbs, and who waits less, is told of a copy of the cluster, though the same GPUs change.
TEST(Pack, EachMomentOfThePastIsAskedOfItsOwnCopyOfTheCluster) {
  Session session = changing({120, 40});
  show_past(session, 30);
  session.press(":pack 3g.40gb=2<enter>").pack();
  show_past(session, 60);
  ASSERT_TRUE(session.state.pack->working());
  EXPECT_TRUE(session.shows("another moment is shown")) << session.screen();
  EXPECT_EQ(session.state.pack->question->then->now, at(-3600));
  session.pack();
  EXPECT_TRUE(session.shows("as of " + tui::time_text(at(-3600)))) << session.screen();
}

TEST(Pack, WhatWaitedThenIsNotCalledTheQueueOfNow) {
  Session session = changing({120, 40});
  show_past(session, 30);
  session.press(":pack<enter>f").pack();
  ASSERT_FALSE(session.state.pack->source.empty());
  tui::update(session.state, session.world(), tui::OtherWorld{false});
  EXPECT_TRUE(session.state.pack->source.empty());
}

TEST(Pack, NothingIsPlannedWithoutAMomentOfTheRecording) {
  Session session = changing();
  session.state.past = true;
  session.press(":pack<enter>");
  EXPECT_TRUE(session.shows("nothing is recorded of this cluster")) << session.screen();
  EXPECT_FALSE(session.shows("+ more")) << "no key is offered that does nothing: " << session.screen();
  session.press("+<enter>");
  EXPECT_FALSE(session.state.pack->question);
  EXPECT_EQ(session.state.top().kind, ScreenKind::pack);
}

// "The recording cannot be read" stood there where nothing was recorded of that moment.
TEST(Pack, WhyARecordingTellsNothingOfAMomentIsToldInItsOwnWords) {
  Session session = changing();
  show_past(session, 30);
  const Error nothing{"cannot show it", "nothing is recorded of this moment", ""};
  session.tell(on("hpc", SourceReport{Source::none, nothing}, -1800));
  session.press(":pack<enter>");
  EXPECT_TRUE(session.shows("nothing is recorded of this moment")) << session.screen();
  EXPECT_FALSE(session.shows("cannot be read")) << session.screen();
}

}  // namespace pack_test
}  // namespace tessera::test
