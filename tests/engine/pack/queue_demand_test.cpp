// What waits, as a demand: slices, and whole GPUs where a request can mean nothing else.
#include "engine/pack/queue_demand.hpp"

#include <gtest/gtest.h>

#include "engine/pack/pack.hpp"
#include "engine/plan/effect/slice_names.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::pack {
namespace {

QueueDemand demand(Scheduler scheduler, Gpu gpu, std::vector<Workload> waiting) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {std::move(gpu)})}});
  story.tell(WorkloadsListed{std::move(waiting)});
  story.model.clusters.front().scheduler = scheduler;
  return demand_of_queue(story.cluster(), "", &test::catalogue());
}
Workload pod(const std::string& resource) {
  Workload one = test::waiting("ml/a", "alice", resource);
  one.reason = "Insufficient nvidia.com/gpu";
  return one;
}

TEST(QueueDemand, APodThatAsksForAGpuCountsWhereThatIsAWholeOne) {
  const Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  const QueueDemand found = demand(Scheduler::kubernetes, uncut, {pod("nvidia.com/gpu")});
  EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("whole"), std::nullopt, 1}}));
  EXPECT_EQ(found.workloads, 1);
}

TEST(QueueDemand, APodThatAsksForAGpuIsLeftOutWhereSharesHaveThatName) {
  const Gpu shared = test::gpu(0, Strategy::time_slicing, {test::shared(SliceKind::time_slice, 4, 0)});
  const QueueDemand found = demand(Scheduler::kubernetes, shared, {pod("nvidia.com/gpu")});
  EXPECT_TRUE(found.demand.empty());
  EXPECT_EQ(found.other, 1);
}

TEST(QueueDemand, OnSlurmAGpuIsWholeWhereNothingElseIsCalledOne) {
  const Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  const QueueDemand found = demand(Scheduler::slurm, uncut,
                                   {test::waiting("7", "bob", "gpu:h100"), test::waiting("8", "bob", "gpu"),
                                    test::waiting("9", "bob", "gpu:3g.40gb")});
  EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("3g.40gb"), std::nullopt, 1},
                                               {ProfileName("whole"), std::nullopt, 2}}));
  EXPECT_EQ(found.workloads, 3);
  EXPECT_EQ(found.other, 0);
}

TEST(QueueDemand, OnSlurmAGpuWithoutATypeMayBeAnInstanceOrOneOfAmd) {
  const std::vector<Workload> waiting{test::waiting("7", "bob", "gpu:h100"),
                                      test::waiting("8", "bob", "gpu")};
  const Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  Gpu amd = uncut;
  amd.model = "AMD Instinct MI300X", amd.product.reset();
  for (const Gpu& beside : {test::gpu(0, Strategy::mig, {test::instance("3g.40gb", 0, 4, 0)}), amd}) {
    test::Story story;
    story.tell(NodesListed{{test::node("n1", {uncut}), test::node("n2", {beside})}});
    story.tell(WorkloadsListed{waiting});
    story.model.clusters.front().scheduler = Scheduler::slurm;
    const QueueDemand found = demand_of_queue(story.cluster(), "", &test::catalogue());
    EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("whole"), std::nullopt, 1}}));
    EXPECT_EQ(found.other, 1) << "an H100 made whole may serve nothing that waits";
  }
}

// Its shards are called otherwise.
TEST(QueueDemand, OnSlurmSharesTakeNoGpuFromAJobWithoutAType) {
  const Gpu shared = test::gpu(0, Strategy::shard, {test::shared(SliceKind::shard, 4, 0)});
  const QueueDemand found = demand(Scheduler::slurm, shared, {test::waiting("8", "bob", "gpu")});
  EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("whole"), std::nullopt, 1}}));
}

TEST(QueueDemand, AJobThatAsksForAGpuOfAmdIsLeftOut) {
  const Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  const QueueDemand found = demand(Scheduler::slurm, uncut, {test::waiting("7", "bob", "gpu:mi300x")});
  EXPECT_TRUE(found.demand.empty());
  EXPECT_EQ(found.other, 1);
}

// An A100 and an H100, each handed out by its type, and another one that a node calls "old".
QueueDemand demand_beside(std::vector<Workload> waiting) {
  Gpu a100 = test::gpu(0, Strategy::whole, {test::whole(0)}), h100 = a100;
  a100.product = ProductKey("A100-80GB"), h100.product = ProductKey("H100-80GB-SXM5");
  a100.model = "a100", h100.model = "h100";
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {a100}), test::node("n2", {h100})}});
  story.tell(WorkloadsListed{std::move(waiting)});
  story.model.clusters.front().scheduler = Scheduler::slurm;
  return demand_of_queue(story.cluster(), "", &test::catalogue());
}

// A screen takes the queue between two keys.
TEST(QueueDemand, NamesAreReadOnceForSlicesThatAreAlike) {
  std::vector<Slice> seven;
  for (int i = 0; i < 7; ++i) seven.push_back(test::instance("1g.10gb", i, 1, i));
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::mig, seven)})}});
  story.model.clusters.front().scheduler = Scheduler::slurm;
  std::vector<std::string> names;
  plan::each_slice_name(story.cluster(), story.node("n1"), test::catalogue(),
                        [&](const Slice&, std::size_t gpu, const std::string& name) {
                          EXPECT_EQ(gpu, 0u);
                          names.push_back(name);
                        });
  EXPECT_EQ(names, std::vector<std::string>{"gpu:1g.10gb"});
}

