// What is free in words: each kind with its own number.
#include "engine/insight/free_kinds.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

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

}  // namespace
}  // namespace tessera::test
