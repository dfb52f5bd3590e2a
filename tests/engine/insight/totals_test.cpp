// The sums of the front page: units apart, and only what can be had counts as free.
#include "engine/insight/totals.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using Figures = std::map<std::string, int>;

TEST(Totals, ClosedNodesOfferNothing) {
  Node open = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  Node drained = node("n2", {gpu(0, Strategy::whole, {whole(0)})});
  drained.health = Health::drained;
  Story story;
  story.tell(NodesListed{{open, drained}});
  insight::Totals totals = insight::totals(story.cluster());
  EXPECT_EQ(totals.free, 1);
  EXPECT_EQ(totals.nodes_closed, 1);
  EXPECT_EQ(totals.free_by_profile, (Figures{{"whole", 1}}));
}

TEST(Totals, UseIsThatOfTheGpusOnWhichWorkRunsAndOfWhichItIsTold) {
  const auto used = [](int device, std::optional<float> use) {
    Gpu one = gpu(device, Strategy::whole, {whole(device)});
    if (use) one.telemetry.use = Percent{*use};
    return one;
  };
  Story story;
  story.tell(
      NodesListed{{node("n1", {used(0, 90.0F), used(1, 20.0F), used(2, 5.0F), used(3, std::nullopt)})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}, {1, 1}, {3, 1}})})}});
  const insight::Totals totals = insight::totals(story.cluster());
  EXPECT_EQ(totals.measured, 2) << "the third is free, and nothing is told of the fourth";
  EXPECT_NEAR(totals.used, 110, 1e-6);
}

TEST(Totals, FreeSharesOfASharedBoardAreCountedInShares) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::shard, {shared(SliceKind::shard, 4, 0)})})}});
  story.tell(WorkloadsListed{
      {running("1", "alice", {holds("n1", {{0, 1}}, Family::shard)}), waiting("2", "bob", "shard")}});
  insight::Totals totals = insight::totals(story.cluster());
  EXPECT_EQ(totals.held, 1);
  EXPECT_EQ(totals.free, 1) << "something of the GPU can be had";
  EXPECT_EQ(totals.free_shares, (Figures{{"shards", 3}}));
  EXPECT_EQ(totals.free_by_profile, Figures{});
  EXPECT_EQ(totals.waiting_by_request, (std::map<std::string, insight::Waiting>{{"shard", {1, 1}}}));
}

TEST(Totals, FreeSharesAreCountedWhereTheirBoardsAreNotTold) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 8, 0)}),
                                      gpu(1, Strategy::mps, {shared(SliceKind::mps, 8, 1)}),
                                      gpu(2, Strategy::mps, {shared(SliceKind::mps, 8, 2)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 3}}, Family::mps)}),
                              running("2", "bob", {holds_some("n1", "", 1, Family::mps)})}});
  EXPECT_EQ(insight::totals(story.cluster()).free_shares, (Figures{{"MPS shares", 20}}));
}

// 245 percent of Slurm's MPS and 28 clients of Kubernetes' are not 273 of anything.
// Nodes with two kinds of which it was not known which are held were left out of FREE NOW.
TEST(Totals, EachKindIsCountedWhereItIsNotKnownWhichAreHeld) {
  Node mixed = node("n1", {});
  for (int i = 0; i < 4; ++i) mixed.pool.push_back(instance("1g.10gb", i, 1, i));
  for (int i = 4; i < 7; ++i) mixed.pool.push_back(instance("2g.20gb", i, 2, i));
  Story story;
  story.tell(NodesListed{{mixed}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "1g.10gb", 1)}),
                              running("2", "bob", {holds_some("n1", "2g.20gb", 2)})}});
  EXPECT_EQ(insight::totals(story.cluster()).free_by_profile,
            (std::map<std::string, int>{{"1g.10gb", 3}, {"2g.20gb", 1}}));
  EXPECT_EQ(insight::totals(story.cluster()).free, 4);
}

