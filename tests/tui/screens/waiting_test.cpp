// The waiting list: the sentence above its rows, and what an empty one says.
#include <gtest/gtest.h>

#include "tests/support/build.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/past_moment.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

TEST(WaitingList, ItsHeadSaysHowMuchWaitsAndHowMuchWouldFitNow) {
  Session session(two_places(), {120, 40});
  session.press("w");
  EXPECT_TRUE(session.shows("3 wait for a GPU: ")) << session.screen();
  EXPECT_TRUE(session.shows(" would fit now")) << session.screen();
  session.press("/<c-u>user=alice<enter>");
  EXPECT_FALSE(session.shows("wait for a GPU")) << "another list\n" << session.screen();
}

// Over a moment of a recording stood what would fit "now", and what was free "now".
TEST(WaitingList, OverAPastMomentNothingIsNow) {
  Session session(two_places(), {120, 24});
  show_past(session, 30);
  session.press("w");
  EXPECT_TRUE(session.shows(" would fit then")) << session.screen();
  EXPECT_FALSE(session.shows(" would fit now")) << session.screen();
  session.press("1").resize({80, 24});
  EXPECT_TRUE(session.shows("FREE THEN")) << session.screen();
  EXPECT_FALSE(session.shows("FREE NOW")) << session.screen();
}

TEST(WaitingList, OfAPartOfWhatWaitsThereIsNoSentenceAboutAllOfIt) {
  Session session(two_places(), {120, 40});
  session.press("w/<c-u>state=pending user=judy<enter>");
  EXPECT_TRUE(session.shows("88141")) << session.screen();
  EXPECT_FALSE(session.shows("wait for a GPU")) << session.screen();
}

// The title called it workloads, which is another screen.
TEST(WaitingList, ItIsNamedInTheTitleAsLongAsOnlyWhatWaitsIsListed) {
  Session session(two_places(), {120, 40});
  const auto title = [&] { return session.screen().substr(0, session.screen().find('\n')); };
  session.press("w");
  EXPECT_NE(title().find("› waiting"), std::string::npos) << title();
  session.press("/<c-u>state=pending user=judy<enter>");
  EXPECT_NE(title().find("› waiting"), std::string::npos) << title();
  for (const char* other : {"!state=pending", "state=pending | state=running", "user=judy"}) {
    session.press("/<c-u>").press(other).press("<enter>");
    EXPECT_NE(title().find("› workloads"), std::string::npos) << other << "\n" << title();
  }
}

// Whether a job would start again when killed says nothing of one that waits, and took cells of its reason.
TEST(WaitingList, HasNoColumnsOfWhatOnlyRunningWorkHas) {
  Session session(two_places(), {120, 40});
  session.press("w");
  for (const char* column : {"RESTARTS", "HOLDS", "10 MIN"})
    EXPECT_FALSE(session.shows(column)) << column << "\n" << session.screen();
}

// One word of Slurm's was to be looked up; at 80 columns there is no room for more.
TEST(WaitingList, WhyAJobWaitsStandsThereInPlainWordsWhereTheyHaveRoom) {
  Session session(two_places(), {120, 40});
  session.press("w");
  EXPECT_NE(session.line_with("88141").find("it waits for resources: what it asks for is not free"),
            std::string::npos)
      << session.screen();
  session.press("/<c-u>state=pending Resources<enter>");
  EXPECT_TRUE(session.shows("88141")) << "the word of Slurm is still found\n" << session.screen();
  session.resize({80, 24});
  EXPECT_NE(session.line_with("88141").find("Resources"), std::string::npos) << session.screen();
}

TEST(WaitingList, AReasonThatIsNoKnownCodeStaysAsItIs) {
  Model model = two_places();
  Workload odd = waiting("88199", "alice", "gpu:h100");
  odd.reason = "WaitsForTheMoon";
  reduce(model, on("hpc", WorkloadSeen{odd}));
  Session session(model, {120, 40});
  session.press("w");
  EXPECT_NE(session.line_with("88199").find("WaitsForTheMoon"), std::string::npos) << session.screen();
}

// A CPU job among those that wait was counted as one that waits for a GPU.
TEST(WaitingList, AJobThatAsksForNoGpuDoesNotWaitForOne) {
  Model model = two_places();
  Workload plain = waiting("88199", "alice", "gpu:h100");
  plain.requests.clear();
  reduce(model, on("hpc", WorkloadSeen{plain}));
  Session session(model, {120, 40});
  session.press("w");
  EXPECT_TRUE(session.shows("88199")) << session.screen();
  EXPECT_TRUE(session.shows("3 wait for a GPU: ")) << session.screen();
}

