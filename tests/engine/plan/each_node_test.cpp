// What an intent wishes of each of its nodes, found once for all.
#include "engine/plan/each_node.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tessera::plan {
namespace {

TEST(EachNode, WishesOfEachNodeWhatTheIntentWishesOfIt) {
  std::mt19937 random(7);
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
  for (int round = 0; round < 200; ++round) {
    Intent intent;
    intent.cluster = ClusterName("hpc"), intent.words = "as the file says";
    for (int i = 0; i < 5; ++i) intent.nodes.emplace_back("n" + std::to_string(i));
    for (int i = up_to(12); i > 0; --i) {
      BoardWish wish;
      if (up_to(2) > 0) wish.gpu = GpuIndex{up_to(3)};
      if (up_to(3) > 0) wish.node = intent.nodes[static_cast<std::size_t>(up_to(3))];
      wish.wish.replicas = i;  // tells them apart
      intent.boards.push_back(std::move(wish));
    }
    if (up_to(1) > 0) intent.orders["a"] = "b";
    if (up_to(1) > 0) intent.node_orders["n1"]["c"] = "d";
    if (up_to(1) > 0) intent.node_switches["n2"].rename_shared = true;
    const EachNode each(intent);
    for (const NodeName& node : intent.nodes) {
      EXPECT_EQ(each.intent_of(node), intent_of(intent, node)) << round;
      EXPECT_EQ(each.wishes_for(node), !intent_of(intent, node).boards.empty()) << round;
    }
  }
}

}  // namespace
}  // namespace tessera::plan