TEST(QueueDemand, AWholeGpuOfATypeIsAskedForOfItsProductWhereThereAreSeveral) {
  const QueueDemand found = demand_beside({test::waiting("7", "bob", "gpu:a100")});
  ASSERT_EQ(found.demand.size(), 1u);
  ASSERT_TRUE(found.demand[0].product) << "an H100 made whole would serve nobody";
  Problem problem;
  problem.products = {test::catalogue().by_key("H100-80GB-SXM5")};
  const std::vector<Demand> demand = demand_in(problem, found);
  EXPECT_EQ(problem.products[*demand[0].product]->key.text, "A100-80GB");
  EXPECT_EQ(found.of_any, 0);
}

// Its MI300X are GPUs of no product of the catalogue, and none that could serve them.
TEST(QueueDemand, GpusOfAmdMakeNoClusterOneOfSeveralProducts) {
  Gpu h100 = test::gpu(0, Strategy::whole, {test::whole(0)}), amd = h100;
  h100.product = ProductKey("H100-80GB-SXM5"), h100.model = "h100";
  amd.model = "AMD Instinct MI300X", amd.product.reset();
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {h100}), test::node("n2", {amd})}});
  story.tell(WorkloadsListed{{test::waiting("7", "bob", "gpu:h100"), test::waiting("8", "bob", "gpu:a100")}});
  story.model.clusters.front().scheduler = Scheduler::slurm;
  const QueueDemand found = demand_of_queue(story.cluster(), "", &test::catalogue());
  EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("whole"), std::nullopt, 1}}));
  EXPECT_EQ(found.of_any, 0);
  EXPECT_EQ(found.other, 1) << "an H100 made whole serves no job that waits for an A100";
}

// The V100 stands on no GPU that may be planned, and cannot be cut at all.
TEST(QueueDemand, WholeGpusOfAnotherProductAreUnmetAndMakeNoneWhole) {
  for (const char* asked : {"A100-80GB", "V100-32GB"}) {
    Problem problem;
    problem.products = {test::catalogue().by_key("H100-80GB-SXM5")};
    Board cut{NodeName("n1"), GpuIndex{0}, 0, {{{0, 0}, false}}};
    cut.may_be_whole = true;
    problem.boards = {cut};
    QueueDemand queue;
    queue.products = {test::catalogue().by_key(asked)};
    queue.demand = {{ProfileName("whole"), 0, 1}};
    problem.demand = demand_in(problem, queue);
    const auto packed = pack(problem);
    ASSERT_TRUE(packed.ok()) << to_line(packed.error());
    EXPECT_EQ(packed->unmet, std::vector<int>{1}) << asked;
    EXPECT_TRUE(packed->boards.empty()) << asked;
  }
}

TEST(QueueDemand, ATypeOfNoProductThatIsKnownIsOfAnyAndThatIsSaid) {
  const QueueDemand found = demand_beside({test::waiting("7", "bob", "gpu:big")});
  EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("whole"), std::nullopt, 1}}));
  EXPECT_NE(queue_text(found).find("; whole GPUs that may be of any product: 1"), std::string::npos);
}

TEST(QueueDemand, WhatMayBeOfAnyProductIsLeftOutBesideWhatIsOfOne) {
  const QueueDemand found =
      demand_beside({test::waiting("7", "bob", "gpu:big"), test::waiting("8", "bob", "gpu:h100")});
  ASSERT_EQ(found.demand.size(), 1u);
  EXPECT_TRUE(found.demand[0].product);
  EXPECT_EQ(found.workloads, 1);
  EXPECT_EQ(found.other, 1);
}

// No slice serves both: one plan is for those of the device plugin, another one for claims.
TEST(QueueDemand, APodThatAsksByClaimIsCountedApartFromThoseThatAskTheDevicePlugin) {
  const Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  test::Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{test::node("n1", {uncut})}});
  Workload plugin = pod("nvidia.com/mig-1g.10gb"), claim = pod("mig.nvidia.com/2g.20gb"), both = claim;
  claim.id = WorkloadId("ml/b"), both.id = WorkloadId("ml/c");
  both.requests.push_back({"nvidia.com/mig-1g.10gb", 1});
  claim.reason = "0/1 nodes are available: 1 cannot allocate all claims.";
  story.tell(WorkloadsListed{{plugin, claim, both}});
  const auto by = [&](std::optional<Naming> naming) {
    return demand_of_queue(story.cluster(), "", &test::catalogue(), nullptr, naming);
  };
  for (const QueueDemand& found : {by(std::nullopt), by(Naming::profiles)}) {
    EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("1g.10gb"), std::nullopt, 1}}));
    EXPECT_EQ(found.other_naming, 1);
    EXPECT_EQ(found.other, 1) << "no node serves a pod that asks both ways";
    EXPECT_NE(other_naming_text(found).find("not counted: 1 jobs or pods ask by claims"), std::string::npos);
  }
  const QueueDemand claims = by(Naming::claims);
  EXPECT_EQ(claims.demand, (std::vector<Demand>{{ProfileName("2g.20gb"), std::nullopt, 1}}));
  EXPECT_EQ(claims.other_naming, 1);
  story.tell(WorkloadsListed{{claim}});
  const QueueDemand alone = by(std::nullopt);
  EXPECT_EQ(alone.naming, Naming::claims) << "nothing else waits";
  EXPECT_EQ(alone.workloads, 1);
  EXPECT_EQ(other_naming_text(alone), "");
}

}  // namespace
}  // namespace tessera::pack