TEST(WaitingList, WhereOnlyMyOwnAreListedAnEmptyOneDoesNotSayThatNothingWaits) {
  Session session(two_places(), {120, 40});
  session.state.me = "nobody";
  session.press("wu");
  EXPECT_FALSE(session.shows("88141")) << session.screen();
  EXPECT_FALSE(session.shows("Nothing waits for a GPU.")) << session.screen();
}

// One silent cluster made it say of all of them that what is free is not known.
TEST(WaitingList, AClusterThatDoesNotAnswerLeavesTheSentenceAboutTheOthers) {
  Model model = two_places();
  reduce(model, on("train-a", WorkloadsListed{{waiting("ml/one", "judy", "nvidia.com/gpu")}}));
  reduce(model, on("train-a", SourceReport{Source::simulator, Error{"does not answer", "no route", ""}}));
  Session session(model, {120, 40});
  session.press("w");
  EXPECT_TRUE(session.shows("3 wait for a GPU: 3 for room, of which 0 would fit now.")) << session.screen();
  EXPECT_TRUE(session.shows("Those of train-a are not counted:")) << session.screen();
}

// One GPU is cut for the one or for the other: 2 of 2 were told to fit.
TEST(WaitingList, WhatFitsOfSeveralResourcesIsToldAsTheMost) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{waiting("2", "ann", "gpu:3g.40gb"), waiting("3", "ann", "gpu:7g.80gb")}});
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
    story.tell(SourceReport{source, {}, {}, "", false});
  story.tell(Loaded{});
  Session session(story.model, {120, 40});
  session.press("w");
  EXPECT_TRUE(
      session.shows("2 wait for a GPU: 2 for room, of which 0 would fit now and at most 2 after a "
                    "re-cut."))
      << session.screen();
}

// It counted GPUs alone: the job for whose CPUs there is no room was told to fit.
TEST(WaitingList, AJobWhoseCpusAreNotFreeIsNotSaidToFit) {
  Node busy = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  busy.cpus = 64, busy.cpus_held = 62;
  Workload big = waiting("2", "ann", "gpu:h100"), small = waiting("3", "ann", "gpu:h100");
  big.needs.emplace().cpus = 8, small.needs.emplace().cpus = 2;
  Story story;
  story.tell(NodesListed{{busy}});
  story.tell(WorkloadsListed{{big, small}});
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
    story.tell(SourceReport{source, {}, {}, "", false});
  story.tell(Loaded{});
  Session session(story.model, {120, 40});
  session.press("w");
  EXPECT_TRUE(session.shows("2 wait for a GPU: 2 for room, of which 1 would fit now.")) << session.screen();
  session.press("1");
  EXPECT_TRUE(session.shows("1 of 2 fit")) << session.screen();
}

TEST(WaitingList, AClickBelowItsHeadHitsTheRowThatIsDrawnThere) {
  Session session(two_places(), {120, 40});
  session.press("w");
  const std::string screen = session.screen();
  const std::size_t found = screen.find("88141");
  ASSERT_NE(found, std::string::npos) << screen;
  const auto y =
      static_cast<int>(std::count(screen.begin(), screen.begin() + static_cast<long>(found), '\n'));
  session.mouse(tui::Mouse::Kind::press, 5, y);
  EXPECT_NE(session.state.top().cursor.find("88141"), std::string::npos) << session.state.top().cursor;
}

TEST(WaitingList, AnEmptyOneSaysWhatStandsThereAndWhatToLookAtInstead) {
  Model model = two_places();
  for (const char* id : {"88140", "88141", "88142"}) reduce(model, on("hpc", WorkloadGone{WorkloadId(id)}));
  Session session(model, {80, 24});
  session.press("w");
  EXPECT_TRUE(session.shows("Nothing waits for a GPU.")) << session.screen();
  EXPECT_TRUE(session.shows(":free")) << session.screen();
  EXPECT_FALSE(session.shows("Not everything is listed")) << session.screen();
}

