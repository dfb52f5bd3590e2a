// What-if in the layout editor: the headline of the next hours, of the editor and not of the plan's notices.
#include <gtest/gtest.h>

#include "tests/support/build.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/layout_places.hpp"
#include "tui/screens/large.hpp"

namespace tessera::test {
namespace {

// One whole GPU that nobody holds, and bob who waits for a slice of it.
Model one_free_gpu(bool anyone_waits) {
  Story story;
  Gpu gpu = test::gpu(0, Strategy::whole, {whole(0)});
  gpu.mig_mode = MigMode::disabled;
  story.tell(ClusterSeen{Scheduler::slurm, true, "", ""});
  story.tell(NodesListed{{node("n1", {gpu})}});
  Workload job = waiting("7", "bob", "gpu:3g.40gb");
  job.node_count = 1;
  story.tell(WorkloadsListed{anyone_waits ? std::vector<Workload>{job} : std::vector<Workload>{}});
  story.tell(SourceReport{Source::simulator, std::nullopt, Duration{5}});
  story.tell(Loaded{});
  return story.model;
}

TEST(NextHours, TheEditorSaysWhoStartsSoonerWithWhatIsWantedAndThePlanSaysItOnce) {
  Session session(one_free_gpu(true), {120, 40});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>");
  EXPECT_TRUE(session.shows("NEXT HOURS")) << session.screen();
  EXPECT_TRUE(session.shows("1 starts sooner")) << session.screen();
  session.press("P");
  EXPECT_FALSE(session.shows("next-hours")) << session.screen();
}

TEST(NextHours, TheHoursAreChosenInTheEditorAndGoWithThePlan) {
  Session session(one_free_gpu(true), {120, 60});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>");
  EXPECT_TRUE(session.shows("within 24 h")) << session.screen();
  session.press("H");
  EXPECT_TRUE(session.shows("within 48 h")) << session.screen();
  EXPECT_FALSE(session.shows("within 24 h")) << session.screen();
  session.press("P");
  EXPECT_TRUE(session.shows("within 48 h")) << session.screen();
  EXPECT_TRUE(session.shows("the next 48 h; H plays others")) << session.screen();
  session.press("HH");  // 72, then the first again
  EXPECT_TRUE(session.shows("the next 6 h")) << session.screen();
  EXPECT_TRUE(session.shows("within 6 h")) << session.screen();
  // Planned again with another option, the hours stay.
  session.press("p");
  EXPECT_TRUE(session.shows("within 6 h")) << session.screen();
}

// Where the preview was scrolled the answer was out of view: "the next 48 h are played", and nothing to read.
TEST(NextHours, OnASmallTerminalTheKeyBringsTheirLineIntoView) {
  Session session(layout_place(), {80, 24});
  session.press(":node lab1<enter>Lc").press("<pgdn><pgdn>");
  ASSERT_FALSE(session.shows("NEXT HOURS")) << session.screen();
  session.press("H");
  EXPECT_TRUE(session.shows("NEXT HOURS")) << session.screen();
  EXPECT_TRUE(session.shows("within 48 h")) << session.screen();
}

TEST(NextHours, WithNothingEditedTheKeySaysWhyNot) {
  Session session(one_free_gpu(true), {120, 40});
  session.press(":node n1<enter>LH");
  EXPECT_TRUE(session.shows("nothing is edited yet")) << session.screen();
}

// On 80x24 it stood below what is in the way, off the screen, and its key was named nowhere.
TEST(NextHours, OnTheSmallScreenItIsSeenAtOnceWithItsKey) {
  Session session(layout_place(), {80, 24});
  session.press(":node lab1<enter>Lpjjjj");
  for (const char* text : {"DISTURBS 2", "NEXT HOURS", "H plays other hours"})
    EXPECT_TRUE(session.shows(text)) << text << "\n" << session.screen();
}

// One free GPU and a job that waits for a slice, beside more nodes than are played between two keys.
Model one_free_gpu_of_many(int others) {
  Model model = one_free_gpu(true);
  std::vector<Node> nodes = model.clusters.front().nodes.copies();
  for (int i = 0; i < others; ++i) nodes.push_back(node("c" + std::to_string(10000 + i), {}));
  reduce(model, on("hpc", NodesListed{std::move(nodes)}));
  return model;
}

// "the cluster is too large to play its next hours": above 300 nodes in the editor, above 2000 on a plan.
TEST(NextHours, ThoseOfALargeClusterArePlayedBesideTheKeys) {
  Session session(one_free_gpu_of_many(2100), {120, 60});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>");
  EXPECT_TRUE(session.shows("the next 24 h are being played")) << session.screen();
  session.work_out();
  EXPECT_TRUE(session.shows("1 starts sooner")) << session.screen();
  session.press("H");
  EXPECT_TRUE(session.shows("the next 48 h are being played")) << session.screen();
  session.press("P");
  EXPECT_TRUE(session.shows("the next 48 h are being played")) << session.screen();
  session.work_out();
  EXPECT_TRUE(session.shows("within 48 h")) << session.screen();
  session.press("H");
  EXPECT_TRUE(session.shows("the next 72 h are being played")) << session.screen();
  EXPECT_FALSE(session.shows("within 48 h")) << "that of other hours is none\n" << session.screen();
  session.work_out();
  EXPECT_TRUE(session.shows("within 72 h")) << session.screen();
}

// An answer that came late stood as the next hours of whatever plan was shown then.
TEST(NextHours, AnAnswerForAnotherPlanIsNone) {
  Session session(one_free_gpu_of_many(2100), {120, 60});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>").press("P");
  const auto first = session.state.plan->asked_hours->question;
  session.press("H");
  tui::update(session.state, session.world(), tui::LargeTold{tui::answer_of(first), {}});
  EXPECT_FALSE(session.state.plan->whatif) << session.screen();
  EXPECT_TRUE(session.shows("the next 48 h are being played")) << session.screen();
}

// Who leaves the console, or asks for something else, waited until all of the hours were played.
TEST(NextHours, APlayThatIsGivenUpEndsWithItsFirstLook) {
  Session session(one_free_gpu_of_many(2100), {120, 60});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>").press("P");
  const auto question = session.state.plan->asked_hours->question;
  int asked = 0;
  const auto give_up = [&asked] { return ++asked > 0; };
  ASSERT_TRUE(tui::answer_of(question, give_up));
  EXPECT_EQ(asked, 2) << "once without the plan, once with it";
}

// The editor's answer came while its plan was on top, and "are being played" stood there for ever.
TEST(NextHours, WhatWasPlayedMeanwhileStandsInTheEditorOnTheWayBack) {
  Session session(one_free_gpu_of_many(400), {120, 60});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>");
  EXPECT_TRUE(session.shows("the next 24 h are being played")) << session.screen();
  session.press("P");
  session.work_out();
  session.press("<esc>");
  EXPECT_TRUE(session.shows("1 starts sooner")) << session.screen();
  EXPECT_FALSE(session.shows("as of")) << session.screen();
  session.tell(on("hpc", NodeSeen{node("late", {})}));
  EXPECT_TRUE(session.shows("as of")) << "it is of the cluster as it was\n" << session.screen();
  session.pass(Duration{15'000});
  session.work_out();
  EXPECT_FALSE(session.shows("as of")) << session.screen();
}

TEST(NextHours, AnAnswerForAnotherWishIsNone) {
  Session session(one_free_gpu_of_many(400), {120, 60});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>");
  const auto first = session.state.large.hours->question;
  session.press("z");
  tui::update(session.state, session.world(), tui::LargeTold{tui::answer_of(first), {}});
  EXPECT_FALSE(session.shows("1 starts sooner")) << session.screen();
}

TEST(NextHours, WhereNobodyWaitsNothingIsSaid) {
  Session session(one_free_gpu(false), {120, 40});
  session.press(":node n1<enter>L").press("pjjjjjj<enter>");
  EXPECT_FALSE(session.shows("NEXT HOURS")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
