// Which waiting work starts when more can be had: capacity, not matches, and the same number everywhere.
#include "engine/plan/effect/queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/guide/proposals/proposals.hpp"
#include "engine/plan/planner.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

Gpu unsliced(int index) {
  Gpu board = gpu(index, Strategy::mig, {});
  board.mig_mode = MigMode::enabled;
  return board;
}

Workload asks(const std::string& id, const std::string& resource, const std::string& reason = "Resources",
              std::int64_t count = 1) {
  Workload one = waiting(id, "alice", resource);
  one.reason = reason;
  one.requests.front().count = count;
  return one;
}

std::vector<std::string> started_by(const Story& story, const plan::Counts& more, const char* name = "n1") {
  const plan::Queue queue = plan::queue_of(story.cluster(), catalogue());
  std::vector<std::string> ids;
  for (const Workload* one :
       plan::starting(story.cluster(), queue, {plan::gained(story.cluster(), story.node(name), {}, more)}))
    ids.push_back(one->id.text);
  return ids;
}
using Ids = std::vector<std::string>;

// A node of 64 CPUs and 1000 MiB of which so much is free.
Node with_free(Node one, int cpus, int memory = 1000) {
  one.cpus = 64, one.cpus_held = 64 - cpus;
  one.memory = Mib{1000}, one.memory_held = Mib{1000 - memory};
  return one;
}
Workload needing(Workload job, int cpus, int memory = 1) {
  job.needs.emplace();
  job.needs->cpus = cpus, job.needs->memory = Mib{memory};
  return job;
}

TEST(Queue, HeldDependentAndLimitedWorkStartsWithNoSlice) {
  Story story;
  story.tell(NodesListed{{node("n1", {unsliced(0)})}});
  std::vector<Workload> work{asks("1", "gpu:3g.40gb")};
  for (const char* reason : {"JobHeldUser", "JobHeldAdmin", "Dependency", "QOSMaxGRESPerUser", "AssocGrpGRES",
                             "PartitionTimeLimit", "BeginTime", "a reason of a later Slurm"})
    work.push_back(asks("held" + std::to_string(work.size()), "gpu:3g.40gb", reason));
  story.tell(WorkloadsListed{work});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 20}}), Ids{"1"});
}

// A plan that turns MPS on on four GPUs promised four jobs of 100 percent, of which slurmctld starts one.
TEST(Queue, OfTheMpsThatANodeGainsOneGpusIsHadAtOnce) {
  Story story;
  story.tell(NodesListed{{node("n1", {unsliced(0), unsliced(1), unsliced(2), unsliced(3)})}});
  std::vector<Workload> work;
  for (const char* id : {"1", "2", "3"}) work.push_back(asks(id, "mps", "Resources", 50));
  work.push_back(asks("4", "mps", "Resources", 150));
  story.tell(WorkloadsListed{work});
  EXPECT_EQ(started_by(story, {{"mps", 400}}), (Ids{"1", "2"}));
}

TEST(Queue, AGatedPodAndOneWithoutAVolumeDoNotCount) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{node("n1", {unsliced(0)})}});
  story.tell(
      WorkloadsListed{{asks("a/1", "nvidia.com/mig-3g.40gb",
                            "0/1 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb."),
                       asks("a/2", "nvidia.com/mig-3g.40gb", "SchedulingGated"),
                       asks("a/3", "nvidia.com/mig-3g.40gb",
                            "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.")}});
  EXPECT_EQ(started_by(story, {{"nvidia.com/mig-3g.40gb", 9}}), Ids{"a/1"});
}

// A pod of KAI's that waited for room counted as held, so that no plan was told to start it.
TEST(Queue, APodOfAnotherSchedulerWaitsForRoomWhereItsWordsSaySo) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{node("n1", {unsliced(0)})}});
  WorkloadsListed pods;
  for (const char* reason :
       {"no nodes with enough resources were found: 3 node(s) didn't have enough resources: GPUs.",
        "Not enough resources for the workload",
        "Resources were found for 2 pods while 4 are required for gang scheduling. Additional pods cannot be "
        "scheduled due to: x",
        "0/3 nodes are unavailable: 3 node(s) resource fit failed.",
        "OverLimit: team quota has reached the allowable limit of GPUs. Limit is 8 GPUs, currently 8 GPUs "
        "allocated and workload requested 2 GPUs.",
        "NonPreemptibleOverQuota: Non-preemptible workload is over quota.", "Unable to schedule pod"})
    pods.workloads.push_back(
        asks("a/" + std::to_string(pods.workloads.size()), "nvidia.com/mig-3g.40gb", reason));
  story.tell(pods);
  EXPECT_EQ(started_by(story, {{"nvidia.com/mig-3g.40gb", 9}}), (Ids{"a/0", "a/1", "a/2", "a/3"}))
      << "a queue's limit is no room";
}

