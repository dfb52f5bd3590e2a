// Who holds which slice: what the scheduler tells, and what may be concluded from it.
#include <gtest/gtest.h>

#include "engine/insight/available.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

std::string who(const Slice& slice) {
  std::string text(word(slice.holding));
  for (const Holder& holder : slice.holders)
    text += " " + holder.workload.text + (holder.share == 1 ? "" : ":" + std::to_string(holder.share));
  if (!slice.exact) text += " (one of)";
  return text;
}

TEST(LinkHolders, AJobHoldsTheGpusWhoseIndicesItWasGiven) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{1, 1}})})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "free");
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "held 7");
  EXPECT_EQ(story.node("n1").workloads, std::vector{WorkloadId("7")});
}

TEST(LinkHolders, ItDoesNotMatterWhetherJobsOrNodesAreToldFirst) {
  Story story;
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})})}});
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "held 7");
}

// A cluster whose pods may not be listed showed every slice as free.
TEST(LinkHolders, WithoutTheListOfWorkNothingIsFree) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  story.tell(SourceReport{Source::kubernetes_nodes, std::nullopt, Duration(1)});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "unknown") << "the pods have not been listed yet";
  story.tell(SourceReport{Source::kubernetes_pods, Error{"not allowed to list pods", "", ""}, Duration(1)});
  story.tell(WorkloadSeen{running("7", "alice", {holds("n1", {{1, 1}})})});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "unknown");
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "held 7") << "what is seen is known";
  EXPECT_EQ(story.node("n1").counts.held, 1);
  EXPECT_EQ(story.node("n1").counts.free, 0);
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{1, 1}})})}});
  story.tell(SourceReport{Source::kubernetes_pods, std::nullopt, Duration(1)});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "free");
  EXPECT_EQ(story.node("n1").counts.free, 1);
  story.tell(SourceReport{Source::kubernetes_pods, std::nullopt, Duration(1), "1 could not be read", true});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "unknown") << "the one that was left out may hold it";
}

TEST(LinkHolders, WithoutTheListOfWorkSharesAreNotCountedAndTheSchedulersWordStands) {
  Story story;
  Slice told = whole(1);
  told.told_held = false;
  story.tell(NodesListed{{node(
      "n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 4, 0)}), gpu(1, Strategy::whole, {told})})}});
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration(1)});
  EXPECT_EQ(story.node("n1").counts.shares_held, std::nullopt);
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "free") << "by GresUsed";
  EXPECT_EQ(story.node("n1").counts.free, 1);
}

Node eight_boards() {
  std::vector<Gpu> boards;
  for (int i = 0; i < 8; ++i) boards.push_back(gpu(i, Strategy::whole, {whole(i)}));
  return node("n1", std::move(boards));
}

// Capacity 8, allocatable 7 was shown as 8 free.
TEST(LinkHolders, WhatIsOutOfUseIsNotFreeThoughWhichIsNotReported) {
  Node sick = eight_boards();
  sick.out_of_use = {{Family::gpu, "", 1}};
  Story story;
  story.tell(NodesListed{{sick}});
  EXPECT_EQ(story.node("n1").counts.free, 7);
  EXPECT_EQ(story.node("n1").counts.out, 1);
  EXPECT_EQ(story.slice("n1", 0, 0).usable, std::nullopt);
  EXPECT_EQ(story.slice("n1", 0, 0).holding, Holding::free) << "no work is in the way of repairing it";
  story.tell(WorkloadsListed{{running("7", "alice", {holds_some("n1", "", 3)})}});
  EXPECT_EQ(story.node("n1").counts.held, 3);
  EXPECT_EQ(story.node("n1").counts.free, 4);
  EXPECT_TRUE(story.node("n1").counts.known());
  story.tell(WorkloadsListed{{running("7", "alice", {holds_some("n1", "", 8)})}});
  EXPECT_EQ(story.node("n1").counts.free, 0);
  EXPECT_EQ(story.node("n1").counts.out, 0) << "the sick one has a holder, too";
  sick.out_of_use = {{Family::gpu, "", 8}};
  story.tell(WorkloadsListed{});
  story.tell(NodesListed{{sick}});
  EXPECT_EQ(story.node("n1").counts.free, 0);
  EXPECT_EQ(story.slice("n1", 0, 0).usable, false);
  story.tell(NodesListed{{eight_boards()}});
  EXPECT_EQ(story.node("n1").counts.free, 8);
  EXPECT_EQ(story.slice("n1", 0, 0).usable, true);
}

TEST(LinkHolders, OneKindOutOfUseLeavesTheOthersAlone) {
  Node mixed = node("n1", {});
  for (int i = 0; i < 4; ++i) mixed.pool.push_back(instance("1g.10gb", i, 1, i));
  for (int i = 4; i < 6; ++i) mixed.pool.push_back(instance("2g.20gb", i, 2, i));
  mixed.out_of_use = {{Family::gpu, "1g.10gb", 2}};
  Story story;
  story.tell(NodesListed{{mixed}});
  EXPECT_EQ(story.node("n1").counts.free, 4);
  EXPECT_EQ(story.node("n1").counts.out, 2);
  EXPECT_EQ(story.node("n1").pool[4].usable, true);
}

// What is told of a profile's slices is nothing about whole GPUs beside them.
TEST(LinkHolders, SlicesOfAProfileCountForNoWholeGpuBesideThem) {
  Node mixed = node("n1", {});
  for (int i = 0; i < 4; ++i) mixed.pool.push_back(instance("1g.10gb", i, 1, i));
  for (int i = 4; i < 8; ++i) mixed.pool.push_back(whole(i));
  Story story;
  story.tell(NodesListed{{mixed}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "1g.10gb", 4)}),
                              running("2", "bob", {holds_some("n1", "h100", 1)})}});
  EXPECT_EQ(story.node("n1").counts.held, 5);
  EXPECT_EQ(story.node("n1").counts.free, 3);
  EXPECT_EQ(who(story.node("n1").pool[4]), "unknown 2 (one of)");
  mixed.out_of_use = {{Family::gpu, "1g.10gb", 2}};
  Story sick;
  sick.tell(NodesListed{{mixed}});
  EXPECT_EQ(sick.node("n1").counts.out, 2);
  EXPECT_EQ(sick.node("n1").counts.free, 6);
  EXPECT_EQ(sick.node("n1").pool[4].usable, true);
}

