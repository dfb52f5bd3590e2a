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

TEST(FleetOffers, WhatCannotBeComparedIsNotSaidToDiffer) {
  EXPECT_EQ(of(cut_node({}), Scheduler::slurm), std::nullopt);
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
