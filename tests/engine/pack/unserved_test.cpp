// What waits and no node could serve is no part of the demand: GPUs that are made for it would serve none.
#include "engine/pack/unserved.hpp"

#include <gtest/gtest.h>

#include "engine/pack/cluster.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::pack {
namespace {

Gpu uncut(int index) { return test::gpu(index, Strategy::whole, {test::whole(index)}); }
// Seven of 1g, on which nothing runs.
Gpu cut(int index) {
  std::vector<Slice> seven;
  for (int i = 0; i < 7; ++i) seven.push_back(test::instance("1g.10gb", i, 1, index * 7 + i));
  Gpu gpu = test::gpu(index, Strategy::mig, std::move(seven));
  gpu.mig_mode = MigMode::enabled;
  return gpu;
}
Node node(const std::string& name, std::vector<Gpu> gpus, const std::string& partition) {
  Node one = test::node(name, std::move(gpus));
  one.partitions = {partition};
  return one;
}
Workload job(const std::string& id, const std::string& resource, int count, int nodes = 1,
             const std::string& partition = "gpu") {
  Workload one = test::waiting(id, "bob", resource);
  one.requests.front().count = count, one.node_count = nodes, one.group = partition;
  return one;
}

// n1 and n2 of partition gpu have two GPUs each, one uncut and one cut; n3 of partition big has four uncut.
struct Site {
  test::Story story;
  Scheduler scheduler = Scheduler::slurm;
  std::vector<NodeName> nodes = {NodeName("n1"), NodeName("n2"), NodeName("n3")};
  std::optional<TimePoint> until;
  bool evict = false;

  explicit Site(std::vector<Workload> work, Health big = Health::ok) {
    std::vector<Node> all = {node("n1", {uncut(0), cut(1)}, "gpu"), node("n2", {uncut(0), cut(1)}, "gpu"),
                             node("n3", {uncut(0), uncut(1), uncut(2), uncut(3)}, "big")};
    all[2].health = big;
    story.tell(NodesListed{std::move(all)});
    story.tell(WorkloadsListed{std::move(work)});
  }
  QueueDemand demand() {
    story.model.clusters.front().scheduler = scheduler;
    Problem problem = problem_of(story.cluster(), nodes, test::catalogue(), plan::simulator_capabilities(),
                                 until, Naming::profiles, nullptr, evict)
                          .problem;
    problem.evict = evict;
    QueueDemand queue = demand_of_queue(story.cluster(), "", &test::catalogue());
    leave_out_unserved(queue, story.cluster(), problem, until);
    return queue;
  }
};

std::vector<std::string> ids_of(const QueueDemand& queue) {
  std::vector<std::string> ids;
  for (const WorkloadId& id : queue.ids) ids.push_back(id.text);
  return ids;
}
using Ids = std::vector<std::string>;

// Nodes were drained and cut for a job that asks for more whole GPUs on one node than any of its partition
// has.
TEST(Unserved, AJobThatAsksForMoreThanANodeOfItsPartitionCanGiveIsNoPartOfTheDemand) {
  const QueueDemand found = Site({job("1", "gpu:h100", 4), job("2", "gpu:h100", 2),
                                  job("3", "gpu:h100", 4, 1, "big"), job("4", "gpu:h100", 4, 1, "gpu,big")})
                                .demand();
  EXPECT_EQ(ids_of(found), (Ids{"2", "3", "4"}));
  EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("whole"), std::nullopt, 10}}));
  EXPECT_EQ(found.workloads, 3);
  EXPECT_EQ(unserved_text(found), Ids{"not counted: 1 jobs or pods; no node of partition gpu could give 4 × "
                                      "gpu:h100 now, even with its GPUs changed"});
}

TEST(Unserved, AJobOfSeveralNodesNeedsAsManyThatCanGiveItsPart) {
  const QueueDemand found =
      Site({job("1", "gpu:h100", 4, 2), job("2", "gpu:h100", 6, 3), job("3", "gpu:h100", 8, 2, "big")})
          .demand();
  EXPECT_EQ(ids_of(found), Ids{"1"});
  EXPECT_EQ(unserved_text(found), (Ids{"not counted: 1 jobs or pods; no 2 nodes of partition big could give "
                                       "8 × gpu:h100 together, even with their GPUs changed",
                                       "not counted: 1 jobs or pods; no 3 nodes of partition gpu could give "
                                       "6 × gpu:h100 together, even with their GPUs changed"}));
}

// --gpus=8 may be spread over nodes.
TEST(Unserved, WhatDoesNotTellOnHowManyNodesItRunsStaysInTheDemand) {
  const QueueDemand found =
      Site({job("1", "gpu:h100", 4, 0), job("2", "gpu:h100", 3, 2), job("3", "gpu:3g.40gb", 1, 0, "none")})
          .demand();
  EXPECT_EQ(ids_of(found), (Ids{"1", "2"})) << "one slice is on one node";
}

TEST(Unserved, SlicesAreCountedByWhatTheGpusOfANodeCouldBecome) {
  const QueueDemand found =
      Site({job("1", "gpu:3g.40gb", 4), job("2", "gpu:3g.40gb", 5), job("3", "gpu:1g.10gb", 14),
            job("4", "gpu:1g.10gb", 15), job("5", "gpu:2g.24gb", 1)})
          .demand();
  EXPECT_EQ(ids_of(found), (Ids{"1", "3", "5"})) << "no product here has 2g.24gb: the planner says so";
}