TEST(LinkHolders, ADeviceThatIsToldToBeOutOfUseIsThatOne) {
  Node sick = eight_boards();
  sick.gpus[3].slices[0].told_out = true;
  Story story;
  story.tell(NodesListed{{sick}});
  EXPECT_EQ(story.node("n1").counts.free, 7);
  EXPECT_EQ(story.slice("n1", 3, 0).usable, false);
  EXPECT_EQ(story.slice("n1", 2, 0).usable, true);
}

// A node that hands out vGPUs and tells no product was shown as MIG.
TEST(LinkHolders, SlicesWithoutABoardSayHowTheirNodeIsShared) {
  auto kinds_with = [](SliceKind kind) {
    Node told = node("n1", {});
    told.pool = {shared(kind, 1, 0)};
    Story story;
    story.tell(NodesListed{{told}});
    return story.node("n1").kinds.strategies;
  };
  auto only = [](Strategy strategy) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(strategy));
  };
  EXPECT_EQ(kinds_with(SliceKind::vgpu), only(Strategy::vgpu));
  EXPECT_EQ(kinds_with(SliceKind::gpu_instance), only(Strategy::mig));
  EXPECT_EQ(kinds_with(SliceKind::whole_gpu), only(Strategy::whole));
}

TEST(LinkHolders, AnEndedJobFreesItsSlice) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})})}});
  Changes changes = story.tell(WorkloadsListed{{}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "free");
  EXPECT_EQ(changes.nodes, std::vector{NodeName("n1")});
  EXPECT_EQ(changes.workloads, std::vector{WorkloadId("7")});
}

TEST(LinkHolders, SharesOfOneGpuAddUp) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 25}}, Family::mps)}),
                              running("2", "bob", {holds("n1", {{0, 50}}, Family::mps)})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "held 1:25 2:50");
}

TEST(LinkHolders, AWholeGpuJobOnAShardedBoardTakesAllItsShards) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::shard, {shared(SliceKind::shard, 4, 0)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "held 1:4");
}

TEST(LinkHolders, AShardJobDoesNotTouchAnExclusiveBoard) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}}, Family::shard)})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "free");
}

TEST(LinkHolders, HowManyButNotWhichIsShownAsOneOf) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "h100", 1)})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "unknown 1 (one of)");
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "unknown 1 (one of)");
  EXPECT_EQ(story.node("n1").counts, (SliceCounts{2, 1, 1})) << "which is open, how many is not";
}

// What a job holds for certain is not perhaps another's.
TEST(LinkHolders, HowManyButNotWhichIsOneOfThoseThatAreLeft) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  story.tell(WorkloadsListed{
      {running("1", "alice", {holds("n1", {{0, 1}})}), running("2", "bob", {holds_some("n1", "h100", 1)})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "held 1");
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "held 2");
}

TEST(LinkHolders, HowManyAreHeldIsToldByProfileToo) {
  Story story;
  story.tell(NodesListed{
      {node("n1", {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("3g.40gb", 4, 4, 1)}),
                   gpu(1, Strategy::mig, {instance("3g.40gb", 0, 4, 2)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "3g.40gb", 1)})}});
  EXPECT_EQ(story.node("n1").counts, (SliceCounts{3, 1, 2}));
}

