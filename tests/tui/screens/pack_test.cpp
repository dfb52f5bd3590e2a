// The pack screen: a demand is edited, the planner answers beside, and Enter leads to the plan.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>

#include "tests/support/golden.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/pack_places.hpp"
#include "tui/pack_state.hpp"
#include "tui/packer.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::test {
namespace pack_test {

using tui::ScreenKind;

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

// The command line had --ends-within, and the screen counted work as there for ever.
TEST(Pack, WorkThatEndsByATimeIsWaitedForAndThatIsSaid) {
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

TEST(Pack, ATimeBehindADemandCountsForItAndOneThatIsOverPlansNothing) {
  Session session = asking("3g.40gb=2 by 4h", {120, 40});
  session.pack();
  EXPECT_EQ(session.state.pack->answer->question->until, session.wall + std::chrono::hours(4));
  EXPECT_TRUE(session.shows("touches 1 GPU on 1 node")) << session.screen();
  session.pass(std::chrono::hours(5));
  EXPECT_FALSE(session.state.pack->question) << "nothing is asked for a time that is over";
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::pack) << session.screen();
}

TEST(Pack, ATimeThatIsNoneIsRefusedAndNoneIsWaitedForWithRequeue) {
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