// 160 slices for 4,554 jobs that ask for one each: 160 start.
TEST(Queue, EachSliceStartsOneJobTheLongestWaitFirst) {
  Story story;
  story.tell(NodesListed{{node("n1", {unsliced(0)})}});
  std::vector<Workload> work;
  for (int i = 0; i < 500; ++i) {
    work.push_back(asks(std::to_string(i), "gpu:2g.20gb", i == 0 ? "Resources" : "Priority"));
    work.back().submitted = at(-i);
  }
  story.tell(WorkloadsListed{work});
  EXPECT_EQ(started_by(story, {{"gpu:2g.20gb", 2}}), (Ids{"499", "498"}));
}

TEST(Queue, WorkThatWhatIsFreeServesIsNotTheChangesMerit) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)}), unsliced(1)})}});
  story.tell(WorkloadsListed{{asks("1", "gpu:3g.40gb"), asks("2", "gpu:3g.40gb")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), Ids{"2"}) << "one 3g.40gb is free as it is";
}

TEST(Queue, AJobStartsInItsPartitionsOnly) {
  Node one = node("n1", {unsliced(0)});
  one.partitions = {"mig"};
  Workload other = asks("1", "gpu:3g.40gb"), either = asks("2", "gpu:3g.40gb");
  other.group = "long";
  either.group = "long,mig";
  Story story;
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{other, either}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), Ids{"2"});
}

// Slurm calls nodes that are full not available, too; jobs that it said that of counted as started by no
// change.
TEST(Queue, AJobWhoseNodesSlurmCallsNotAvailableWaitsForRoom) {
  Story story;
  story.tell(NodesListed{{node("n1", {unsliced(0)})}});
  story.tell(WorkloadsListed{{asks("1", "gpu:3g.40gb", "ReqNodeNotAvail,_May_be_reserved_for_other_job"),
                              asks("2", "gpu:3g.40gb", "ReqNodeNotAvail, UnavailableNodes:n1"),
                              asks("3", "gpu:3g.40gb", "ReqNodeNotAvail,_Reserved_for_maintenance")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 9}}), (Ids{"1", "2"})) << "maintenance ends by itself";
}

TEST(Queue, AJobThatNamesItsNodesStartsOnNoOther) {
  const auto needs = [](Workload job, const char* nodes, const char* excluded) {
    job.needs = NodeNeeds{};
    job.needs->nodes = nodes, job.needs->excluded = excluded;
    return job;
  };
  Story story;
  story.tell(NodesListed{{node("n1", {unsliced(0)}), node("n7", {unsliced(0)})}});
  story.tell(WorkloadsListed{
      {needs(asks("1", "gpu:3g.40gb"), "n7", ""), needs(asks("2", "gpu:3g.40gb"), "n1", ""),
       needs(asks("3", "gpu:3g.40gb"), "", "n[1-2]"), needs(asks("4", "gpu:3g.40gb"), "n[1", "")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 9}}), Ids{"2"}) << "room on n1 alone";
}

// The guide and the plan promised its start on a node without the feature, where `why` and what-if denied it.
TEST(Queue, AJobStartsOnNodesWithItsFeaturesAlone) {
  const auto wants = [](const char* id, const char* features) {
    Workload job = asks(id, "gpu:3g.40gb");
    job.needs.emplace().features = features;
    return job;
  };
  Node one = node("n1", {unsliced(0)});
  one.features = {"h100", "nvl"};
  Story story;
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{wants("1", "a100"), wants("2", "h100&pcie"), wants("3", "h100&nvl"),
                              wants("4", "a100|nvl"), wants("5", "[h100*2&a100*1]"), wants("6", "")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 9}}), (Ids{"3", "4", "6"}))
      << "what counts and brackets come to, Slurm works out: it is not known, and not counted";
}

