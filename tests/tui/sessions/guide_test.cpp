// Walking the guide by its keys: answers, taking them back, groups, pages, and what is copied.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

const tui::GuideGroup& group(const Session& session) { return *session.state.top().guide.group(); }

std::string strategy(const Session& session) {
  const auto& result = group(session).result;
  return result.strategy ? std::string(word(*result.strategy)) : "open";
}

TEST(GuideSession, WhatTheCatalogueKnowsIsPassedAndTheRestIsAsked) {
  Session session(small_place());
  session.press("3D");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::guide);
  ASSERT_EQ(group(session).walk.path().size(), 1u);
  EXPECT_FALSE(group(session).walk.path()[0].by_admin);
  EXPECT_EQ(group(session).walk.current()->label, "Q2");
  session.line_with("likely yes");
  session.line_with("scontrol show job");
}

TEST(GuideSession, AnswersLeadToALeafAndUndoLeadsBack) {
  Session session(small_place());
  session.press(":guide n0007<enter>y");
  EXPECT_EQ(strategy(session), "mig");
  session.press("u");
  EXPECT_EQ(group(session).walk.current()->label, "Q2");
  session.press("ny");
  EXPECT_EQ(strategy(session), "mps");
  session.press("uun");
  EXPECT_EQ(group(session).walk.current()->label, "Q5");
  session.press("uu");
  EXPECT_EQ(group(session).walk.current()->label, "Q1") << "what was known can be overruled, too";
  session.press("n");
  EXPECT_EQ(group(session).walk.current()->label, "Q3");
  session.press("uu");
  session.line_with("this is the first question");
}

TEST(GuideSession, YIsAnAnswerAtAQuestionAndCopiesAtALeaf) {
  Session session(small_place());
  session.press(":guide n0007<enter>yG");
  session.press("y");
  ASSERT_FALSE(session.effects.empty());
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_NE(session.effects.back().copy->find("DCGM_FI_DEV_FB_USED"), std::string::npos)
      << *session.effects.back().copy;
  EXPECT_EQ(strategy(session), "mig");
}

TEST(GuideSession, TheAdviceIsForTheLayoutUnderTheCursor) {
  Session session(small_place());
  session.press(":guide n0007<enter>nn");
  const std::string first = session.screen();
  const auto& layouts = group(session).result.layouts;
  ASSERT_GT(layouts.size(), 1u);
  session.press("j");
  EXPECT_EQ(session.state.top().guide.chosen, 1u);
  session.press("y");
  EXPECT_EQ(session.effects.back().copy, layouts[1].title);
}

TEST(GuideSession, EachKindOfBoardHasAWalkOfItsOwn) {
  Session session(small_place());
  session.press("2*D");
  ASSERT_GT(session.state.top().guide.groups.size(), 1u);
  const std::string first = group(session).name;
  session.press("y");
  EXPECT_EQ(strategy(session), "mig");
  session.press("<tab>");
  EXPECT_NE(group(session).name, first);
  EXPECT_EQ(strategy(session), "open");
  session.press("<btab>");
  EXPECT_EQ(strategy(session), "mig") << "the first group's answer stayed";
}

TEST(GuideSession, AGpuInNoClusterIsDecidedToo) {
  Session session(Model{});
  session.press(":guide H100-80GB-SXM5<enter>y");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::guide);
  EXPECT_EQ(strategy(session), "mig");
  EXPECT_FALSE(group(session).result.layouts.empty());
  session.press("<enter>");
  session.line_with("this GPU is in no cluster here");
}

TEST(GuideSession, ALayoutGoesOnToItsPlanWithTheDecisionBehindIt) {
  Session session(small_place());
  session.press(":guide n0012<enter>y");
  ASSERT_EQ(strategy(session), "mig");
  session.press("P");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::plan) << session.screen();
  const auto& decision = session.state.plan->plan.intent.decision;
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->strategy, Strategy::mig);
  EXPECT_EQ(decision->path.back().source, "admin");
  session.press("G");
  EXPECT_EQ(session.state.plan->plan.intent.nodes, std::vector{NodeName("n0012")});
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::guide);
}

TEST(GuideSession, PagesOpenAndCloseWithoutLosingTheWalk) {
  Session session(small_place());
  session.press(":guide n0007<enter>n");
  for (const char* key : {"c", "s", "t", "v"}) {
    session.press(key);
    EXPECT_NE(session.state.top().guide.panel, tui::GuidePanel::walk) << key;
    session.press("<esc>");
    EXPECT_EQ(session.state.top().guide.panel, tui::GuidePanel::walk) << key;
  }
  session.press("c");
  session.line_with("hardware partitions");
  session.press("cs");
  session.line_with("hpc runs under Slurm");
  session.press("s");
  EXPECT_EQ(group(session).walk.current()->label, "Q5");
  session.press("<esc>");
  EXPECT_NE(session.state.top().kind, tui::ScreenKind::guide);
}

TEST(GuideSession, WhyUnfoldsAndTermsAreExplainedInPlace) {
  Session session(small_place(), {80, 24});
  session.press(":guide n0007<enter>w");
  EXPECT_TRUE(session.shows("faults apart in hardware")) << session.screen();
  session.press("w");
  EXPECT_FALSE(session.shows("faults apart in hardware"));
  session.resize({120, 40});
  EXPECT_FALSE(session.shows("faults apart in hardware")) << "what was asked for stays";
  session.press("wt");
  session.line_with("TERMS OF THIS STEP");
  session.line_with("namespace");
}

