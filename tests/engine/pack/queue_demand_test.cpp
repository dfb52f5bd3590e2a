// What waits, as a demand: slices, and whole GPUs where a request can mean nothing else.
#include "engine/pack/queue_demand.hpp"

#include <gtest/gtest.h>

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

TEST(QueueDemand, OnSlurmAGpuOfATypeIsWholeAndOneWithoutMayBeAnything) {
  const Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  const QueueDemand found = demand(Scheduler::slurm, uncut,
                                   {test::waiting("7", "bob", "gpu:h100"), test::waiting("8", "bob", "gpu"),
                                    test::waiting("9", "bob", "gpu:3g.40gb")});
  EXPECT_EQ(found.demand, (std::vector<Demand>{{ProfileName("3g.40gb"), std::nullopt, 1},
                                               {ProfileName("whole"), std::nullopt, 1}}));
  EXPECT_EQ(found.workloads, 2);
  EXPECT_EQ(found.other, 1);
}

TEST(QueueDemand, AJobThatAsksForAGpuOfAmdIsLeftOut) {
  const Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  const QueueDemand found = demand(Scheduler::slurm, uncut, {test::waiting("7", "bob", "gpu:mi300x")});
  EXPECT_TRUE(found.demand.empty());
  EXPECT_EQ(found.other, 1);
}

}  // namespace
}  // namespace tessera::pack
