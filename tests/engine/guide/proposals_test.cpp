#include "engine/guide/proposals/proposals.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/guide/guide.hpp"
#include "engine/guide/texts.hpp"
#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

using sharing::Platform;
using test::catalogue;

Scope all_of(const test::Story& story) { return scope_of(story.cluster(), story.node("n1"), catalogue()); }

std::vector<std::string> ids(const std::vector<WorkloadId>& all) {
  std::vector<std::string> found;
  for (const WorkloadId& id : all) found.push_back(id.text);
  return found;
}

Gpu empty_mig(int index) {
  Gpu gpu = test::gpu(index, Strategy::mig, {});
  gpu.mig_mode = MigMode::enabled;
  return gpu;
}

TEST(Proposals, AGpuInNoClusterGetsTheFullestLayouts) {
  const auto found = propose_layouts(scope_of(test::product("H100-80GB-SXM5")), Platform::gpu_operator);
  ASSERT_FALSE(found.empty());
  EXPECT_LE(found.size(), kProposals);
  for (const Proposal& one : found) {
    EXPECT_EQ(one.stranded_memory + one.stranded_compute, 0) << one.title;
    EXPECT_TRUE(one.boards.at(0).node.empty());
    const mig::Product& h100 = test::product("H100-80GB-SXM5");
    EXPECT_FALSE(mig::room(h100, *one.boards.at(0).layout).largest) << one.title << " leaves room for more";
  }
}

TEST(Proposals, BoardsWithoutMigOrPlacesGetNone) {
  EXPECT_TRUE(propose_layouts(scope_of(test::product("A10")), Platform::slurm).empty());
  EXPECT_TRUE(
      propose_layouts(scope_of(test::product("RTX-PRO-4500-Blackwell-32GB")), Platform::slurm).empty());
}

TEST(Proposals, TheLayoutThatServesThoseWhoWaitIsFirst) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {empty_mig(0)})}});
  story.tell(
      WorkloadsListed{{test::waiting("1", "a", "gpu:3g.40gb"), test::waiting("2", "b", "gpu:3g.40gb")}});
  const auto found = propose_layouts(all_of(story), Platform::slurm);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].title, "2 × 3g.40gb");
  EXPECT_EQ(found[0].preset, "all-3g.40gb");
  EXPECT_EQ(ids(found[0].fit), (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(found[0].wait.empty());
  EXPECT_EQ(found[0].advertised, (std::map<std::string, std::int64_t>{{"gpu:3g.40gb", 2}}));
}

TEST(Proposals, HeldInstancesStayWhereTheyAre) {
  test::Story story;
  Gpu gpu = empty_mig(0);
  gpu.slices = {test::instance("1g.10gb", 0, 1, 0), test::instance("1g.10gb", 1, 1, 1)};
  story.tell(NodesListed{{test::node("n1", {gpu})}});
  story.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0, 1}})}),
                              test::waiting("2", "bob", "gpu:3g.40gb")}});
  const auto found = propose_layouts(all_of(story), Platform::slurm);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].ends.empty());
  EXPECT_EQ(ids(found[0].fit), (std::vector<std::string>{"2"}));
  const BoardProposal& board = found[0].boards.at(0);
  EXPECT_EQ(board.kept, 1);
  const mig::Product& h100 = test::product("H100-80GB-SXM5");
  const mig::Placed held{*h100.index_of("1g.10gb"), 0};
  EXPECT_EQ(std::count(board.layout->begin(), board.layout->end(), held), 1);
  EXPECT_TRUE(mig::is_legal(h100, *board.layout));
}

TEST(Proposals, WhoStandsInTheWayIsNamedAndPutLast) {
  test::Story story;
  Gpu gpu = empty_mig(0);
  gpu.slices = {test::instance("7g.80gb", 0, 8, 0)};
  story.tell(NodesListed{{test::node("n1", {gpu})}});
  story.tell(WorkloadsListed{{test::running("9", "alice", {test::holds("n1", {{0, 1}})})}});
  const auto found = propose_layouts(all_of(story), Platform::slurm);
  EXPECT_EQ(found[0].title, "1 × 7g.80gb");
  EXPECT_TRUE(found[0].ends.empty());
  EXPECT_EQ(ids(found[1].ends), (std::vector<std::string>{"9"}));
}

