// What can be had now: "free" on a screen is a promise.
#include "engine/insight/available.hpp"

#include <gtest/gtest.h>

#include "engine/insight/free_kinds.hpp"
#include "engine/insight/totals.hpp"
#include "tests/support/random_world.hpp"

namespace tessera::test {
namespace {

using insight::Availability;

Availability of(const Story& story, const char* name = "n1") {
  return insight::availability(insight::sight_of(story.cluster(), story.node(name)), story.slice(name, 0, 0));
}
std::optional<int> shares(const Story& story) {
  return insight::available(insight::sight_of(story.cluster(), story.node("n1")), story.slice("n1", 0, 0));
}

Story one_gpu(Health health, Slice slice = whole(0)) {
  Node one = node("n1", {gpu(0, Strategy::whole, {std::move(slice)})});
  one.health = health;
  Story story;
  story.tell(NodesListed{{one}});
  return story;
}

TEST(Available, ASliceOfANodeThatTakesNoWorkIsClosedAndNotFree) {
  EXPECT_EQ(of(one_gpu(Health::ok)), Availability::free);
  for (Health health : {Health::draining, Health::drained, Health::down, Health::invalid}) {
    EXPECT_EQ(of(one_gpu(health)), Availability::closed) << word(health);
    EXPECT_EQ(shares(one_gpu(health)), 0) << word(health);
  }
}

TEST(Available, ANodeWhoseStateIsNotKnownOffersNothingForSure) {
  EXPECT_EQ(of(one_gpu(Health::unknown)), Availability::unknown);
  EXPECT_EQ(shares(one_gpu(Health::unknown)), std::nullopt);
}

TEST(Available, ANodeUnderMaintenanceOrInAPartitionThatIsDownIsClosed) {
  Node maintained = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  maintained.state = {"IDLE", "MAINTENANCE"};
  Story story;
  story.tell(NodesListed{{maintained}});
  EXPECT_EQ(of(story), Availability::closed);
  Node parted = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  parted.partitions = {"gpu", "long"};
  story.tell(NodesListed{{parted}});
  story.tell(PartitionsListed{{{"gpu", "DOWN", false, false, "", ""}, {"long", "UP", false, false, "", ""}}});
  EXPECT_EQ(of(story), Availability::free) << "one partition still starts jobs there";
  story.tell(
      PartitionsListed{{{"gpu", "DOWN", false, false, "", ""}, {"long", "INACTIVE", false, false, "", ""}}});
  EXPECT_EQ(of(story), Availability::closed);
}

// FREE said 1 of a node that only a course's jobs were let into. Slurm 22.05 prints the flag without the
// name.
TEST(Available, ANodeInAReservationThatHasBegunIsClosedToOthers) {
  Node named = node("n1", {gpu(0, Strategy::whole, {whole(0)})}), flagged = named;
  named.reservation = "course";
  flagged.state = {"IDLE", "RESERVED"};
  for (const Node& reserved : {named, flagged}) {
    Story story;
    story.tell(NodesListed{{reserved}});
    EXPECT_EQ(of(story), Availability::closed);
    EXPECT_EQ(shares(story), 0);
    EXPECT_EQ(insight::totals(story.cluster()).free, 0);
    EXPECT_EQ(insight::free_text(story.cluster(), story.node("n1")), "0");
  }
  EXPECT_EQ(insight::reserved_words(named), "in the reservation course");
  EXPECT_EQ(insight::reserved_words(flagged), "in a reservation");
  EXPECT_EQ(insight::reserved_words(node("n1", {})), "");
}

// What is planned for later is in the list of reservations, and neither in the node's state nor its name.
TEST(Available, AReservationThatHasNotBegunClosesNoNode) {
  Story story = one_gpu(Health::ok);
  Reservation later;
  later.name = "course", later.state = "INACTIVE", later.nodes = "n1";
  story.tell(ReservationsListed{{later}});
  EXPECT_EQ(of(story), Availability::free);
}

TEST(Available, APartitionThatDrainsStartsNothing) {
  Node parted = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  parted.partitions = {"gpu"};
  Story story;
  story.tell(NodesListed{{parted}});
  story.tell(PartitionsListed{{{"gpu", "DRAIN", false, false, "", ""}}});
  EXPECT_EQ(of(story), Availability::closed);
}

TEST(Available, SharesWithAHolderWhomNoSourceNamesAreHeld) {
  Slice hidden = shared(SliceKind::mps, 100, 0);
  hidden.told_held = true;
  EXPECT_EQ(of(one_gpu(Health::ok, hidden)), Availability::held);
  EXPECT_EQ(shares(one_gpu(Health::ok, hidden)), 0);
}

TEST(Available, WhatIsLeftOfASharedBoardCanBeHadUnlessAShareIsNotTold) {
  Story story = one_gpu(Health::ok, shared(SliceKind::mps, 100, 0));
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 30}}, Family::mps)})}});
  EXPECT_EQ(of(story), Availability::held);
  EXPECT_EQ(shares(story), 70);
}