// It is not reported on which GPU the shares are that are in use. How many GPUs are held stays open, how many
// shares does not: what an admin of a time-sliced Kubernetes node wants to know.
TEST(LinkHolders, HowManySharesAreHeldIsToldWhereTheirBoardsAreNot) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::time_slicing, {shared(SliceKind::time_slice, 4, 0)}),
                               gpu(1, Strategy::time_slicing, {shared(SliceKind::time_slice, 4, 1)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "", 2, Family::shard)})}});
  EXPECT_EQ(story.node("n1").counts, (SliceCounts{2, 0, 0, 8, 2}));
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "", 2, Family::shard)}),
                              running("2", "bob", {holds("n1", {{0, 1}}, Family::shard)})}});
  EXPECT_EQ(story.node("n1").counts.shares_held, 3) << "one that is told with its GPU, and two that are not";
  story.tell(WorkloadsListed{{}});
  EXPECT_EQ(story.node("n1").counts, (SliceCounts{2, 0, 2, 8, 0}));
}

// Slurm up to 23.02 tells the sum of a job's shards, and not how many on which GPU.
TEST(LinkHolders, SharesOverSeveralBoardsCountByTheirSum) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::shard, {shared(SliceKind::shard, 4, 0)}),
                                      gpu(1, Strategy::shard, {shared(SliceKind::shard, 4, 1)})})}});
  Workload job = running("1", "alice", {holds("n1", {{0, 0}, {1, 0}}, Family::shard)});
  job.allocations[0].count = 5;
  story.tell(WorkloadsListed{{job}});
  EXPECT_EQ(story.node("n1").counts.shares_held, 5);
  EXPECT_EQ(story.slice("n1", 0, 0).holders.at(0).share, 0);
  EXPECT_EQ(insight::unheld(story.slice("n1", 0, 0), true), std::nullopt) << "not three of four";
}

TEST(LinkHolders, AJobWhosePartIsToldOnceAndOnceNotHoldsAnUnknownPart) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)})})}});
  for (const auto& [first, second] : {std::pair{40, 0}, {0, 40}}) {
    Workload job = running("1", "alice", {holds("n1", {{0, first}}, Family::mps)});
    job.allocations.push_back(holds("n1", {{0, second}}, Family::mps));
    story.tell(WorkloadsListed{{job}});
    EXPECT_EQ(story.slice("n1", 0, 0).holders.at(0).share, 0);
  }
}

TEST(LinkHolders, AShareOfUnknownSizeLeavesTheSumOpen) {
  Story story;
  Gpu mps = gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)});
  mps.slices[0].told_held = true;
  story.tell(NodesListed{{node("n1", {mps})}});
  EXPECT_EQ(story.node("n1").counts, (SliceCounts{1, 1, 0, 100, std::nullopt}));
}

TEST(LinkHolders, WhenCountsFillTheBoardEverySliceIsHeld) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "h100", 1)}),
                              running("2", "bob", {holds_some("n1", "h100", 1)})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "held 1 2 (one of)");
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "h100", 2)})}});
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "held 1");
}

TEST(LinkHolders, ATypedCountSpreadsOverSlicesOfThatProfileOnly) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig,
                                          {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1),
                                           instance("3g.40gb", 4, 4, 2)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "h100_1g.10gb", 1)})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "unknown 1 (one of)");
  EXPECT_EQ(who(story.slice("n1", 0, 2)), "free");
}

TEST(LinkHolders, AnIndexThatNoSliceHasIsNotTakenForFree) {
  // The scheduler numbers devices that this node's list does not have: how many is known, which is not.
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  Workload job = running("1", "alice", {holds("n1", {{5, 1}})});
  story.tell(WorkloadsListed{{job}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "unknown 1 (one of)");
}

TEST(LinkHolders, AMigTypeNeverMeansAWholeBoard) {
  Story story;
  story.tell(NodesListed{{node(
      "n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::mig, {instance("1g.10gb", 0, 1, 1)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "1g.10gb", 1)})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "free");
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "held 1");
}

TEST(LinkHolders, AJobToldWithItsNodesInAnyOrderIsFoundOnEach) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})}),
                          node("n2", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n2", {{0, 1}}), holds("n1", {{0, 1}})})}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "held 1");
  EXPECT_EQ(who(story.slice("n2", 0, 0)), "held 1");
}

TEST(LinkHolders, TheSchedulersOwnWordBeatsWhatWeCannotSee) {
  Node hidden = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  hidden.gpus[0].slices[0].told_held = true;
  hidden.gpus[1].slices[0].told_held = false;
  Story story;
  story.tell(NodesListed{{hidden}});
  EXPECT_EQ(who(story.slice("n1", 0, 0)), "held");
  EXPECT_EQ(who(story.slice("n1", 1, 0)), "free");
}

TEST(LinkHolders, PoolSlicesAreLinkedByTheirDeviceIndex) {
  Node pooled = node("m1", {});
  pooled.pool = {instance("1g.10gb", 0, 1, 0), instance("3g.40gb", 0, 4, 7)};
  pooled.pool[0].placement.reset();
  pooled.pool[1].placement.reset();
  Story story;
  story.tell(NodesListed{{pooled}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("m1", {{7, 1}})})}});
  EXPECT_EQ(who(story.node("m1").pool[0]), "free");
  EXPECT_EQ(who(story.node("m1").pool[1]), "held 1");
}

}  // namespace
}  // namespace tessera::test