// What is free on a node that it may not use served it, and the change that helps it was told to start
// nothing.
TEST(Queue, FreeSlicesThatAJobMayNotUseDoNotServeIt) {
  Node first = node("n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)})});
  Node second = node("n2", {unsliced(0)});
  first.features = {"a100"}, second.features = {"h100"};
  Workload job = asks("1", "gpu:3g.40gb");
  job.needs.emplace().features = "h100";
  Story story;
  story.tell(NodesListed{{first, second}});
  story.tell(WorkloadsListed{{job}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 1}}, "n1"), Ids{});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 1}}, "n2"), Ids{"1"});
}

TEST(Queue, APodStartsOnNoNodeWhoseTaintItDoesNotTolerate) {
  const auto pod = [](const char* id, const char* said) {
    return asks(id, "nvidia.com/mig-3g.40gb",
                std::string("0/3 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb") + said);
  };
  Node tainted = node("n1", {unsliced(0)}), soft = node("n2", {unsliced(0)}),
       open = node("n3", {unsliced(0)});
  tainted.taints = {"team=vision:NoSchedule"}, soft.taints = {"slow:PreferNoSchedule"};
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{tainted, soft, open}});
  story.tell(WorkloadsListed{{pod("a/1", ", 2 node(s) had untolerated taint {team: vision}."),
                              pod("a/2", ", 2 node(s) had untolerated taint {team: nlp}."),
                              pod("a/3", ", 2 node(s) had untolerated taint(s)."), pod("a/4", ".")}});
  const plan::Counts more{{"nvidia.com/mig-3g.40gb", 9}};
  EXPECT_EQ(started_by(story, more, "n1"), (Ids{"a/2", "a/4"})) << "which taints keep a/3 away is not said";
  EXPECT_EQ(started_by(story, more, "n2"), (Ids{"a/1", "a/2", "a/3", "a/4"}));
  EXPECT_EQ(started_by(story, more, "n3"), (Ids{"a/1", "a/2", "a/3", "a/4"}));
}

// Which nodes its selector leaves it is in no list that is read: it is not counted on any.
TEST(Queue, APodWithANodeSelectorIsNotCountedAsStarting) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{node("n1", {unsliced(0)})}});
  story.tell(WorkloadsListed{
      {asks("a/1", "nvidia.com/mig-3g.40gb",
            "0/2 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb, 1 node(s) didn't match Pod's "
            "node affinity/selector."),
       asks("a/2", "nvidia.com/mig-3g.40gb",
            "0/2 nodes are available: 2 Insufficient nvidia.com/mig-3g.40gb.")}});
  EXPECT_EQ(started_by(story, {{"nvidia.com/mig-3g.40gb", 9}}), Ids{"a/2"});
}