// FREE said "305 MPS percent" where a job that asked for 30 waited: the GPU in use had 5 left.
TEST(Available, WhileTheMpsOfOneGpuIsInUseThatOfTheOthersIsClosed) {
  Node one = node("n1", {});
  for (int index = 0; index < 3; ++index)
    one.gpus.push_back(gpu(index, Strategy::mps, {shared(SliceKind::mps, 100, index)}));
  Story story;
  story.tell(NodesListed{{one}});
  const auto on = [&](int index) {
    return insight::availability(insight::sight_of(story.cluster(), story.node("n1")),
                                 story.slice("n1", index, 0));
  };
  const auto free = [&] { return insight::free_text(story.cluster(), story.node("n1")); };
  EXPECT_EQ(free(), "300 MPS percent") << "that of each can be had";
  const Workload alice = running("1", "alice", {holds("n1", {{0, 95}}, Family::mps)});
  story.tell(WorkloadsListed{{alice}});
  EXPECT_EQ(shares(story), 5);
  EXPECT_EQ(on(1), Availability::closed);
  EXPECT_EQ(free(), "5 MPS percent");
  EXPECT_EQ(insight::totals(story.cluster()).free, 1);
  EXPECT_EQ(insight::totals(story.cluster()).free_shares, (std::map<std::string, int>{{"MPS percent", 5}}));
  // Two at a time: gres.conf has all_sharing for it.
  story.tell(WorkloadsListed{{alice, running("2", "bob", {holds("n1", {{1, 40}}, Family::mps)})}});
  EXPECT_EQ(on(2), Availability::free);
  EXPECT_EQ(free(), "165 MPS percent");
  // A device plugin of Kubernetes hands out all of them.
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(WorkloadsListed{{alice}});
  EXPECT_EQ(on(1), Availability::free);
}

// A job that is not told may hold GPU 0 as a whole: then the MPS of the others can be had.
TEST(Available, MpsThatOnlyMayBeInUseClosesNoOther) {
  Slice hidden = shared(SliceKind::mps, 100, 0);
  hidden.told_held = true;
  Story story;
  story.tell(NodesListed{{node(
      "n1", {gpu(0, Strategy::mps, {hidden}), gpu(1, Strategy::mps, {shared(SliceKind::mps, 100, 1)})})}});
  const insight::Sight sight = insight::sight_of(story.cluster(), story.node("n1"));
  EXPECT_FALSE(sight.mps_in_use);
  EXPECT_EQ(insight::availability(sight, story.slice("n1", 1, 0)), Availability::free);
}

const Error kSilent{"slurmctld does not answer", "connect failure", ""};

TEST(Available, ASilentClusterHasNothingFree) {
  Story story = one_gpu(Health::ok);
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
  story.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
  story.tell(Loaded{});
  ASSERT_EQ(of(story), Availability::free);
  ASSERT_EQ(insight::totals(story.cluster()).free, 1);
  story.tell(SourceReport{Source::slurm_nodes, kSilent, Duration{5}}, 60);
  EXPECT_EQ(of(story), Availability::unknown);
  EXPECT_EQ(insight::totals(story.cluster()).free, std::nullopt);
  EXPECT_TRUE(insight::totals(story.cluster()).free_by_profile.empty());
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}}, 120);
  EXPECT_EQ(of(story), Availability::free);
}