TEST(Proposals, WhatIsNotKnownToBeFreeCountsAsHeld) {
  test::Story story;
  Gpu gpu = empty_mig(0);
  gpu.slices = {test::instance("3g.40gb", 4, 4, 0)};
  gpu.slices[0].device.reset();  // the scheduler cannot tell who holds it
  Node node = test::node("n1", {gpu});
  story.tell(NodesListed{{node}});
  ASSERT_NE(story.slice("n1", 0, 0).holding, Holding::held);
  Scope scope = all_of(story);
  Gpu unknown = *scope.boards[0];
  unknown.slices[0].holding = Holding::unknown;
  Node holder = node;
  holder.gpus = {unknown};
  scope.nodes = {&holder};
  scope.boards = {&holder.gpus[0]};
  EXPECT_EQ(propose_layouts(scope, Platform::slurm).at(0).boards.at(0).kept, 1);
}

TEST(Proposals, WholeBoardUsersMoveIntoThePartThatHoldsTheirMemory) {
  test::Story story;
  Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  node.gpus[0].telemetry.memory_used = Mib{15000};
  story.tell(NodesListed{{node}});
  story.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0, 1}})})}});
  const auto found = propose_layouts(all_of(story), Platform::slurm);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(ids(found[0].ends), (std::vector<std::string>{"1"}));
  EXPECT_EQ(ids(found[0].rehoused), (std::vector<std::string>{"1"}));
}

TEST(Proposals, SeveralBoardsMayBeCutEachInItsOwnWay) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {empty_mig(0), empty_mig(1)})}});
  std::vector<Workload> work{test::waiting("7", "a", "gpu:7g.80gb")};
  for (int i = 0; i < 7; ++i) work.push_back(test::waiting("s" + std::to_string(i), "b", "gpu:1g.10gb"));
  story.tell(WorkloadsListed{work});
  const auto found = propose_layouts(all_of(story), Platform::slurm);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].title, "a layout for each GPU");
  EXPECT_EQ(found[0].fit.size(), 8u);
  for (const Proposal& one : propose_layouts(all_of(story), Platform::fpt)) {
    EXPECT_NE(one.title, "a layout for each GPU") << "against the platform's first rule";
  }
}

TEST(Proposals, AManagedPlatformTakesOnlyWhatItOffers) {
  const auto found = propose_layouts(scope_of(test::product("H200-141GB")), Platform::fpt);
  EXPECT_EQ(found.size(), 7u);
  for (const Proposal& one : found) EXPECT_TRUE(one.preset) << one.title;
  EXPECT_TRUE(propose_layouts(scope_of(test::product("A30-24GB")), Platform::fpt).empty());
}

TEST(Proposals, OneLayoutForAllIsPreferredWhereItServesAsMany) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {empty_mig(0), empty_mig(1)})}});
  story.tell(
      WorkloadsListed{{test::waiting("1", "a", "gpu:3g.40gb"), test::waiting("2", "b", "gpu:1g.10gb")}});
  const auto found = propose_layouts(all_of(story), Platform::slurm);
  EXPECT_EQ(found.at(0).title, "1 × 3g.40gb + 1 × 2g.20gb + 2 × 1g.10gb");
  EXPECT_EQ(found.at(0).preset, "all-balanced");
  for (const Proposal& one : found) EXPECT_NE(one.title, "a layout for each GPU");
}

TEST(Proposals, OneProfileOnKubernetesIsAskedForAsAGpu) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {empty_mig(0)})}});
  story.model.clusters[0].scheduler = Scheduler::kubernetes;
  std::vector<Workload> pods{test::waiting("a/1", "a", "nvidia.com/gpu"),
                             test::waiting("a/2", "a", "nvidia.com/gpu")};
  for (Workload& pod : pods) pod.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  story.tell(WorkloadsListed{pods});
  const auto found = propose_layouts(all_of(story), Platform::gpu_operator);
  EXPECT_EQ(found[0].fit.size(), 2u);
  EXPECT_EQ(found[0].advertised.begin()->first, "nvidia.com/gpu");
}

TEST(Shares, AsManyAsWaitByTheFewestShares) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
  std::vector<Workload> work;
  for (int i = 0; i < 3; ++i) work.push_back(test::waiting("w" + std::to_string(i), "b", "shard"));
  story.tell(WorkloadsListed{work});
  const auto found = propose_shares(all_of(story), Strategy::time_slicing, Platform::slurm);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].replicas, 4);
  EXPECT_EQ(found[0].fit.size(), 3u);
  EXPECT_EQ(found[0].advertised.at("shard"), 4);
  EXPECT_EQ(found[0].memory_share, Mib{81559 / 4});
}