TEST(GuideSession, AnswersOutliveNewFacts) {
  Session session(small_place());
  session.press(":guide n0007<enter>n");
  session.pass(Duration(5000));
  Node changed = mixed_node();
  changed.reason = "looked at";
  session.tell(on("hpc", NodesListed{{changed, drained_node(), invalid_node(), pool_node()}}, 5));
  EXPECT_EQ(group(session).walk.current()->label, "Q5");
  EXPECT_TRUE(group(session).walk.path()[1].by_admin);
}

TEST(GuideSession, ANodeThatLeftSaysSo) {
  Session session(small_place());
  session.press(":guide n0012<enter>");
  session.pass(Duration(5000));
  session.tell(on("hpc", NodesListed{{mixed_node()}}, 5));
  EXPECT_EQ(session.state.top().guide.groups.size(), 0u);
  session.press("yncstvuP");
  EXPECT_TRUE(session.shows("n0012"));
}

TEST(GuideSession, WhereThereIsNothingToDecideItSaysWhatToDo) {
  Session session(small_place());
  session.press("D");
  EXPECT_EQ(session.state.stack.size(), 1u);
  session.line_with(":guide H100-80GB-SXM5");
  session.press(":guide nonsense<enter>");
  session.line_with("no node and no product is called nonsense");
}

// "no node and no product is called A100", though two products are called so at a site.
TEST(GuideSession, AWordThatSeveralProductsBeginWithNamesEachOfThem) {
  Session session(small_place());
  session.press(":guide A100<enter>");
  EXPECT_EQ(session.state.stack.size(), 1u);
  session.line_with("A100-40GB, A100-80GB");
  EXPECT_FALSE(session.shows("no product is called")) << session.screen();
}

// Workers of this platform share one type: the plan that P opens is one of all of them.
TEST(GuideSession, WhatTheRulesWantChangedAsOneIsPlannedAsOne) {
  Model model;
  reduce(model, on("sim", ClusterSeen{Scheduler::kubernetes, true, "kubernetes v1.32.2", "demo"}));
  std::vector<Node> workers;
  for (const char* name : {"w1", "w2"}) {
    Node worker = node(name, {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
    for (Gpu& one : worker.gpus) one.mig_mode = MigMode::disabled;
    worker.features = {"nvidia.com/mig.strategy=single"};
    worker.allocatable = {{"nvidia.com/gpu", 2}};
    workers.push_back(std::move(worker));
  }
  reduce(model, on("sim", NodesListed{std::move(workers)}));
  reduce(model, on("sim", WorkloadsListed{{}}));
  reduce(model, on("sim", SourceReport{Source::simulator, std::nullopt, Duration(1)}));
  reduce(model, on("sim", Loaded{}));
  Session session(std::move(model));
  session.state.platform = session.state.rules.platform = sharing::Platform::fpt;
  session.press(":guide w1<enter>y");
  ASSERT_EQ(strategy(session), "mig") << session.screen();
  EXPECT_EQ(group(session).result.together, (std::vector<NodeName>{NodeName("w1"), NodeName("w2")}));
  session.press("P");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::plan) << session.screen();
  EXPECT_TRUE(session.shows("2 nodes")) << session.screen();
  EXPECT_FALSE(session.shows("fpt-b")) << session.screen();
}

TEST(GuideSession, TheSitesLicenceIsAFact) {
  Session session(small_place());
  session.state.site.licence = true;
  session.state.site.licence_source = "/etc/tessera/config.yaml:3";
  session.press(":guide A10<enter>y");
  EXPECT_EQ(strategy(session), "vgpu");
}

// "u go back" stood on the table of comparisons: who wanted to leave the table lost the last answer.
TEST(GuideSession, TheKeyThatUndoesAnAnswerIsNotNamedAsTheWayBackFromAPage) {
  Session session(small_place(), {80, 24});
  session.press(":guide n0007<enter>yc");
  EXPECT_TRUE(session.shows("u undo")) << session.screen();
  EXPECT_TRUE(session.shows("Esc back")) << session.screen();
  EXPECT_FALSE(session.shows("go back")) << session.screen();
}

// P planned the layout that was chosen on the page below, which was not in view.
TEST(GuideSession, ATableOfTheGuideOffersNoLayoutToPlanOrEdit) {
  for (const char* table : {"v", "c", "s", "t"}) {
    Session session(small_place());
    session.press(std::string(":guide n0007<enter>y") + table);
    EXPECT_FALSE(session.shows("P plan")) << session.screen();
    session.press("P<enter>");
    EXPECT_EQ(session.state.top().kind, tui::ScreenKind::guide) << table;
    session.line_with("Esc leads back to the layouts to take");
    session.press("<esc>");
    EXPECT_TRUE(session.shows("P plan")) << session.screen();
  }
}

TEST(GuideSession, TabIsNamedByWhatItShowsInTheGuide) {
  Session session(small_place(), {80, 24});
  session.press("2*D<tab>");
  EXPECT_TRUE(session.shows("Tab next GPUs")) << session.screen();
}

// The end of a line of 80 columns stood on a line for itself: "# how".
TEST(GuideSession, ACommentToHandOutFlowsOnWhereThePageIsNarrow) {
  Session session(small_place(), {80, 24});
  session.press(":guide n0007<enter>yG");
  EXPECT_TRUE(session.shows("# how busy the GPU was")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