TEST(Available, WithoutTheListOfJobsOnlyTheSchedulersOwnWordMakesASliceFree) {
  auto failing_jobs = [](Slice slice) {
    Story story = one_gpu(Health::ok, std::move(slice));
    story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    story.tell(SourceReport{Source::slurm_jobs, kSilent, Duration{5}});
    return of(story);
  };
  Slice told = whole(0);
  told.told_held = false;
  EXPECT_EQ(failing_jobs(whole(0)), Availability::unknown);
  EXPECT_EQ(failing_jobs(told), Availability::free);
}

TEST(Available, BeforeTheFirstListOfJobsNothingIsFree) {
  Story story = one_gpu(Health::ok);
  story.tell(SourceReport{Source::kubernetes_nodes, std::nullopt, Duration{5}});
  EXPECT_EQ(of(story), Availability::unknown) << "the pods have not been listed yet";
}

// The front page said of it that nothing is free, nothing waits and nothing needs attention.
TEST(Available, AClusterOfWhichNothingIsToldYetHasNoCurrentLists) {
  Cluster cluster;
  EXPECT_FALSE(insight::nodes_are_current(cluster));
  EXPECT_FALSE(insight::work_is_current(cluster));
  EXPECT_FALSE(insight::totals(cluster).free) << "nothing free is a claim";
  cluster.loaded = true;
  EXPECT_TRUE(insight::nodes_are_current(cluster)) << "it was read, and has no nodes";
}

// --- random worlds: every sum is the sum of what is said of each slice

TEST(AvailableProperty, SumsAreThoseOfTheSlicesAndNothingClosedOrUnknownIsInThem) {
  int free_seen = 0, closed_seen = 0, unknown_seen = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const RandomWorld world(seed);
    const Cluster& cluster = world.cluster();
    int least = 0, held = 0;
    std::int64_t units = 0;
    for (const Node& node : cluster.nodes.all()) {
      const insight::Sight sight = insight::sight_of(cluster, node);
      int here = 0;
      bool all_known = true;
      auto look = [&](const Slice& slice) {
        const Availability state = insight::availability(sight, slice);
        const std::optional<int> rest = insight::available(sight, slice);
        held += state == Availability::held;
        here += rest.value_or(0) > 0;
        units += rest.value_or(0);
        all_known = all_known && rest;
        free_seen += state == Availability::free;
        closed_seen += state == Availability::closed;
        unknown_seen += state == Availability::unknown;
        if (state == Availability::free) EXPECT_EQ(rest, slice.capacity) << seed;
        if (state == Availability::closed) EXPECT_EQ(rest, 0) << seed;
        if (state == Availability::unknown) EXPECT_FALSE(rest && *rest > 0) << seed;
        if (rest.value_or(0) > 0) EXPECT_TRUE(insight::takes_work(node)) << seed;
        if (rest.value_or(0) > 0) EXPECT_FALSE(insight::is_reserved(node)) << seed;
        EXPECT_EQ(state == Availability::held, slice.holding == Holding::held) << seed;
      };
      for (const Gpu& gpu : node.gpus)
        for (const Slice& slice : gpu.slices) look(slice);
      for (const Slice& slice : node.pool) look(slice);
      const std::optional<int> sum = insight::available_slices(sight, node);
      if (all_known) EXPECT_EQ(sum, here) << seed;
      if (sum) EXPECT_GE(*sum, here) << seed;
      least += sum.value_or(0);
    }
    const insight::Totals totals = insight::totals(cluster);
    if (totals.free) EXPECT_EQ(*totals.free, least) << seed;
    EXPECT_GE(totals.held, held) << seed << ": of some it is known how many are held and not which";
    std::int64_t figures = 0;
    for (const auto& [label, count] : totals.free_by_profile) figures += count;
    for (const auto& [label, count] : totals.free_shares) figures += count;
    EXPECT_GE(figures, units) << seed;
    if (!totals.free && !insight::nodes_are_current(cluster)) EXPECT_EQ(figures, 0) << seed;
  }
  EXPECT_GT(free_seen, 1000);
  EXPECT_GT(closed_seen, 500);
  EXPECT_GT(unknown_seen, 500);
}

}  // namespace
}  // namespace tessera::test