TEST(WaitingList, WhereJobsAreNotToldAnEmptyOneSaysSo) {
  Model model = two_places();
  for (const char* id : {"88140", "88141", "88142"}) reduce(model, on("hpc", WorkloadGone{WorkloadId(id)}));
  reduce(model,
         on("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(5), "line 3 is cut short", true}));
  Session session(model, {120, 30});
  session.press("w");
  EXPECT_TRUE(session.shows("line 3 is cut short")) << session.screen();
}

// The key was named after the list that one was looking at.
TEST(WaitingList, TheKeyThatTellsWhyIsNamedByThat) {
  Session session(small_place());
  session.press("w");
  EXPECT_TRUE(session.shows("w why")) << session.screen();
  session.press("5");
  EXPECT_TRUE(session.shows("w waiting")) << session.screen();
}

// Its sentence was cut at 80 columns: "on one of them Enter shows what would …".
TEST(WaitingList, WhatAnEmptyListTeachesIsWholeOnANarrowScreen) {
  Model model;
  reduce(model, on("hpc", ClusterSeen{}));
  reduce(model, on("hpc", NodesListed{{mixed_node()}}));
  reduce(model, on("hpc", WorkloadsListed{{}}));
  reduce(model, on("hpc", Loaded{}));
  Session session(std::move(model), {80, 24});
  session.press("w");
  EXPECT_TRUE(session.shows("Jobs and pods stand here")) << session.screen();
  EXPECT_TRUE(session.shows("would help it.")) << session.screen();
  EXPECT_FALSE(session.shows(" with\n")) << "a line of one word: " << session.screen();
}

// Esc on the list that w opened took its filter away and showed all jobs; from the page of a node it then
// led to the overview.
TEST(WaitingList, EscLeadsBackToThePageThatItWasOpenedFrom) {
  Session session(two_places(), {80, 24});
  session.press(":node n0007<enter>w");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::workloads);
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::node) << session.screen();
  EXPECT_EQ(session.state.top().subject, "n0007");
  session.press("2w<esc>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::overview) << session.screen();
}

TEST(WaitingList, AFilterTypedOverItIsTakenAwayFirst) {
  Session session(two_places(), {80, 24});
  session.press("w/ user=judy<enter>");
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workloads);
  EXPECT_EQ(session.state.top().filter_text, "state=pending") << session.screen();
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::overview);
}

// "3 for room, of which 0 would fit now": the cluster had told nothing yet when that was counted.
TEST(WaitingList, OfALargeClusterThatAnswersOnlyAfterTheCountItDoesNotSayThatNothingFits) {
  Model model = large_places();
  reduce(model, on("hpc", SourceReport{Source::slurm_jobs, Error{"no answer", "timed out", ""}, {}}));
  Session session(std::move(model), {200, 40});
  session.work_out();
  session.tell(on("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(5)}));
  session.pass(Duration{6'000}).press("w");
  EXPECT_TRUE(session.shows("How many would start now is being counted.")) << session.screen();
  EXPECT_FALSE(session.shows("would fit now")) << session.screen();
  session.pass(Duration{15'000}).work_out();
  EXPECT_TRUE(session.shows("would fit now")) << session.screen();
  EXPECT_TRUE(session.shows("Counted at ")) << session.screen();
}

// They were added to those of which "0 would fit", as if they had been looked at.
TEST(WaitingList, JobsThatCameAfterTheCountOfALargeSiteAreToldApart) {
  Session session(large_places(), {200, 40});
  session.work_out();
  std::vector<Workload> work = small_work();
  work.push_back(waiting("88150", "judy", "gpu:h100"));
  work.back().submitted = at(2);
  session.pass(Duration{6'000}).tell(on("hpc", WorkloadsListed{work}, 3));
  session.press("w");
  EXPECT_TRUE(session.shows("4 wait for a GPU: ")) << session.screen();
  EXPECT_TRUE(session.shows("As counted at ")) << session.screen();
  EXPECT_TRUE(session.shows("without 1 that")) << session.screen();
}

// A job that was requeued had been submitted long before the count.
TEST(WaitingList, AJobThatWaitsAgainSinceTheCountOfALargeSiteIsToldApart) {
  Session session(large_places(), {200, 40});
  session.work_out();
  std::vector<Workload> work = small_work();
  work.push_back(waiting("88150", "judy", "gpu:h100"));
  work.back().submitted = at(-86'400);
  session.pass(Duration{6'000}).tell(on("hpc", WorkloadsListed{work}, 3));
  session.press("w");
  EXPECT_TRUE(session.shows("without 1 that")) << session.screen();
}

TEST(WaitingList, WhereAllJobsOfALargeSiteCameAfterTheCountItDoesNotSayThatNothingFits) {
  Model model = large_places();
  reduce(model, on("hpc", WorkloadsListed{}));
  Session session(std::move(model), {200, 40});
  session.work_out();
  Workload later = waiting("88150", "judy", "gpu:h100");
  later.submitted = at(2);
  session.pass(Duration{6'000}).tell(on("hpc", WorkloadsListed{{later}}, 3));
  session.press("w");
  EXPECT_TRUE(session.shows("1 waits for a GPU. How many would start now is being counted."))
      << session.screen();
}

}  // namespace
}  // namespace tessera::test
