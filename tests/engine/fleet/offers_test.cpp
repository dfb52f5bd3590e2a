// What a scheduler hands out held against what is made.
#include "engine/fleet/offers.hpp"

#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

Node cut_node(plan::Counts offered) {
  Node node = test::node(
      "n1", {test::cut(0, {test::instance("3g.40gb", 0, 4, 1), test::instance("3g.40gb", 4, 4, 2)}),
             test::uncut(1, 9)});
  node.allocatable = std::move(offered);
  return node;
}
std::optional<std::string> of(const Node& node, Scheduler scheduler = Scheduler::kubernetes,
                              const plan::SiteRules& rules = {}) {
  return offers_otherwise(node, scheduler, test::catalogue(), rules);
}

TEST(FleetOffers, WhatIsCountedByAnyNameOfThePluginIsAsMade) {
  EXPECT_EQ(of(cut_node({{"nvidia.com/mig-3g.40gb", 2}, {"nvidia.com/gpu", 1}})), "");
  EXPECT_EQ(of(cut_node({{"nvidia.com/gpu", 2}})), "") << "the strategy none counts GPUs, cut or not";
}

TEST(FleetOffers, AnotherNumberOrNothingIsToldWithWhatItWouldBe) {
  EXPECT_EQ(of(cut_node({{"nvidia.com/mig-3g.40gb", 1}, {"nvidia.com/gpu", 1}})),
            "nvidia.com/gpu 1, nvidia.com/mig-3g.40gb 2");
  EXPECT_EQ(of(cut_node({})), "nvidia.com/gpu 1, nvidia.com/mig-3g.40gb 2");
  plan::SiteRules mixed;
  mixed.strategy = sharing::MigStrategy::mixed;
  EXPECT_EQ(of(cut_node({{"nvidia.com/gpu", 2}}), Scheduler::kubernetes, mixed),
            "nvidia.com/gpu 1, nvidia.com/mig-3g.40gb 2")
      << "where the strategy is known, only that counts";
}

TEST(FleetOffers, SharesCountByTheirNumberWhateverTheyAreCalled) {
  Gpu shared = test::uncut(0, 0);
  shared.strategy = Strategy::time_slicing, shared.replicas = 4;
  Node node = test::node("n1", {shared});
  node.allocatable = {{"nvidia.com/gpu.shared", 4}};
  EXPECT_EQ(of(node), "");
  node.allocatable = {{"nvidia.com/gpu", 4}};
  EXPECT_EQ(of(node), "");
  node.allocatable = {{"nvidia.com/gpu", 1}};
  EXPECT_EQ(of(node), "nvidia.com/gpu 4");
  node.gpus[0].replicas.reset();
  EXPECT_EQ(of(node), std::nullopt) << "how many there are to be is not known";
}

// A site calls its types as it likes: the profile counts.
TEST(FleetOffers, WhatSlurmctldHasAsGresIsHeldAgainstTheDriversLayout) {
  const auto slurm = [](plan::Counts gres) { return of(cut_node(std::move(gres)), Scheduler::slurm); };
  EXPECT_EQ(slurm({{"gpu:h100_3g.40gb", 2}, {"gpu:h100", 1}}), "");
  EXPECT_EQ(slurm({{"gpu:3g.40gb", 2}, {"gpu", 1}}), "");
  EXPECT_EQ(slurm({{"gpu:h100", 2}}), "3g.40gb 2, gpu 1") << "slurm.conf is that of before";
  EXPECT_EQ(slurm({}), "3g.40gb 2, gpu 1");
  EXPECT_EQ(slurm({{"gpu:h100", 1}, {"shard:h100", 8}}), std::nullopt) << "shares are by node only";
  Node pod = cut_node({{"gpu:h100", 2}});
  pod.host_pod = HostPod{"slinky", "slurmd-0"};
  EXPECT_EQ(of(pod, Scheduler::slurm), std::nullopt);
  Node run = cut_node({{"gpu:h100", 2}});
  run.reason = "tessera 20270115-0701-n1 eve@login1: night";
  EXPECT_EQ(of(run, Scheduler::slurm), std::nullopt) << "a run has it: layout first, then files";
  Node untold = test::node("n1", {test::uncut(0, 0)});
  untold.allocatable = plan::Counts{{"gpu:h100", 1}};
  EXPECT_EQ(of(untold, Scheduler::slurm), "");
}

TEST(FleetOffers, NarrowColumnsLeaveTheVendorOut) {
  EXPECT_EQ(offered_short(cut_node({{"nvidia.com/mig-3g.40gb", 2}, {"nvidia.com/gpu", 1}})),
            "gpu 1, 3g.40gb 2");
  EXPECT_EQ(offered_short(cut_node({{"gpu:h100", 4}, {"shard:h100", 16}})), "h100 4, shard:h100 16");
  EXPECT_EQ(offered_short(cut_node({})), "nothing");
  EXPECT_EQ(offered_short(test::node("n1", {})), "n/a");
}

TEST(FleetOffers, EachSchedulerHasItsOwnWayOut) {
  const Node node = cut_node({});
  NodeSurvey one;
  one.node = &node;
  EXPECT_EQ(offers_way_out(one, Scheduler::slurm), "");
  one.should_offer = "3g.40gb 2";
  EXPECT_NE(offers_way_out(one, Scheduler::slurm).find("scontrol reconfigure"), std::string::npos);
  EXPECT_NE(offers_way_out(one, Scheduler::kubernetes).find("restart-plugin n1"), std::string::npos);
}

TEST(FleetOffers, WhatCannotBeComparedIsNotSaidToDiffer) {
  Node node = cut_node({});
  node.health = Health::down;
  EXPECT_EQ(of(node), std::nullopt);
  node = cut_node({});
  node.components = {{"DRA driver", Part::ready, ""}};
  EXPECT_EQ(of(node), std::nullopt) << "no device plugin counts them";
  node = cut_node({});
  node.order = LayoutOrder{"all-1g.10gb", "pending", {}};
  EXPECT_EQ(of(node), std::nullopt) << "the operator is at it";
  node.order->state = "failed";
  EXPECT_NE(of(node), std::nullopt);
  node = cut_node({});
  node.allocatable.reset();
  EXPECT_EQ(of(node), std::nullopt);
  node = cut_node({});
  node.gpus[1].strategy = Strategy::unknown;
  EXPECT_EQ(of(node), std::nullopt);
}

}  // namespace
}  // namespace tessera::fleet