TEST(Queue, NoJobIsCountedAsStartingOnANodeInAReservation) {
  Node reserved = node("n1", {unsliced(0)});
  reserved.state = {"IDLE", "RESERVED"}, reserved.reservation = "course";
  Story story;
  story.tell(NodesListed{{reserved}});
  story.tell(WorkloadsListed{{asks("1", "gpu:3g.40gb")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), Ids{});
}

void listed_at(Story& story, int seconds) {
  for (const Source source : {Source::slurm_jobs, Source::slurm_nodes})
    story.tell(SourceReport{source, std::nullopt, Duration{5}}, seconds);
}

// `why` said of each of these that the reservation keeps it off the node, and the plan that it starts there.
TEST(Queue, AJobThatWouldRunIntoAReservationThatIsToComeIsNotCountedAsStartingThere) {
  Story story;
  story.tell(NodesListed{{node("n1", {unsliced(0)}), node("n2", {unsliced(0)})}});
  Workload longer = asks("1", "gpu:3g.40gb"), shorter = asks("2", "gpu:3g.40gb"),
           untold = asks("3", "gpu:3g.40gb"), own = asks("4", "gpu:3g.40gb");
  longer.limit = std::chrono::hours(24), shorter.limit = std::chrono::hours(2), untold.limit.reset();
  own.limit = std::chrono::hours(24), own.needs.emplace().reservation = "service";
  story.tell(WorkloadsListed{{longer, shorter, untold, own}});
  Reservation service;
  service.name = "service", service.nodes = "n1", service.state = "INACTIVE", service.flags = "FLEX";
  service.start = at(7200), service.end = at(10800);
  story.tell(ReservationsListed{{service}});
  const auto started = [&](const char* name) {
    Ids ids = started_by(story, {{"gpu:3g.40gb", 9}}, name);
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  EXPECT_EQ(started("n1"), Ids{"4"}) << "how long it is until then is not known";
  listed_at(story, 0);
  EXPECT_EQ(started("n1"), (Ids{"2", "4"})) << "the second ends as it begins";
  EXPECT_EQ(started("n2"), (Ids{"1", "2", "3", "4"})) << "it is of another node";
  listed_at(story, 60);
  EXPECT_EQ(started("n1"), Ids{"4"});
  listed_at(story, 10800);
  EXPECT_EQ(started("n1"), (Ids{"1", "2", "3", "4"})) << "it is over";
  service.start = at(14400), service.end.reset(), service.flags = "";
  story.tell(ReservationsListed{{service}}, 10801);
  EXPECT_EQ(started("n1"), Ids{}) << "an hour is left, and the fourth waits for it";
}

// Three over two nodes are two on one of them.
TEST(Queue, AJobOverSeveralNodesNeedsItsShareOnEachRoundedUp) {
  Story story;
  story.tell(NodesListed{{node("n1", {unsliced(0)}), node("n2", {unsliced(0)})}});
  Workload job = asks("1", "gpu:3g.40gb", "Resources", 3);
  job.node_count = 2;
  story.tell(WorkloadsListed{{job}});
  const plan::Queue queue = plan::queue_of(story.cluster(), catalogue());
  auto room = [&](const char* name, std::int64_t units) {
    return plan::gained(story.cluster(), story.node(name), {}, {{"gpu:3g.40gb", units}});
  };
  EXPECT_TRUE(plan::starting(story.cluster(), queue, {room("n1", 1), room("n2", 1)}).empty());
  EXPECT_EQ(plan::starting(story.cluster(), queue, {room("n1", 2), room("n2", 2)}).size(), 1u);
}

TEST(Queue, ANodeThatTakesNoWorkStartsNone) {
  Node drained = node("n1", {unsliced(0)});
  drained.health = Health::drained;
  Story story;
  story.tell(NodesListed{{drained}});
  story.tell(WorkloadsListed{{asks("1", "gpu:3g.40gb")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), Ids{});
}

TEST(Queue, APodTakesAllThatItAsksForFromOneNode) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{node("n1", {unsliced(0)}), node("n2", {unsliced(0)})}});
  story.tell(WorkloadsListed{{asks("a/1", "nvidia.com/mig-3g.40gb", "Insufficient", 3)}});
  const plan::Queue queue = plan::queue_of(story.cluster(), catalogue());
  auto room = [&](const char* name) {
    return plan::gained(story.cluster(), story.node(name), {}, {{"nvidia.com/mig-3g.40gb", 2}});
  };
  EXPECT_TRUE(plan::starting(story.cluster(), queue, {room("n1"), room("n2")}).empty())
      << "four in all, two on each";
}

// It asks for two in one container, which the device plugin refuses; the next for one in each of two.
TEST(Queue, APodThatIsRefusedForSeveralSharesKeepsNoneFromOneThatAsksForAsMuchInParts) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{node("n1", {unsliced(0)})}});
  Workload refused = asks("a/1", "nvidia.com/mig-3g.40gb", "Insufficient", 2);
  Workload in_parts = asks("a/2", "nvidia.com/mig-3g.40gb", "Insufficient", 2);
  refused.requests.front().largest = 2, in_parts.requests.front().largest = 1;
  story.tell(WorkloadsListed{{refused, in_parts}});
  const plan::Queue queue = plan::queue_of(story.cluster(), catalogue());
  const plan::Room room = plan::gained(story.cluster(), story.node("n1"), {}, {{"nvidia.com/mig-3g.40gb", 4}},
                                       {{"nvidia.com/mig-3g.40gb"}, true});
  const auto starting = plan::starting(story.cluster(), queue, {room});
  ASSERT_EQ(starting.size(), 1u);
  EXPECT_EQ(starting.front()->id.text, "a/2");
}

TEST(Queue, WhatSlicesExistForIsKeptByAConstraintThatNoSliceMends) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)}), unsliced(1)})}});
  story.tell(WorkloadsListed{{running("9", "bob", {holds("n1", {{0, 1}})}),
                              asks("1", "gpu:3g.40gb", "BadConstraints"),
                              asks("2", "gpu:7g.80gb", "BadConstraints")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}, {"gpu:7g.80gb", 1}}), Ids{"2"});
}

