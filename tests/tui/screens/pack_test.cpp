// The pack screen: a demand is edited, the planner answers beside, and Enter leads to the plan.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <set>

#include "tests/support/golden.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/past_moment.hpp"
#include "tui/pack_state.hpp"
#include "tui/packer.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::test {
namespace pack_test {

using tui::ScreenKind;

Session asking(const std::string& demand, tui::Size size = {80, 24}) {
  Session session = changing(size);
  session.press(":pack " + demand + "<enter>");
  return session;
}

Session answered(const std::string& demand, tui::Size size = {80, 24}) {
  Session session = asking(demand, size);
  session.pack();
  return session;
}

// The cursor on the line of that profile.
void go_to(Session& session, const std::string& profile) {
  session.press("g");
  for (int i = 0; i < 12 && session.line_with("▌").find(profile + " ") == std::string::npos; ++i)
    session.press("j");
}

TEST(Pack, ADemandIsEditedByKeysAndTheAnswerSaysWhatIsProven) {
  Session session = changing();
  session.press(":pack<enter>");
  EXPECT_TRUE(session.shows("How many instances are to be free?")) << session.screen();
  go_to(session, "3g.40gb");
  session.press("+++-").pack();
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node; proven minimum 1")) << session.screen();
  session.press("#4<enter>").pack();
  EXPECT_TRUE(session.shows("touches 2 GPUs on 1 node; proven minimum 2")) << session.screen();
  EXPECT_TRUE(session.shows("disturbs")) << session.screen();
  session.press("c");
  EXPECT_FALSE(session.shows("touches")) << "nothing is asked for any more";
}

// A demand that was typed right after the start was lost, and had to be typed again.
TEST(Pack, ADemandThatIsTypedWhileTheClusterIsReadIsPlannedOnceItIsRead) {
  Session session = changing();
  session.model.clusters.front().loaded = false;
  session.press(":pack 3g.40gb=2<enter>");
  EXPECT_TRUE(session.shows("the cluster is still being read")) << session.screen();
  EXPECT_TRUE(session.shows("it is read first, then this demand is planned: 3g.40gb=2")) << session.screen();
  session.tell(on("hpc", Loaded{}));
  session.pack();
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node; proven minimum 1")) << session.screen();
  EXPECT_FALSE(session.shows("it is read first")) << session.screen();
}

TEST(Pack, ADemandThatWasTypedTooEarlyAndCannotBeReadIsNamedOnceTheClusterIsRead) {
  Session session = changing({200, 40});
  session.model.clusters.front().loaded = false;
  session.press(":pack 3g.40gb=x<enter>");
  session.tell(on("hpc", Loaded{}));
  EXPECT_TRUE(session.shows("3g.40gb=x")) << session.screen();
  EXPECT_TRUE(session.shows("How many instances are to be free?")) << session.screen();
}

TEST(Pack, WhatCannotBeMetIsToldWithTheReason) {
  Session session = answered("7g.80gb=13");
  EXPECT_TRUE(session.shows("unmet: 2 of 13 7g.80gb")) << session.screen();
}

// On 24 rows the reasons left five lines to the demand and its GPUs.
TEST(Pack, ManyReasonsLeaveTheDemandMostOfASmallScreenAndAreReadAtItsEnd) {
  Session session = answered("3g.40gb=5 7g.80gb=2");
  tui::PackAnswer answer = *session.state.pack->answer;
  ASSERT_TRUE(answer.preview.plan);
  for (int i = 0; i < 12; ++i)
    answer.preview.plan->violations.push_back(
        {Severity::danger, "rule", NodeName("n0031"), "reason " + std::to_string(i) + " against it"});
  tui::PackState pack = *session.state.pack;
  pack.answer = std::make_shared<const tui::PackAnswer>(std::move(answer));
  session.state.pack = std::make_shared<const tui::PackState>(std::move(pack));
  for (const char* profile : {"1g.10gb ", "2g.20gb ", "3g.40gb ", "4g.40gb ", "7g.80gb "})
    EXPECT_TRUE(session.shows(profile)) << session.screen();
  EXPECT_TRUE(session.shows("touches 5 GPUs")) << session.screen();
  EXPECT_TRUE(session.shows("more lines stand at the end of the list")) << session.screen();
  EXPECT_FALSE(session.shows("reason 11")) << session.screen();
  session.press("G<pgdn><pgdn><pgdn><pgdn><pgdn>");
  EXPECT_TRUE(session.shows("reason 11")) << session.screen();
}

// Below the demand of many profiles no line of the GPUs was on the screen.
TEST(Pack, OnASmallScreenTheGpusThatChangeAreNamedWithoutScrolling) {
  Session session = answered("3g.40gb=5 7g.80gb=2");
  EXPECT_NE(session.line_with("where ").find("n[0031,0041] GPU 0-1, n0042 GPU 0"), std::string::npos)
      << session.screen();
  Session wide = answered("3g.40gb=5 7g.80gb=2", {120, 40});
  EXPECT_FALSE(wide.shows("GPU 0-1")) << "they stand beside it: " << wide.screen();
}

TEST(Pack, TheAnswerBeforeStaysAndIsMarkedAsOldUntilTheNewOneComes) {
  Session session = answered("3g.40gb=2");
  session.press(":wanted 4<enter>");
  go_to(session, "3g.40gb");
  session.press("+");
  EXPECT_TRUE(session.shows("what is shown is the one before")) << session.screen();
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::pack) << "an old answer was planned";
  EXPECT_EQ(session.state.message.text, "the answer is still being worked out");
  session.pack();
  EXPECT_FALSE(session.shows("the one before")) << session.screen();
}