TEST(Totals, WhatIsOutOfUseIsNotFree) {
  Node sick = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  sick.out_of_use = {{Family::gpu, "", 1}};
  Story story;
  story.tell(NodesListed{{sick}});
  insight::Totals totals = insight::totals(story.cluster());
  EXPECT_EQ(totals.free, 1);
  EXPECT_EQ(totals.unknown, 0);
  EXPECT_EQ(totals.free_by_profile, (std::map<std::string, int>{{"whole", 1}}));
  sick.out_of_use = {{Family::gpu, "", 2}};
  story.tell(NodesListed{{sick}});
  EXPECT_EQ(insight::totals(story.cluster()).free, 0);
}

TEST(Totals, PercentAndClientsAreNeverAddedUp) {
  Story slurm, kubernetes;
  slurm.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
  slurm.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)})})}});
  kubernetes.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  kubernetes.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 8, 0)})})}});
  EXPECT_EQ(insight::totals(slurm.cluster()).free_shares, (Figures{{"MPS percent", 100}}));
  EXPECT_EQ(insight::totals(kubernetes.cluster()).free_shares, (Figures{{"MPS clients", 8}}));
}

// Shards are Slurm's: HAMi splits a GPU into shares, ACK its memory into GiB. All were called shards.
TEST(Totals, SharesOnKubernetesAreCalledWhatItsPluginsMake) {
  const auto told = [](Scheduler scheduler, SliceKind kind, const char* resource) {
    Story story;
    ClusterSeen seen;
    seen.scheduler = scheduler;
    story.tell(seen);
    Node one = node("n1", {gpu(0, Strategy::shard, {shared(kind, 24, 0)})});
    one.allocatable = {{resource, 24}};
    story.tell(NodesListed{{one}});
    return insight::totals(story.cluster()).free_shares;
  };
  EXPECT_EQ(told(Scheduler::kubernetes, SliceKind::shard, "nvidia.com/gpu"), (Figures{{"shares", 24}}));
  EXPECT_EQ(told(Scheduler::kubernetes, SliceKind::shard, "aliyun.com/gpu-mem"), (Figures{{"GiB", 24}}));
  EXPECT_EQ(told(Scheduler::kubernetes, SliceKind::mps, "aliyun.com/gpu-mem"), (Figures{{"GiB", 24}}));
  EXPECT_EQ(told(Scheduler::kubernetes, SliceKind::mps, "nvidia.com/gpu"), (Figures{{"MPS clients", 24}}));
  EXPECT_EQ(told(Scheduler::slurm, SliceKind::shard, "gres/shard"), (Figures{{"shards", 24}}));
}

// "mps 60": the name of Slurm's resource is no unit.
TEST(Totals, MpsThatIsAskedForIsCountedAsTheGpusAreHandedOut) {
  const auto asked = [](std::vector<int> capacities, const char* resource) {
    std::vector<Gpu> gpus;
    for (int i = 0; i < static_cast<int>(capacities.size()); ++i)
      gpus.push_back(
          gpu(i, Strategy::mps, {shared(SliceKind::mps, capacities[static_cast<std::size_t>(i)], i)}));
    Story story;
    story.tell(NodesListed{{node("n1", std::move(gpus))}});
    return insight::unit_asked_for(insight::totals(story.cluster()), resource, Scheduler::slurm);
  };
  EXPECT_EQ(asked({100, 100}, "gres/mps"), "MPS percent");
  EXPECT_EQ(asked({100, 400}, "mps"), "MPS shares");
  EXPECT_EQ(asked({}, "mps"), "MPS shares") << "of how many is not known";
  EXPECT_EQ(asked({100}, "mps:h100"), "MPS percent h100");
  EXPECT_EQ(asked({100}, "gpu:h100"), "");
}

TEST(Totals, WaitingWorkIsCountedInWhatItAsksForAndInJobs) {
  Workload large = waiting("1", "alice", "gpu:h100"), small = waiting("2", "bob", "gpu:h100");
  large.requests = {{"gpu:h100", 54}};
  Story story;
  story.tell(WorkloadsListed{{large, small}});
  EXPECT_EQ(insight::totals(story.cluster()).waiting_by_request,
            (std::map<std::string, insight::Waiting>{{"gpu:h100", {2, 55}}}));
}

}  // namespace
}  // namespace tessera::test