TEST(Unserved, SlicesOfSeveralProfilesOfOnePodMustFitTogether) {
  Workload both = job("1", "gpu:3g.40gb", 3), fits = job("2", "gpu:3g.40gb", 2),
           slices_and_whole = job("3", "gpu:h100", 2);
  both.requests.push_back({"gpu:7g.80gb", 1});
  fits.requests.push_back({"gpu:7g.80gb", 1});
  slices_and_whole.requests.push_back({"gpu:1g.10gb", 1});
  const QueueDemand found = Site({both, fits, slices_and_whole}).demand();
  EXPECT_EQ(ids_of(found), Ids{"2"}) << "each alone has room on n1";
  EXPECT_EQ(found.no_node.size(), 2u);
}

TEST(Unserved, APodRunsOnOneNode) {
  Workload four = test::waiting("ml/a", "alice", "nvidia.com/gpu"), five = four;
  five.id = WorkloadId("ml/b"), five.requests.front().count = 5;
  four.requests.front().count = 4;
  four.reason = five.reason = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
  Site site({four, five});
  site.scheduler = Scheduler::kubernetes;
  const QueueDemand found = site.demand();
  EXPECT_EQ(ids_of(found), Ids{"ml/a"});
  EXPECT_EQ(unserved_text(found), Ids{"not counted: 1 jobs or pods; no node that they may use here could "
                                      "give 5 × nvidia.com/gpu now, even with its GPUs changed"});
}

TEST(Unserved, AClosedNodeGivesNothingAndANodeThatIsNotPlannedNeither) {
  EXPECT_EQ(ids_of(Site({job("1", "gpu:h100", 4, 1, "big")}, Health::drained).demand()), Ids{});
  Site narrowed({job("1", "gpu:h100", 4, 1, "big")});
  narrowed.nodes = {NodeName("n1")};
  const QueueDemand found = narrowed.demand();
  EXPECT_EQ(ids_of(found), Ids{});
  EXPECT_EQ(found.no_node.at(0).partition, "") << "n3 is of that partition, and was not asked about";
}

// Slurm starts it for work, or nothing is known of it: what it could give is not none.
TEST(Unserved, ANodeThatIsNotKnownOrIsPoweredDownMayServe) {
  const auto four = [] { return std::vector{job("1", "gpu:h100", 4, 1, "big"), job("2", "gpu:h100", 1)}; };
  EXPECT_EQ(ids_of(Site(four(), Health::drained).demand()), Ids{"2"});
  EXPECT_EQ(ids_of(Site(four(), Health::unknown).demand()), (Ids{"1", "2"}));
}

// Whether eight on two nodes are four on each is not told: what all together give is enough.
TEST(Unserved, GpusOfAJobOfSeveralNodesMayLieUnevenly) {
  Site site({job("1", "gpu:h100", 6, 2, "gpu,big"), job("2", "gpu:h100", 9, 2, "gpu,big")});
  EXPECT_EQ(ids_of(site.demand()), Ids{"1"});
}

TEST(Unserved, NodesThatAJobNamesOrRulesOutAreNoneOfThoseThatItMayUse) {
  Workload named = job("1", "gpu:h100", 2), open = named;
  named.needs = NodeNeeds(), open.needs = NodeNeeds();
  named.needs->excluded = "n[1-2]", open.needs->excluded = "n1";
  open.id = WorkloadId("2");
  EXPECT_EQ(ids_of(Site({named, open}).demand()), Ids{"2"});
}

// What runs counts as the plan is allowed to treat it.
TEST(Unserved, WhatRunsGivesItsRoomWhereItIsWaitedForOrMoved) {
  Workload busy = test::running("9", "alice", {test::holds("n3", {{0}})});
  busy.ends = test::at(3600), busy.restartable = true, busy.node_count = 1;
  const std::vector<Workload> work = {job("1", "gpu:h100", 4, 1, "big"), busy};
  EXPECT_EQ(ids_of(Site(work).demand()), Ids{});
  Site waits(work), moves(work);
  waits.until = test::at(7200), moves.evict = true;
  EXPECT_EQ(ids_of(waits.demand()), Ids{"1"});
  EXPECT_EQ(ids_of(moves.demand()), Ids{"1"});
}

// Slurm tells how many are held, and not which: unknown is not held.
TEST(Unserved, WhatIsNotKnownToBeHeldMayServe) {
  const QueueDemand found = Site({job("1", "gpu:h100", 4, 1, "big"),
                                  test::running("9", "alice", {test::holds_some("n3", "h100", 1)})})
                                .demand();
  EXPECT_EQ(ids_of(found), Ids{"1"});
}

TEST(Unserved, OfManyKindsTheMostFrequentAreNamed) {
  std::vector<Workload> work;
  for (int i = 0; i < 8; ++i) work.push_back(job(std::to_string(i), "gpu:h100", 10 + std::max(1, i)));
  const std::vector<std::string> lines = unserved_text(Site(work).demand());
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_NE(lines.front().find("2 jobs or pods; no node of partition gpu could give 11 ×"),
            std::string::npos);
  EXPECT_EQ(lines.back(), "not counted: 2 more jobs or pods that no node can serve");
}

}  // namespace
}  // namespace tessera::pack