// GPUs and slices alone were counted: the plan promised the start of a job for whose CPUs there is no room,
// and `why` denied it.
TEST(Queue, AJobWhoseCpusAreNotFreeIsNotCountedAsStarting) {
  Story story;
  story.tell(NodesListed{{with_free(node("n1", {unsliced(0)}), 4)}});
  story.tell(WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 8), needing(asks("2", "gpu:3g.40gb"), 4)}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), Ids{"2"});
}

TEST(Queue, OneThatStartsTakesTheCpusThatItAsksForFromThoseBehindIt) {
  Story story;
  story.tell(NodesListed{{with_free(node("n1", {unsliced(0)}), 8)}});
  story.tell(WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 5), needing(asks("2", "gpu:3g.40gb"), 5),
                              needing(asks("3", "gpu:3g.40gb"), 3)}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), (Ids{"1", "3"})) << "two find no CPUs, three do";
}

TEST(Queue, OneThatStartsTakesTheMemoryThatItAsksForFromThoseBehindIt) {
  Story story;
  story.tell(NodesListed{{with_free(node("n1", {unsliced(0)}), 64, 100)}});
  story.tell(
      WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 1, 60), needing(asks("2", "gpu:3g.40gb"), 1, 60),
                       needing(asks("3", "gpu:3g.40gb"), 1, 40)}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), (Ids{"1", "3"}));
}

TEST(Queue, CpusAndMemoryThatAreNotKnownStandInTheWayOfNone) {
  Node untold = with_free(node("n1", {unsliced(0)}), 0, 0);
  untold.cpus_held.reset(), untold.memory_held.reset();
  Story story;
  story.tell(NodesListed{{untold, with_free(node("n2", {unsliced(0)}), 0, 0)}});
  story.tell(WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 8, 8), asks("2", "gpu:3g.40gb")}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}, "n1"), (Ids{"1", "2"}))
      << "what is held there is not told";
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}, "n2"), Ids{"2"}) << "what it asks for is not told";
}

// Pods that are known have left too few CPUs: the others there can only leave fewer.
TEST(Queue, APodStartsOnNoNodeWhoseCpusOtherPodsHaveRequested) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{with_free(node("n1", {unsliced(0)}), 12)}});
  story.tell(WorkloadsListed{{needing(asks("a/1", "nvidia.com/mig-3g.40gb", "Insufficient"), 16),
                              needing(asks("a/2", "nvidia.com/mig-3g.40gb", "Insufficient"), 8),
                              needing(asks("a/3", "nvidia.com/mig-3g.40gb", "Insufficient"), 8),
                              asks("a/4", "nvidia.com/mig-3g.40gb", "Insufficient")}});
  EXPECT_EQ(started_by(story, {{"nvidia.com/mig-3g.40gb", 5}}), (Ids{"a/2", "a/4"}));
}

// What pods without a GPU have requested is in no list that is kept. One was promised a start all the same
// where its message names CPUs or memory.
TEST(Queue, APodIsCountedByItsGpusAloneUnlessItsMessageNamesCpusOrMemory) {
  Node one = node("n1", {unsliced(0)});
  one.cpus = 1, one.memory = Mib{1};
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{one}});
  story.tell(
      WorkloadsListed{{asks("a/1", "nvidia.com/mig-3g.40gb", "0/1 nodes are available: 1 Insufficient cpu."),
                       asks("a/2", "nvidia.com/mig-3g.40gb",
                            "0/2 nodes are available: 1 Insufficient memory, 1 Insufficient "
                            "nvidia.com/mig-3g.40gb."),
                       asks("a/3", "nvidia.com/mig-3g.40gb", "Insufficient")}});
  EXPECT_EQ(started_by(story, {{"nvidia.com/mig-3g.40gb", 5}}), Ids{"a/3"});
}

TEST(Queue, AJobThatWantsANodeToItselfStartsOnAnEmptyOneAndKeepsOthersOffIt) {
  Workload alone = needing(asks("1", "gpu:3g.40gb"), 8);
  alone.needs->alone = true;
  for (const int free : {64, 63}) {
    Story story;
    story.tell(NodesListed{{with_free(node("n1", {unsliced(0)}), free)}});
    story.tell(WorkloadsListed{{alone, needing(asks("2", "gpu:3g.40gb"), 8)}});
    EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), Ids{free == 64 ? "1" : "2"});
  }
}

