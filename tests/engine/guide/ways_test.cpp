// Where a leaf leads, beyond the cells of tests/tui/cli/leaf_matrix_test.cpp.
#include "engine/guide/proposals/ways.hpp"

#include <gtest/gtest.h>

#include "engine/guide/proposals/proposals_turns.hpp"
#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

using sharing::LimitKind;
using sharing::Platform;

Ways led(Strategy leaf, Platform platform, std::vector<sharing::Limit> broken,
         const Flowchart& chart = *test::flowchart()) {
  const Scope scope = scope_of(test::product("H100-80GB-SXM5"));
  return ways_on(leaf, platform, scope, chart, broken, propose(scope, leaf, platform));
}

TEST(Ways, EveryLimitThatIsBrokenHasAWayAround) {
  for (const char* limit : {"mig-platform", "mig-product", "mig-driver", "vgpu-licence"}) {
    const Ways ways = led(Strategy::mig, Platform::slurm, {{limit, LimitKind::broken, "", {}}});
    EXPECT_EQ(ways.onward, Onward::elsewhere) << limit;
    ASSERT_EQ(ways.texts.size(), 1u) << limit;
    EXPECT_NE(ways.texts[0].find("nswer Q"), std::string::npos) << limit;
  }
  for (const char* limit : {"mps-mig", "slice-driver"}) {
    const Ways ways = led(Strategy::mps, Platform::gpu_operator, {{limit, LimitKind::broken, "", {}}});
    EXPECT_EQ(ways.onward, Onward::plan) << limit;
    EXPECT_EQ(ways.texts.size(), 1u) << limit;
  }
  EXPECT_TRUE(
      led(Strategy::mps, Platform::slurm, {{"mps-boards", LimitKind::caution, "", {}}}).texts.empty());
}

// Its labels are the site's own: going back to "Q2" would mean something else.
TEST(Ways, ASitesOwnTreeIsNotToldToAnswerOurQuestions) {
  const auto own = Flowchart::parse(test::site_tree("Q2"), "own.yaml");
  ASSERT_TRUE(own.ok());
  const Ways ways = led(Strategy::mig, Platform::ack, {}, *own);
  ASSERT_EQ(ways.texts.size(), 1u);
  EXPECT_NE(ways.texts[0].find("makes no MIG slices"), std::string::npos);
  EXPECT_EQ(ways.texts[0].find("nswer Q"), std::string::npos) << ways.texts[0];
  EXPECT_TRUE(
      led(Strategy::mig, Platform::slurm, {{"mig-product", LimitKind::broken, "", {}}}, *own).texts.empty());
}

TEST(Ways, BoardsThatAreCutDifferentlyAreAPlanEach) {
  const mig::Product& product = test::product("A30-24GB");
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                            test::gpu(1, Strategy::whole, {test::whole(1)})})}});
  Scope scope = scope_of(story.cluster(), *story.cluster().nodes.find(NodeName("n1")), test::catalogue());
  scope.product = &product;
  Proposal each;
  each.strategy = Strategy::mig, each.title = "a layout for each GPU";
  const auto layouts = mig::enumerate(product, mig::Which::maximal);
  each.boards.push_back({NodeName("n1"), GpuIndex{0}, layouts.at(0), "2g.12gb@0,2g.12gb@2", 0, {}});
  each.boards.push_back({NodeName("n1"), GpuIndex{1}, layouts.at(1), "4g.24gb@0", 0, {}});
  const auto flags = plan_flags(each, scope, Scheduler::slurm);
  ASSERT_EQ(flags.size(), 2u);
  EXPECT_EQ(typed(flags[0]).find("--node n1 --gpu 0 --layout "), 0u) << typed(flags[0]);
  EXPECT_EQ(typed(flags[1]).find("--node n1 --gpu 1 --layout "), 0u) << typed(flags[1]);
  EXPECT_NE(typed(flags[0]).find('@'), std::string::npos) << "each instance stands where the guide drew it";
}

TEST(Ways, WhatAShellWouldReadIsQuoted) {
  EXPECT_EQ(typed({"--node", "n[01-04]", "--layout", "2x1g.10gb+me,3g.40gb@4"}),
            "--node 'n[01-04]' --layout 2x1g.10gb+me,3g.40gb@4");
  EXPECT_EQ(typed({"a'b"}), "'a'\\''b'");
}

TEST(Turns, AreForInstancesOfOneSizeOnKubernetesAlone) {
  const Scope scope = scope_of(test::product("H100-80GB-SXM5"));
  for (Platform platform : {Platform::slurm, Platform::ack})
    EXPECT_TRUE(propose_turns(scope, platform).empty());
  const auto turns = propose_turns(scope, Platform::eks);
  ASSERT_EQ(turns.size(), 2u);
  for (const Proposal& one : turns) {
    EXPECT_EQ(one.advertised.size(), 1u);
    const auto parts = static_cast<std::int64_t>(one.boards.at(0).layout->size());
    EXPECT_EQ(one.advertised.begin()->second, parts * *one.replicas) << one.title;
    EXPECT_FALSE(one.notes.empty());
  }
}