TEST(Pack, EscStopsWaitingAndAnEditAsksAgain) {
  Session session = asking("3g.40gb=2");
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::pack);
  EXPECT_FALSE(session.state.pack->question) << "the planner is still asked";
  EXPECT_TRUE(session.shows("stopped")) << session.screen();
  go_to(session, "3g.40gb");
  session.press("+").pack();
  EXPECT_TRUE(session.shows("touches")) << session.screen();
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << "with its answer Esc leaves";
}

TEST(Pack, TheAnswerToAnotherDemandIsDropped) {
  Session session = asking("3g.40gb=2");
  const auto late = tui::answer_of(session.state.pack->question);
  session.press(":pack 3g.40gb=4<enter>");
  tui::update(session.state, session.world(), tui::PackTold{late});
  EXPECT_FALSE(session.shows("touches")) << session.screen();
}

TEST(Pack, EnterOpensThePlanOfAllNodesThatChange) {
  Session session = answered("7g.80gb=5");
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  const plan::Plan& plan = session.state.plan->plan;
  EXPECT_GT(plan.nodes.size(), 1u);
  EXPECT_EQ(plan.intent.words, "packed for a demand");
  EXPECT_EQ(plan.intent.options.way, plan::Way::wait);
  session.press("<esc>");
  EXPECT_TRUE(session.shows("proven minimum 5")) << "the demand is still there:\n" << session.screen();
}

// Bob's notebook does not start again, and was moved.
TEST(Pack, WithRequeueWhatDoesNotStartAgainStaysWhereItIs) {
  Session session = answered("7g.80gb=11 4g.40gb=1");
  session.press("r").pack();
  EXPECT_TRUE(session.shows("unmet: 1 of")) << session.screen();
  EXPECT_TRUE(session.shows("requeue allowed")) << session.screen();
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  EXPECT_EQ(session.state.plan->plan.intent.options.way, plan::Way::wait) << "nothing is moved";
}