TEST(Shares, MpsStopsAtTheCapOfTheBoard) {
  const auto most = [](const char* key, Platform platform) {
    int largest = 0;
    for (const Proposal& one : propose_shares(scope_of(test::product(key)), Strategy::mps, platform)) {
      largest = std::max(largest, one.replicas.value_or(0));
    }
    return largest;
  };
  EXPECT_EQ(most("V100-32GB", Platform::gpu_operator), 16);
  EXPECT_EQ(most("H100-80GB-SXM5", Platform::gpu_operator), 48);
}

TEST(Shares, WhoUsesMoreThanAShareIsPointedOut) {
  test::Story story;
  Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  node.gpus[0].telemetry.memory_used = Mib{30000};
  story.tell(NodesListed{{node}});
  story.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0, 1}})})}});
  for (const Proposal& one : propose_shares(all_of(story), Strategy::time_slicing, Platform::slurm)) {
    EXPECT_EQ(one.notes.empty(), *one.replicas == 2) << *one.replicas;
    EXPECT_EQ(ids(one.ends), (std::vector<std::string>{"1"}));
  }
}

TEST(Conclusion, AnUnfinishedWalkListsWhatIsNeeded) {
  const Scope scope = scope_of(test::product("H100-80GB-SXM5"));
  const Walk walk(test::flowchart(), prefill(scope, catalogue()), Confidence::likely);
  const GuideResult result = conclude(walk, scope, {}, test::at(0));
  EXPECT_FALSE(result.strategy);
  ASSERT_EQ(result.path.size(), 1u);
  EXPECT_EQ(result.path[0].question, "Q1");
  EXPECT_EQ(result.path[0].source, "catalogue");
  ASSERT_EQ(result.needed.size(), 2u);
  EXPECT_EQ(result.needed[0].question, "Q2");
  EXPECT_EQ(result.needed[1].question, "Q5");
  EXPECT_TRUE(result.layouts.empty());
}

TEST(Conclusion, ALeafComesWithEverythingThatFollows) {
  const Scope scope = scope_of(test::product("H100-80GB-SXM5"));
  Walk walk(test::flowchart(), prefill(scope, catalogue()), Confidence::likely);
  walk.answer("Q2", true);
  const GuideResult result =
      conclude(walk, scope, {Platform::gpu_operator, "", {}, {}, &test::handouts()}, test::at(0));
  EXPECT_EQ(result.strategy, Strategy::mig);
  EXPECT_EQ(result.path.at(1).source, "admin");
  EXPECT_TRUE(result.needed.empty());
  EXPECT_EQ(result.tradeoffs.size(), 4u);
  EXPECT_FALSE(result.limits.empty());
  EXPECT_FALSE(result.layouts.empty());
  ASSERT_FALSE(result.advice.empty());
  EXPECT_NE(result.advice[0].text.find("nvidia.com/mig-"), std::string::npos) << result.advice[0].text;
}

TEST(Conclusion, LayoutsAreCompared) {
  const Table table = layout_comparison(test::product("A30-24GB"));
  EXPECT_EQ(table.rows.size(), 4u);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(table.rows[1][0], "1 × 2g.12gb + 2 × 1g.6gb");
}

// Q4 asks whether there is a licence or whether one can be had: the limits say no longer that it is not
// known.
TEST(Conclusion, ALicenceThatWasAnsweredIsNotCalledUnknown) {
  auto text = [](std::optional<bool> site) {
    Walk walk(Texts::built_in()->get()->chart, {});
    for (const auto& [question, yes] : {std::pair{"Q1", false}, {"Q3", true}, {"Q4", true}})
      EXPECT_TRUE(walk.answer(question, yes));
    GuideContext context;
    context.licence = site;
    for (const sharing::Limit& limit : conclude(walk, {}, context, test::at(0)).limits)
      if (limit.id == "vgpu-licence") return limit.text;
    return std::string();
  };
  EXPECT_EQ(text({}), "a vGPU needs a licence; by the answer there is one, or one can be had");
  EXPECT_EQ(text(true), "a licence is there");
}

}  // namespace
}  // namespace tessera::guide