TEST(Queue, WhatStartsOnFreeSlicesTakesCpusThatTheChangeDoesNotBring) {
  Story story;
  const Gpu free_slice = gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)});
  story.tell(NodesListed{{with_free(node("n1", {free_slice, unsliced(1)}), 8)}});
  story.tell(WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 8), needing(asks("2", "gpu:3g.40gb"), 8)}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 5}}), Ids{}) << "the first takes all eight of them";
}

TEST(Queue, AFreeSliceWithoutTheCpusForAJobDoesNotServeIt) {
  Story story;
  const Gpu free_slice = gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)});
  story.tell(NodesListed{{with_free(node("n1", {free_slice}), 4), with_free(node("n2", {unsliced(0)}), 8)}});
  story.tell(WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 8)}});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 1}}, "n2"), Ids{"1"});
  EXPECT_EQ(started_by(story, {{"gpu:3g.40gb", 1}}, "n1"), Ids{});
}

TEST(Queue, AJobOverSeveralNodesNeedsItsPartOfTheCpusOnEach) {
  for (const int second : {4, 5}) {
    Story story;
    story.tell(
        NodesListed{{with_free(node("n1", {unsliced(0)}), 5), with_free(node("n2", {unsliced(0)}), second)}});
    Workload job = needing(asks("1", "gpu:3g.40gb", "Resources", 2), 10);
    job.node_count = 2;
    story.tell(WorkloadsListed{{job}});
    const plan::Queue queue = plan::queue_of(story.cluster(), catalogue());
    const auto room = [&](const char* name) {
      return plan::gained(story.cluster(), story.node(name), {}, {{"gpu:3g.40gb", 3}});
    };
    EXPECT_EQ(plan::starting(story.cluster(), queue, {room("n1"), room("n2")}).size(), second == 5 ? 1u : 0u);
  }
}

// What others have taken is looked at no more, whatever the next asks for beside it; what was short is.
TEST(Queue, ASliceLeftForWantOfCpusIsHadByALaterJobThatNeedsFewer) {
  Story story;
  story.tell(
      NodesListed{{with_free(node("n1", {unsliced(0)}), 10), with_free(node("n2", {unsliced(0)}), 4)}});
  story.tell(WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 8), needing(asks("2", "gpu:3g.40gb"), 5),
                              needing(asks("3", "gpu:3g.40gb"), 2), needing(asks("4", "gpu:3g.40gb"), 1)}});
  const plan::Queue queue = plan::queue_of(story.cluster(), catalogue());
  const auto room = [&](const char* name) {
    return plan::gained(story.cluster(), story.node(name), {}, {{"gpu:3g.40gb", 1}});
  };
  Ids ids;
  for (const Workload* one : plan::starting(story.cluster(), queue, {room("n1"), room("n2")}))
    ids.push_back(one->id.text);
  EXPECT_EQ(ids, (Ids{"1", "3"})) << "1 on n1, 3 on n2";
}

// The editor and the plan's page have their count from here.
int will_run(const Story& story) {
  plan::Intent intent;
  intent.cluster = ClusterName("hpc");
  intent.nodes = {NodeName("n1")};
  intent.boards = {{GpuIndex{0}, *plan::parse_layout_wish("3g.40gb@0,3g.40gb@4")}};
  intent.words = "two halves";
  const auto made =
      plan::make_plan(story.cluster(), catalogue(), intent, plan::simulator_capabilities(), {}, at(0));
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : to_line(made.error()));
  return made.ok() ? made->will_run_count : -1;
}

TEST(Queue, APlanCountsTheJobsForWhoseCpusThereIsRoom) {
  Story story;
  Gpu board = gpu(0, Strategy::whole, {whole(0)});
  board.mig_mode = MigMode::disabled;
  story.tell(NodesListed{{with_free(node("n1", {board}), 2)}});
  story.tell(WorkloadsListed{{needing(asks("1", "gpu:3g.40gb"), 8), needing(asks("2", "gpu:3g.40gb"), 2)}});
  EXPECT_EQ(will_run(story), 1);
  story.tell(NodesListed{{with_free(node("n1", {board}), 0)}});
  EXPECT_EQ(will_run(story), 0);
  Workload nine = running("9", "bob", {holds("n1", {{0, 1}})});
  nine.requests = {{"gpu", 1}};
  story.tell(
      WorkloadsListed{{nine, needing(asks("1", "gpu:3g.40gb"), 8), needing(asks("2", "gpu:3g.40gb"), 2)}});
  EXPECT_EQ(will_run(story), 2)
      << "what job 9 holds beside its GPU is not listed, and is free once it has ended";
}