TEST(Pack, WithRequeueThePlanMovesWhatRuns) {
  Session session = changing();
  std::vector<Workload> work{named(running("88120", "alice", {holds("n0031", {{7}})}), "embed-3", -7800),
                             named(running("88131", "bob", {holds("n0031", {{9}})}), "notebook", -435600)};
  for (Workload& one : work) one.restartable = true;
  session.tell(on("hpc", WorkloadsListed{std::move(work)}));
  session.press(":pack 7g.80gb=11 4g.40gb=1<enter>").pack();
  EXPECT_TRUE(session.shows("unmet: 1 of 11 7g.80gb")) << session.screen();
  session.press("r").pack();
  EXPECT_FALSE(session.shows("unmet:")) << session.screen();
  EXPECT_TRUE(session.shows("requeue allowed")) << session.screen();
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  EXPECT_EQ(session.state.plan->plan.intent.options.way, plan::Way::requeue);
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

// The command line says so; here Slurm's word read like that of the drivers.
TEST(Pack, NodesOfWhichSlurmAloneTellsWhatIsMadeAreNamed) {
  Session session = changing({200, 60});
  session.press(":pack<enter>");
  EXPECT_FALSE(session.shows("known from Slurm only")) << session.screen();
  Node told = node("n0045", {sevenths(0, 0), sevenths(1, 7)});
  for (Gpu& one : told.gpus) one.origin.source = Source::slurm_nodes;
  told.features = {"h100"};  // a node that is otherwise the same is not taken as news
  session.tell(on("hpc", NodeSeen{told}));
  EXPECT_TRUE(session.shows("hpc: what is made on n0045 is known from Slurm only: its driver was not asked"))
      << session.screen();
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
  EXPECT_EQ(session.state.pack->question->queue, session.state.pack->queue) << "its sets are not copied";
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

// An answer is about GPUs as they stood: a job that came in since is not planned over.
TEST(Pack, WhatStartedSinceIsNotPlannedOver) {
  Session session = answered("7g.80gb=1");
  const pack::Answer& answer = *session.state.pack->answer->answer;
  const pack::Board& board = session.state.pack->answer->problem->boards[answer.boards[0].board];
  const int first = board.gpu.value * 7;
  session.tell(on("hpc", WorkloadSeen{running("99000", "eve", {holds(board.node.text.c_str(), {{first}})})}));
  EXPECT_TRUE(session.state.pack->working()) << "it is asked again";
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::pack);
}

// On a busy cluster something moves with every look: only the GPUs of the answer count.
TEST(Pack, WhatMovesElsewhereDoesNotKeepFromPlanning) {
  Session session = answered("7g.80gb=1");
  const pack::Answer& answer = *session.state.pack->answer->answer;
  const std::string& changed = session.state.pack->answer->problem->boards[answer.boards[0].board].node.text;
  const std::string other = changed == "n0045" ? "n0044" : "n0045";
  session.tell(on("hpc", WorkloadSeen{running("99000", "eve", {holds(other.c_str(), {{0}})})}));
  EXPECT_TRUE(session.state.pack->working()) << "it is asked again";
  EXPECT_TRUE(session.shows("the cluster has changed")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
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

TEST(Pack, NothingIsPlannedOnAClusterThatDoesNotAnswerAndTheDemandStays) {
  Session session = answered("3g.40gb=2");
  session.wall += Duration(180000);
  const Error down{"squeue failed", "connection refused", ""};
  session.tell(on("hpc", SourceReport{Source::slurm_jobs, down, Duration(0)}, 60));
  EXPECT_TRUE(session.shows("the list of jobs or pods is old")) << session.screen();
  EXPECT_FALSE(session.shows("touches")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::pack);
  session.tell(on("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(1)}, 190)).pack();
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node")) << session.screen();
}

TEST(Pack, AWordThatIsNoDemandIsNamed) {
  for (const auto& [words, why] : std::vector<std::pair<std::string, std::string>>{
           {"3g.40gb", "not PROFILE=COUNT"},
           {"3g.40gb=many", "not a whole number"},
           {"9x=1", "not the name of a MIG profile"},
           {"A30-24GB:1g.6gb=1", "none of these GPUs is of that product"}}) {
    Session session = asking(words, {120, 40});
    EXPECT_NE(session.state.message.text.find(why), std::string::npos) << session.state.message.text;
    EXPECT_FALSE(session.state.pack->question);
  }
}

TEST(Pack, CopiesTheCommandThatAsksForTheSame) {
  Session session = answered("3g.40gb=2");
  session.press("y");
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_EQ(*session.effects.back().copy, "tessera pack --cluster hpc 3g.40gb=2");
}

// Its GPUs left the cluster, or are left out now.
TEST(Pack, ADemandThatCannotBeAskedHereIsNotCopied) {
  Session session = answered("3g.40gb=2");
  tui::PackState gone = *session.state.pack;
  for (tui::PackWant& want : gone.wants)
    if (want.count > 0) want.product = session.catalogue.by_key("A30-24GB");
  session.state.pack = std::make_shared<const tui::PackState>(gone);
  session.pass(Duration(1));
  EXPECT_TRUE(session.shows("no GPU that can be planned here is of A30-24GB")) << session.screen();
  session.press("y");
  EXPECT_TRUE(std::none_of(session.effects.begin(), session.effects.end(),
                           [](const auto& effect) { return effect.copy.has_value(); }));
  EXPECT_NE(session.state.message.text.find("no demand can be planned"), std::string::npos)
      << session.state.message.text;
}

TEST(Pack, WholeGpusOfAProductThatNoPlanMayChangeAreAskedForAndUnmetByTheirName) {
  Session session = changing({120, 40});
  Gpu held = gpu(0, Strategy::whole, {whole(0)});
  held.product = ProductKey("A100-80GB");
  session.tell(on("hpc", NodeSeen{node("n0046", {held})}));
  session.tell(on("hpc", WorkloadSeen{running("99000", "eve", {holds("n0046", {{0}})})}));
  session.press(":pack A100-80GB:whole=2<enter>").pack();
  EXPECT_TRUE(session.shows("unmet: 2 of 2 A100-80GB:whole")) << session.screen();
  session.press("y");
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_EQ(*session.effects.back().copy, "tessera pack --cluster hpc A100-80GB:whole=2");
}

// There was none until a demand for them was typed, and p said that one product alone has such a profile.
TEST(Pack, WholeGpusHaveALineAndAreAskedForOfEachProduct) {
  Session session = changing({120, 40});
  Gpu a100 = gpu(0, Strategy::whole, {whole(0)});
  a100.product = ProductKey("A100-80GB");
  session.tell(on("hpc", NodeSeen{node("n0046", {a100})}));
  session.press(":pack<enter>");
  go_to(session, "whole");
  EXPECT_EQ(tui::why_disabled(tui::Action::pack_product, session.state, session.world()), "");
  session.press("+");
  const auto asked = [&] {
    const auto& wants = session.state.pack->wants;
    return *std::find_if(wants.begin(), wants.end(), [](const auto& one) { return one.count > 0; });
  };
  EXPECT_EQ(asked().profile, ProfileName("whole"));
  EXPECT_EQ(asked().product, nullptr) << "of any";
  session.press("p");
  ASSERT_NE(asked().product, nullptr) << session.screen();
  const std::string first = asked().product->key.text;
  session.press("p");
  ASSERT_NE(asked().product, nullptr) << session.screen();
  EXPECT_NE(asked().product->key.text, first);
}

TEST(Pack, NodesNarrowTheDemandAndTheCommandSaysSo) {
  Session session = changing({120, 40});
  session.press(":pack 3g.40gb=2<enter>:on n004[1-2]<enter>").pack();
  EXPECT_TRUE(session.shows("only 2 nodes")) << session.screen();
  EXPECT_TRUE(session.shows("4 GPUs can be planned")) << session.screen();
  session.press("y");
  EXPECT_EQ(*session.effects.back().copy, "tessera pack --cluster hpc 3g.40gb=2 --node 'n[0041-0042]'");
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  EXPECT_TRUE(session.state.plan->plan.nodes.front().node.text.starts_with("n004"));
  session.press("<esc>o");
  EXPECT_EQ(session.state.input.text, "on ");
  session.press("all<enter>").pack();
  EXPECT_TRUE(session.shows("12 GPUs can be planned")) << session.screen();
}

TEST(Pack, APartitionNarrowsTheNodesAndWhatIsTakenFromTheQueue) {
  Session session = changing({120, 40});
  Node other = node("n0045", {sevenths(0, 0)});
  other.partitions = {"short"};
  session.tell(on("hpc", NodeSeen{other}));
  session.press(":pack<enter>:on partition=short<enter>");
  EXPECT_TRUE(session.shows("only partition short")) << session.screen();
  EXPECT_TRUE(session.shows("1 GPUs can be planned")) << session.screen();
  session.press("f").pack();
  EXPECT_FALSE(session.state.pack->question) << "what waits is of other partitions";
  EXPECT_NE(session.state.message.text.find("the queue: 0 jobs or pods"), std::string::npos);
}

TEST(Pack, TheCertificateComesBeforeWhatThePlanWouldDo) {
  Session session = asking("3g.40gb=5");
  std::vector<tui::Message> on_the_way;
  const auto whole = tui::answer_of(session.state.pack->question, {},
                                    [&](tui::Message told) { on_the_way.push_back(std::move(told)); });
  ASSERT_EQ(on_the_way.size(), 1u);
  tui::update(session.state, session.world(), on_the_way.front());
  EXPECT_TRUE(session.shows("proven minimum")) << session.screen();
  EXPECT_TRUE(session.shows("being worked out (Esc stops)")) << session.screen();
  EXPECT_TRUE(session.state.pack->working());
  tui::update(session.state, session.world(), tui::PackTold{whole});
  EXPECT_TRUE(session.shows("no workload")) << session.screen();
  EXPECT_FALSE(session.state.pack->working());
}

// Whom a change disturbs is worked out beside the keys, on however many nodes.
TEST(Pack, WhomItDisturbsIsToldOnManyNodes) {
  Session session = changing({120, 40});
  for (int i = 0; i < 80; ++i)
    session.tell(on("hpc", NodeSeen{node("m" + std::to_string(100 + i), {sevenths(0, 0)})}));
  session.press(":pack 7g.80gb=78<enter>").pack();
  EXPECT_GT(session.state.pack->answer->answer->nodes_touched, 64);
  ASSERT_TRUE(session.state.pack->answer->preview.plan);
  EXPECT_TRUE(session.shows("disturbs")) << session.screen();
  EXPECT_TRUE(session.shows("no workload")) << session.screen();
}

TEST(Pack, ASolveThatIsGivenUpIsNoAnswerOfAnEmptyPlan) {
  Session session = asking("3g.40gb=5");
  const auto given_up = tui::answer_of(session.state.pack->question, [] { return true; });
  EXPECT_FALSE(given_up->answer);
  EXPECT_FALSE(given_up->preview.plan);
}

TEST(Pack, AnotherClusterHasADemandOfItsOwn) {
  Session session(two_places(), {120, 40});
  session.press(":pack<enter>");
  go_to(session, "3g.40gb");
  session.press("+");
  session.press("s");
  EXPECT_EQ(session.state.pack->cluster.text, "train-a");
  EXPECT_FALSE(session.state.pack->question);
}

// The thread that answers: one question at a time, and the newest counts.
TEST(Packer, AnswersTheLastQuestionAndWakesTheLoop) {
  Session first = asking("3g.40gb=2"), second = asking("7g.80gb=3");
  tui::Packer packer;
  EXPECT_FALSE(packer.take());
  packer.ask(first.state.pack->question);
  packer.ask(second.state.pack->question);
  packer.ask(second.state.pack->question);
  for (std::shared_ptr<const tui::PackAnswer> told;
       !told || !told->whole || told->question != second.state.pack->question;) {
    pollfd waiting{packer.wake_fd(), POLLIN, 0};
    ASSERT_EQ(poll(&waiting, 1, 60'000), 1) << "no answer came";
    if (auto one = packer.take()) told = std::get<tui::PackTold>(*one).what;
    if (told) EXPECT_TRUE(told->answer);
  }
  EXPECT_FALSE(packer.busy());
}

// It was broken at 55 cells of 200, beside nothing.
TEST(Pack, WithoutAnAnswerBesideItWhatIsLeftOutGoesOverTheWholeWidth) {
  const std::string why = "held as a whole by work that does not start again by itself";
  for (tui::Size size : {tui::Size{120, 40}, {200, 60}}) {
    Session session = changing(size);
    session.press(":pack<enter>");
    auto boards = std::make_shared<tui::PackBoards>(*session.state.pack->boards);
    boards->left_out[why] = 14;
    auto pack = std::make_shared<tui::PackState>(*session.state.pack);
    pack->boards = boards;
    session.state.pack = pack;
    EXPECT_TRUE(session.shows("left out: 14 GPUs " + why)) << session.screen();
  }
}

TEST(PackGolden, AtThreeSizes) {
  for (tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}})
    expect_golden("pack-" + std::to_string(size.columns), answered("3g.40gb=5 7g.80gb=2", size).canvas());
}

TEST(PackGolden, BeforeADemandInAsciiAndInJapanese) {
  Session session = changing();
  session.press(":pack<enter>");
  expect_golden("pack-empty-80", session.canvas());
  Session asked = answered("3g.40gb=5 7g.80gb=12");
  asked.state.ascii = true;
  expect_golden("pack-ascii-80", asked.canvas());
  asked.state.ascii = false;
  ASSERT_TRUE(set_language(asked.state, tui::Language::ja));
  expect_golden("pack-ja-80", asked.canvas());
}

}  // namespace pack_test
}  // namespace tessera::test
