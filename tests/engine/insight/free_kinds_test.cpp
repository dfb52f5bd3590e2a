// What is free in words: each kind with its own number.
#include "engine/insight/free_kinds.hpp"

#include <gtest/gtest.h>

#include "engine/insight/counted.hpp"
#include "tests/support/build.hpp"
#include "tests/support/random_world.hpp"

namespace tessera::test {
namespace {

using insight::FreeKinds;

TEST(FreeKinds, EachKindHasItsOwnNumberAndWholeGpusComeFirst) {
  EXPECT_EQ(insight::to_text(FreeKinds{{{"1g.10gb", 3}, {"whole", 2}}, {{"MPS percent", 25}}}),
            "2 whole, 3×1g.10gb, 25 MPS percent");
  EXPECT_EQ(insight::to_text(FreeKinds{}), "0");
}

TEST(FreeKinds, WhatIsHeldOrClosedIsOfNoKind) {
  Story story;
  Node open =
      node("n1", {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1)})});
  Node drained = node("n2", {gpu(0, Strategy::whole, {whole(0)})});
  drained.health = Health::drained;
  story.tell(NodesListed{{open, drained}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{1, 1}})})}});
  const Cluster& cluster = story.cluster();
  const auto here = insight::free_kinds(cluster, *cluster.nodes.find(NodeName("n1")));
  ASSERT_TRUE(here);
  EXPECT_EQ(*here, (FreeKinds{{{"1g.10gb", 1}}, {}}));
  const auto closed = insight::free_kinds(cluster, *cluster.nodes.find(NodeName("n2")));
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->kinds(), 0U);
}

// What stands on a node's row is what a sum over that node alone has.
TEST(FreeKinds, ANodesWordsAreThoseOfASumOverItAlone) {
  int known = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomWorld random(seed);
    const Cluster& cluster = random.cluster();
    for (const Node& node : cluster.nodes.all()) {
      const insight::Counting alone{[&](const Node& one) {
                                      return insight::Counted{false, one.name == node.name, 0};
                                    },
                                    [](const Workload&) { return false; }};
      const auto sum = insight::free_kinds(insight::totals(cluster, alone));
      const auto here = insight::free_kinds(cluster, node);
      const auto text = insight::free_text(cluster, node);
      ASSERT_EQ(here.has_value(), text.has_value()) << seed;
      ASSERT_EQ(here.has_value(),
                insight::available_slices(insight::sight_of(cluster, node), node).has_value());
      if (!here || !sum) continue;
      ++known;
      EXPECT_EQ(*here, *sum) << seed << " " << node.name.text;
      EXPECT_EQ(*text, insight::to_text(*sum)) << seed << " " << node.name.text;
    }
  }
  EXPECT_GT(known, 300);
}

}  // namespace
}  // namespace tessera::test
