// From the guide's result to a plan, and what the second guide says about a site.
#include "engine/guide/hand_over.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/guide/site.hpp"
#include "engine/guide/texts.hpp"
#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

using sharing::Platform;

TEST(HandOver, TheDecisionNamesTheAnswersTheirSourcesAndWhatIsAccepted) {
  const Scope scope = scope_of(test::product("H100-80GB-SXM5"));
  Walk walk(test::flowchart(), prefill(scope, test::catalogue()));
  walk.answer("Q2", true);
  const plan::Decision decision = decision_of(conclude(walk, scope, {}, test::at(0)));
  EXPECT_EQ(decision.strategy, Strategy::mig);
  ASSERT_EQ(decision.path.size(), 2u);
  EXPECT_EQ(decision.path[0].source, "catalogue");
  EXPECT_TRUE(decision.path[1].question.starts_with("Q2 Must"));
  EXPECT_EQ(decision.path[1].answer, "yes");
  EXPECT_EQ(decision.path[1].source, "admin");
  EXPECT_EQ(decision.tradeoffs.size(), 4u);
  const auto lines = plan::to_lines(decision);
  EXPECT_EQ(lines.size(), 1u + 2u + 4u);
  EXPECT_EQ(lines[0], "chosen by the guide: mig");
}

TEST(HandOver, EveryLayoutIsAWishThatMeansTheSame) {
  for (const Proposal& one : propose_layouts(scope_of(test::product("H100-80GB-SXM5")), Platform::slurm)) {
    const auto wish = wish_of(one, Scheduler::slurm);
    ASSERT_TRUE(wish.ok()) << one.title;
    EXPECT_EQ(wish->strategy, Strategy::mig);
    EXPECT_EQ(wish->instances.size(), one.boards.at(0).layout->size()) << one.title;
  }
}

TEST(HandOver, TurnsAreShardsOnSlurm) {
  Proposal shares;
  shares.strategy = Strategy::time_slicing, shares.replicas = 4;
  EXPECT_EQ(wish_of(shares, Scheduler::slurm)->strategy, Strategy::shard);
  EXPECT_EQ(wish_of(shares, Scheduler::kubernetes)->strategy, Strategy::time_slicing);
  EXPECT_EQ(wish_of(shares, Scheduler::slurm)->replicas, 4);
  Proposal mps = shares;
  mps.strategy = Strategy::mps;
  EXPECT_EQ(wish_of(mps, Scheduler::slurm)->replicas, 1) << "percent: each client asks for mps:25";
  EXPECT_EQ(wish_of(mps, Scheduler::kubernetes)->replicas, 4);
}

Proposal for_each_of_two() {
  Proposal each;
  each.title = "a layout for each GPU";
  each.boards = {{NodeName("n1"), GpuIndex{0}, std::nullopt, "7g.80gb", 0, {}},
                 {NodeName("n1"), GpuIndex{1}, std::nullopt, "3g.40gb,3g.40gb", 0, {}}};
  return each;
}

TEST(HandOver, WhatCannotBeOneWishIsPlannedBoardByBoard) {
  const Proposal each = for_each_of_two();
  EXPECT_NE(wish_of(each, Scheduler::slurm).error().reason.find("each GPU in its own way"),
            std::string::npos);
  const auto wishes = wishes_of(each, Scheduler::slurm, {});
  ASSERT_TRUE(wishes.ok()) << to_line(wishes.error());
  ASSERT_EQ(wishes->size(), 2u);
  EXPECT_EQ((*wishes)[0].gpu, GpuIndex{0});
  EXPECT_EQ((*wishes)[0].node, NodeName("n1"));
  EXPECT_EQ(plan::to_text((*wishes)[1].wish), "2 × 3g.40gb");
  Proposal untold = each;
  untold.boards[1].gpu.reset();
  EXPECT_NE(wishes_of(untold, Scheduler::slurm, {}).error().reason.find("not reported"), std::string::npos);
}