// The end of one job counted all CPUs of the node as free, beside those that stay.
TEST(Queue, TheEndOfOneOfTwoJobsFreesHalfOfTheCpusThatTheyHold) {
  Story story;
  const auto busy = [](int device) { return gpu(device, Strategy::whole, {whole(device)}); };
  story.tell(NodesListed{{with_free(node("n1", {busy(0), busy(1), unsliced(2)}), 0)}});
  story.tell(WorkloadsListed{{running("8", "ann", {holds("n1", {{0, 1}})}),
                              running("9", "bob", {holds("n1", {{1, 1}})}),
                              needing(asks("1", "gpu:3g.40gb"), 33), needing(asks("2", "gpu:3g.40gb"), 31)}});
  const plan::Queue queue = plan::queue_of(story.cluster(), catalogue());
  const auto starting = [&](int ended) {
    plan::Room room = plan::gained(story.cluster(), story.node("n1"), {}, {{"gpu:3g.40gb", 5}});
    room.ended = ended;
    Ids ids;
    for (const Workload* one : plan::starting(story.cluster(), queue, {room})) ids.push_back(one->id.text);
    return ids;
  };
  EXPECT_EQ(starting(0), Ids{});
  EXPECT_EQ(starting(1), Ids{"2"});
  EXPECT_EQ(starting(2), (Ids{"1", "2"}));
}

// The guide promised starts that the plan of the same layout denied.
TEST(QueueProperty, TheGuideAndThePlanOfItsProposalStartTheSameWork) {
  const char* reasons[] = {"Resources", "Priority", "JobHeldUser", "Dependency", "BadConstraints"};
  const char* resources[] = {"gpu:3g.40gb", "gpu:1g.10gb", "gpu:7g.80gb", "gpu:2g.20gb", "gpu"};
  int compared = 0, started = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
    std::vector<Gpu> boards{unsliced(0), gpu(1, Strategy::mig, {instance("3g.40gb", 0, 4, 0)})};
    if (pick(2)) boards.push_back(gpu(2, Strategy::whole, {whole(1)}));
    Story story;
    story.tell(NodesListed{{with_free(node("n1", boards), 4 + pick(30)), node("n2", {unsliced(0)})}});
    std::vector<Workload> work;
    for (int i = 0, count = 1 + pick(10); i < count; ++i)
      work.push_back(asks(std::to_string(i), resources[pick(5)], reasons[pick(5)], 1 + pick(2)));
    for (Workload& one : work)
      if (pick(2)) one = needing(one, 1 + pick(8));
    if (pick(2)) work.push_back(running("r", "bob", {holds("n1", {{0, 1}})}));
    story.tell(WorkloadsListed{work});
    const Node& n1 = story.node("n1");
    const guide::Scope scope = guide::scope_of(story.cluster(), n1, n1.gpus[0], catalogue());
    for (const guide::Proposal& one : guide::propose_layouts(scope, sharing::Platform::slurm)) {
      plan::Intent intent;
      intent.cluster = ClusterName("hpc");
      intent.nodes = {n1.name};
      intent.boards = {{GpuIndex{0}, plan::wish_of(*scope.product, *one.boards.at(0).layout)}};
      intent.words = "proposal";
      auto made =
          plan::make_plan(story.cluster(), catalogue(), intent, plan::simulator_capabilities(), {}, at(0));
      ASSERT_TRUE(made.ok()) << to_line(made.error());
      std::vector<WorkloadId> of_plan;
      for (const plan::PendingEffect& effect : made->will_run) of_plan.push_back(effect.id);
      EXPECT_EQ(one.fit, of_plan) << seed << " " << one.title;
      EXPECT_EQ(made->will_run_count, static_cast<int>(of_plan.size()));
      ++compared, started += made->will_run_count;
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(started, 50) << "of some proposals work starts, or the comparison says nothing";
}

}  // namespace
}  // namespace tessera::test
