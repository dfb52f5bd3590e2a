// The demand of a queue, sorted by the nodes that it may use.
#include "engine/pack/by_nodes.hpp"

#include <gtest/gtest.h>

#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/unserved.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::pack {
namespace {

const std::vector<NodeName> kNodes{NodeName("n1"), NodeName("n2")};

// n1 and n2 have a whole GPU each, that is free; n1 is in partition short, n2 in partition long.
struct Site {
  test::Story story;

  // reservation: of n1, which lets in none of the work; empty: none.
  Site(Scheduler scheduler, std::vector<Workload> work, const std::string& reservation = "") {
    Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
    Node first = test::node("n1", {uncut}), second = test::node("n2", {uncut});
    if (scheduler == Scheduler::slurm) {
      first.partitions = {"short"}, second.partitions = {"long"};
      second.features = {"nvl"};
      first.reservation = reservation;
    } else {
      first.taints = {"team=x:NoSchedule"};
    }
    story.tell(NodesListed{{first, second}});
    story.tell(WorkloadsListed{std::move(work)});
    story.tell(Loaded{});
    story.model.clusters.front().scheduler = scheduler;
  }
  QueueDemand queue() const {
    QueueDemand queue = demand_of_queue(story.cluster(), "", &test::catalogue());
    sort_by_nodes(queue, story.cluster(), kNodes);
    return queue;
  }
  // The nodes that change for it.
  std::set<NodeName> changed() const {
    Problem problem = problem_of(story.cluster(), kNodes, test::catalogue(),
                                 plan::simulator_capabilities(story.cluster().scheduler))
                          .problem;
    problem.demand = demand_in(problem, queue());
    const auto packed = pack(problem);
    EXPECT_TRUE(packed.ok()) << to_line(packed.error());
    std::set<NodeName> nodes;
    if (packed.ok())
      for (const BoardPlan& plan : packed->boards) nodes.insert(problem.boards[plan.board].node);
    return nodes;
  }
};

Workload job(const std::string& id, const std::string& resource, int count, const std::string& partition) {
  Workload one = test::waiting(id, "bob", resource);
  one.requests.front().count = count, one.group = partition, one.node_count = 1;
  return one;
}
Workload pod(const std::string& id, const std::string& reason) {
  Workload one = test::waiting(id, "bob", "nvidia.com/mig-3g.40gb");
  one.kind = WorkloadKind::pod, one.reason = reason;
  return one;
}

// Three slices were asked for of both nodes, and the GPU of the other partition was cut for the third.
TEST(ByNodes, JobsOfTwoPartitionsArePlannedForOnTheirOwnNodes) {
  const Site site(Scheduler::slurm,
                  {job("1", "gpu:3g.40gb", 1, "short"), job("2", "gpu:3g.40gb", 2, "long")});
  const QueueDemand queue = site.queue();
  ASSERT_EQ(queue.groups.size(), 2u);
  for (const QueueGroup& group : queue.groups) {
    ASSERT_EQ(group.nodes.size(), 1u);
    EXPECT_EQ(group.demand.front().count, group.nodes.contains(NodeName("n1")) ? 1 : 2);
  }
  EXPECT_EQ(queue.demand, (std::vector<Demand>{{ProfileName("3g.40gb"), std::nullopt, 3}}));
  EXPECT_EQ(queue.guessed, 0);
  EXPECT_EQ(site.changed(), (std::set<NodeName>{NodeName("n1"), NodeName("n2")}));
  const Site one(Scheduler::slurm, {job("1", "gpu:3g.40gb", 3, "long")});
  EXPECT_EQ(one.changed(), std::set<NodeName>{NodeName("n2")}) << "the third has no room there";
}

TEST(ByNodes, AJobThatAsksForAFeatureIsPlannedForOnNodesThatHaveIt) {
  Workload any = job("1", "gpu:3g.40gb", 1, "short,long"), nvl = job("2", "gpu:7g.80gb", 1, "short,long");
  nvl.needs = NodeNeeds{};
  nvl.needs->features = "nvl";
  const Site site(Scheduler::slurm, {any, nvl});
  const QueueDemand queue = site.queue();
  ASSERT_EQ(queue.groups.size(), 2u);
  EXPECT_EQ(Site(Scheduler::slurm, {nvl}).changed(), std::set<NodeName>{NodeName("n2")});
  EXPECT_EQ(Site(Scheduler::slurm, {any}).queue().groups.size(), 0u) << "it may use every node";
}

// A reservation of others ends; that its node is in another partition, without the feature or excluded,
// stays.
TEST(ByNodes, ANodeReservedForOthersIsPlannedForOnlyWhereItWouldServeWithoutTheReservation) {
  const auto reserved_first = [](Workload work) {
    return Site(Scheduler::slurm, {std::move(work)}, "exam").queue();
  };
  const std::set<NodeName> first{NodeName("n1")}, second{NodeName("n2")};
  const QueueDemand other = reserved_first(job("1", "gpu:3g.40gb", 1, "long"));
  ASSERT_EQ(other.groups.size(), 1u) << "n1 is in another partition";
  EXPECT_EQ(other.groups[0].nodes, second);
  Workload nvl = job("1", "gpu:3g.40gb", 1, "short,long"), not_n1 = nvl;
  nvl.needs = not_n1.needs = NodeNeeds{};
  nvl.needs->features = "nvl", not_n1.needs->excluded = "n1";
  for (const Workload& one : {nvl, not_n1}) {
    const QueueDemand queue = reserved_first(one);
    ASSERT_EQ(queue.groups.size(), 1u);
    EXPECT_EQ(queue.groups[0].nodes, second);
  }
  const QueueDemand of_it = reserved_first(job("1", "gpu:3g.40gb", 1, "short"));
  ASSERT_EQ(of_it.groups.size(), 1u);
  EXPECT_EQ(of_it.groups[0].nodes, first) << "the reservation ends";
}

// For each reserved node and each kind of job a copy of the node was made, to ask it without the reservation.
TEST(ByNodes, AReservationBindsItsOwnJobsToItsNodesAndKeepsOthersOffNoneInTime) {
  Site site(Scheduler::slurm, {}, "exam");
  Reservation exam;
  exam.name = "exam", exam.state = "ACTIVE", exam.nodes = "n1";
  site.story.model.clusters.front().reservations = {exam};
  const Cluster& cluster = site.story.cluster();
  const Node &first = *cluster.nodes.find(NodeName("n1")), &second = *cluster.nodes.find(NodeName("n2"));
  Workload own = job("1", "gpu:3g.40gb", 1, "short,long");
  const Workload other = own;
  own.needs = NodeNeeds{};
  own.needs->reservation = "exam";
  Reach of_own(cluster, own), of_other(cluster, other);
  EXPECT_TRUE(of_own(first));
  EXPECT_FALSE(of_own(second)) << "it is bound to the nodes of its reservation";
  EXPECT_TRUE(of_other(first)) << "the reservation ends";
  EXPECT_TRUE(of_other(second));
  EXPECT_TRUE(of_own.is_sure(first) && of_other.is_sure(first) && of_other.is_sure(second));
}

// "None of these nodes may be used for it" was told of a partition whose nodes are all powered down.
TEST(ByNodes, AJobForNodesThatArePoweredDownIsToldThatTheirGpusAreNotKnown) {
  Node first = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  Node down = test::node("n2", {});
  first.partitions = {"short"}, down.partitions = {"cloud"};
  down.state = {"IDLE", "POWERED_DOWN"};
  test::Story story;
  story.tell(NodesListed{{first, down}});
  story.tell(WorkloadsListed{{job("1", "gpu:3g.40gb", 1, "cloud")}});
  story.tell(Loaded{});
  story.model.clusters.front().scheduler = Scheduler::slurm;
  QueueDemand queue = demand_of_queue(story.cluster(), "", &test::catalogue());
  sort_by_nodes(queue, story.cluster(), kNodes);
  ASSERT_EQ(queue.groups.size(), 1u);
  EXPECT_EQ(queue.groups[0].nodes, std::set<NodeName>{NodeName("n2")});
  Problem problem =
      problem_of(story.cluster(), kNodes, test::catalogue(), plan::simulator_capabilities(Scheduler::slurm))
          .problem;
  problem.demand = demand_in(problem, queue);
  const auto packed = pack(problem);
  ASSERT_TRUE(packed.ok()) << to_line(packed.error());
  EXPECT_EQ(packed->unmet, std::vector<int>{1});
  EXPECT_EQ(packed->reason[0], "no GPU of the nodes that it may use is known or can be planned now");
  EXPECT_TRUE(packed->boards.empty());
}

TEST(ByNodes, APodThatATaintRepelsIsPlannedForOnOtherNodes) {
  const Site site(Scheduler::kubernetes,
                  {pod("ml/a",
                       "0/2 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb, 1 node(s) had "
                       "untolerated taint {team: x}.")});
  ASSERT_EQ(site.queue().groups.size(), 1u);
  EXPECT_EQ(site.queue().groups[0].nodes, std::set<NodeName>{NodeName("n2")});
  EXPECT_EQ(site.changed(), std::set<NodeName>{NodeName("n2")});
}

// It was left out of the plan, which on most clusters then changed nothing: few pods have no selector.
TEST(ByNodes, APodOfWhichItIsNotKnownWhichNodesItMayUseIsPlannedForOnAGuessAndToldSo) {
  const Site site(Scheduler::kubernetes,
                  {pod("ml/a",
                       "0/2 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb, 1 node(s) "
                       "didn't match Pod's node affinity/selector."),
                   pod("ml/b", "0/2 nodes are available: 2 Insufficient nvidia.com/mig-3g.40gb.")});
  const QueueDemand queue = site.queue();
  EXPECT_EQ(queue.guessed, 1);
  EXPECT_EQ(queue.workloads, 2);
  EXPECT_EQ(queue.demand, (std::vector<Demand>{{ProfileName("3g.40gb"), std::nullopt, 2}}));
  EXPECT_EQ(
      unserved_text(queue),
      std::vector<std::string>{"a guess for 1 of the jobs or pods that are counted: which nodes they may "
                               "use, or which have enough CPUs and memory for them, is not known; they are "
                               "planned for on all nodes that they are not known to be kept off"});
  EXPECT_EQ(site.changed().size(), 1u) << "one GPU has room for both";
}

// Its CPUs are freed, or no node has as many: how many it asks for is not read, and that it has room was told
// as certain.
TEST(ByNodes, APodForWhichCpusOrMemoryAreShortIsPlannedForOnAGuess) {
  for (const char* what : {"cpu", "memory"}) {
    const Site site(Scheduler::kubernetes,
                    {pod("ml/a", std::string("0/2 nodes are available: 1 Insufficient ") + what +
                                     ", 2 Insufficient nvidia.com/mig-3g.40gb.")});
    const QueueDemand queue = site.queue();
    EXPECT_EQ(queue.guessed, 1) << what;
    EXPECT_TRUE(queue.groups.empty()) << what << ": it may use every node";
    ASSERT_EQ(unserved_text(queue).size(), 1u) << what;
    EXPECT_NE(unserved_text(queue)[0].find("or which have enough CPUs and memory for them, is not known"),
              std::string::npos)
        << unserved_text(queue)[0];
    EXPECT_EQ(site.changed().size(), 1u) << what;
  }
}

// That the guess is about CPUs makes it none about taints.
TEST(ByNodes, APodForWhichCpusAreShortIsPlannedForOnNodesWithoutTheTaintsThatMayRepelIt) {
  const Site site(Scheduler::kubernetes,
                  {pod("ml/a",
                       "0/2 nodes are available: 1 Insufficient cpu, 1 Insufficient nvidia.com/mig-3g.40gb, "
                       "1 node(s) had untolerated taint(s).")});
  EXPECT_EQ(site.queue().guessed, 1);
  EXPECT_EQ(site.changed(), std::set<NodeName>{NodeName("n2")});
}

// Whether it tolerates the taint of n1 is not told: n2 has none, and where there is n1 alone it is a guess.
TEST(ByNodes, APodRepelledByTaintsWithoutNamesIsPlannedForWhereThereAreNoneAndElseOnAGuess) {
  const Site site(Scheduler::kubernetes,
                  {pod("ml/a",
                       "0/2 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb, 1 node(s) had "
                       "untolerated taint(s).")});
  EXPECT_EQ(site.queue().guessed, 0);
  EXPECT_EQ(site.changed(), std::set<NodeName>{NodeName("n2")});
  QueueDemand queue = demand_of_queue(site.story.cluster(), "", &test::catalogue());
  sort_by_nodes(queue, site.story.cluster(), std::vector<NodeName>{NodeName("n1")});
  EXPECT_EQ(queue.guessed, 1);
  EXPECT_EQ(queue.demand, (std::vector<Demand>{{ProfileName("3g.40gb"), std::nullopt, 1}}));
}

}  // namespace
}  // namespace tessera::pack