TEST(HandOver, ATypeOfVgpuIsPlannedWhereThereIsAnOperatorAndHandedOnElsewhere) {
  const Scope a10 = scope_of(test::product("A10"));
  const auto rows = propose_vgpu(a10, Platform::gpu_operator);
  const auto half = std::find_if(rows.begin(), rows.end(),
                                 [](const Proposal& one) { return one.vgpu == ProfileName("A10-12Q"); });
  ASSERT_NE(half, rows.end());
  EXPECT_EQ(half->title, "A10-12Q: 2 on a GPU, 12 GB each, in turns");
  EXPECT_EQ(half->memory_share, Mib{12 * 1024});
  EXPECT_EQ(half->advertised.at("nvidia.com/NVIDIA_A10-12Q"), 2);
  const auto wish = wish_of(*half, Scheduler::kubernetes);
  ASSERT_TRUE(wish.ok());
  EXPECT_EQ(plan::to_text(*wish), "vGPU A10-12Q");
  EXPECT_NE(wish_of(*half, Scheduler::slurm).error().reason.find("hypervisor"), std::string::npos);
  bool handed_on = false;
  for (const Advice& one : advice(test::handouts(), Strategy::vgpu, Platform::slurm, &*half))
    handed_on = handed_on || one.text.find("A10-12Q") != std::string::npos;
  EXPECT_TRUE(handed_on);
}

TEST(HandOver, AGpuWhoseTypesAreNotKnownSaysWhoKnowsThem) {
  const auto rows = propose_vgpu(scope_of(test::product("H200-141GB")), Platform::gpu_operator);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].title, "the types of this GPU are not known here");
  EXPECT_NE(wish_of(rows[0], Scheduler::kubernetes).error().hint.find("nvidia-smi vgpu -s"),
            std::string::npos);
}

TEST(Texts, ASitesOwnTreeTakesThePlaceOfOurs) {
  const auto texts = Texts::built_in();
  ASSERT_TRUE(texts.ok());
  const auto own = (*texts)->with_flowchart(test::site_tree("X1"), "own.yaml");
  ASSERT_TRUE(own.ok()) << to_line(own.error());
  EXPECT_EQ((*own)->chart->questions().size(), 1u);
  EXPECT_EQ((*own)->tables.tables.size(), (*texts)->tables.tables.size());
  EXPECT_FALSE((*texts)->with_flowchart("nonsense", "own.yaml").ok());
}

std::string line_about(const std::vector<SiteLine>& lines, const std::string& about) {
  for (const SiteLine& line : lines)
    if (line.about == about) return line.text;
  return "";
}

TEST(SlurmSetup, LongWorkSpeaksForSlurmAndSessionsForKubernetes) {
  test::Story story;
  story.tell(NodesListed{{test::node(
      "n1", {test::gpu(0, Strategy::whole, {test::whole(0)}), test::gpu(1, Strategy::mps, {})})}});
  Workload week = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  week.started = test::at(-7 * 24 * 3600);
  Workload notebook = test::running("2", "bob", {});
  notebook.name = "jupyter-lab";
  notebook.started = test::at(-9 * 24 * 3600);
  story.tell(WorkloadsListed{{week, notebook, test::waiting("3", "bob", "gpu")}});
  const auto lines = site_lines(story.cluster(), std::nullopt, test::at(0));
  EXPECT_NE(line_about(lines, "scheduler").find("Slurm"), std::string::npos);
  EXPECT_EQ(line_about(lines, "GPUs"), "2 GPUs on 1 node: whole 1, mps 1");
  EXPECT_EQ(line_about(lines, "workloads"), "2 run, 1 wait; the longest has run for 9 d");
  EXPECT_TRUE(line_about(lines, "speaks for Slurm").starts_with("1 workload has run for a day"));
  EXPECT_TRUE(line_about(lines, "speaks for Kubernetes").starts_with("1 interactive session"));
}

// The site's word counts for its own scheduler alone, here as where plans are made.
TEST(SlurmSetup, TheSchedulersLineTakesTheSitesWordWhereItFits) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {})}});
  const auto own = site_lines(story.cluster(), sharing::Platform::slurm, test::at(0));
  EXPECT_NE(line_about(own, "scheduler").find("(set for this site)"), std::string::npos);
  const auto other = site_lines(story.cluster(), sharing::Platform::gke, test::at(0));
  EXPECT_EQ(line_about(other, "scheduler").find("set for this site"), std::string::npos);
  EXPECT_NE(line_about(other, "scheduler").find("Slurm"), std::string::npos);
}

TEST(SlurmSetup, ANodeWithoutWorkSaysNothingOfWork) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {})}});
  const auto lines = site_lines(story.cluster(), std::nullopt, test::at(0));
  EXPECT_EQ(line_about(lines, "workloads"), "");
  EXPECT_EQ(line_about(lines, "speaks for Slurm"), "");
}

}  // namespace
}  // namespace tessera::guide