TEST(Ways, ThePlatformsOwnVirtualMachinesCannotBeDivided) {
  for (Platform platform : {Platform::parallel_cluster, Platform::hyperpod_slurm, Platform::eks}) {
    const Ways ways = led(Strategy::vgpu, platform, {});
    EXPECT_EQ(ways.onward, Onward::elsewhere);
    EXPECT_NE(ways.texts.at(0).find("Answer Q4 with no"), std::string::npos);
  }
  EXPECT_EQ(led(Strategy::vgpu, Platform::slurm, {}).onward, Onward::command);
}

TEST(Ways, AWorldWithoutVirtualMachinesSaysSoInsteadOfPlans) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
  Scope scope = scope_of(story.cluster(), *story.cluster().nodes.find(NodeName("n1")), test::catalogue());
  scope.can = plan::simulator_capabilities(Scheduler::kubernetes);
  const Ways ways = ways_on(Strategy::vgpu, Platform::gpu_operator, scope, *test::flowchart(), {},
                            propose_vgpu(scope, Platform::gpu_operator));
  EXPECT_EQ(ways.onward, Onward::elsewhere);
  EXPECT_NE(ways.texts.at(0).find("run no virtual machines"), std::string::npos) << ways.texts.at(0);
  EXPECT_NE(ways.texts.at(0).find("Answer Q4 with no"), std::string::npos);
}

TEST(Ways, OnGkeNoPlanIsPromisedThatSwitchesMigOff) {
  const Ways ways = led(Strategy::mps, Platform::gke, {{"mps-mig", LimitKind::broken, "", {}}});
  EXPECT_EQ(ways.onward, Onward::command);
  for (const std::string& text : ways.texts) EXPECT_EQ(text.find("plan"), std::string::npos) << text;
}

TEST(Shares, SlurmsMpsIsOneRowOfPercent) {
  const auto all = propose_shares(scope_of(test::product("A100-80GB")), Strategy::mps, Platform::slurm);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "100 mps of each GPU, in the parts that jobs ask for");
  EXPECT_EQ(all[0].replicas, std::nullopt);
  EXPECT_EQ(all[0].advertised.at("mps"), 100);
}

TEST(Shares, GkeNamesThemPlainly) {
  plan::SiteRules rules;
  rules.rename_shared = true;
  Scope scope = scope_of(test::product("A100-80GB"));
  scope.rules = rules;
  for (const Proposal& one : propose_shares(scope, Strategy::mps, Platform::gke))
    EXPECT_FALSE(one.advertised.contains("nvidia.com/gpu.shared")) << one.title;
}

std::vector<std::string> titles(const std::vector<Proposal>& all) {
  std::vector<std::string> found;
  for (const Proposal& one : all) found.push_back(one.title);
  return found;
}

TEST(Layouts, AksMakesOneSizeForEachOfItsFiveProfiles) {
  const auto all = propose_layouts(scope_of(test::product("A100-80GB")), Platform::aks);
  EXPECT_EQ(titles(all), (std::vector<std::string>{"2 × 3g.40gb", "7 × 1g.10gb", "3 × 2g.20gb", "1 × 7g.80gb",
                                                   "1 × 4g.40gb"}));
}

// What no second size can fill is lost: a GPU that is left half empty is no good layout.
TEST(Layouts, WherePlatformsListThemTheRestOfABoardIsStranded) {
  for (Platform platform : {Platform::gke, Platform::aks, Platform::fpt}) {
    const auto all = propose_layouts(scope_of(test::product("A100-80GB")), platform);
    ASSERT_FALSE(all.empty());
    EXPECT_GT(all.front().boards.at(0).layout->size(), 1u) << all.front().title;
    for (const Proposal& one : all) {
      if (one.title != "1 × 4g.40gb") continue;
      EXPECT_EQ(one.stranded_compute, 3);
      EXPECT_EQ(one.stranded_memory, 4);
      EXPECT_EQ(&one, &all.back());
    }
  }
}

TEST(Turns, APoolOfOneSizeIsOfferedNoOther) {
  const Scope scope = scope_of(test::product("H100-80GB-SXM5"));
  for (Platform platform : {Platform::gke, Platform::aks}) {
    const auto layouts = propose_layouts(scope, platform);
    EXPECT_GE(layouts.size(), 5u);
    for (const Proposal& one : layouts) {
      EXPECT_EQ(one.advertised.size(), 1u) << one.title;
      EXPECT_EQ(platform == Platform::gke && one.title.find("+me") != std::string::npos, false);
    }
  }
}

}  // namespace
}  // namespace tessera::guide
