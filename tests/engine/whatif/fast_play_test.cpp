// What is played with short cuts is what is played without any.
#include <gtest/gtest.h>

#include "engine/plan/planner.hpp"
#include "tests/engine/whatif/plain_play.hpp"
#include "tests/support/busy_site.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::whatif {
namespace {

using test::BusySite;

std::string told(const Future& future) {
  std::string text = fmt::format("{} GPU-hours, {} unpriced, {} endless, {} left out, changed {}\n",
                                 future.gpu_hours, future.unpriced, future.endless, future.left_out,
                                 future.changed ? future.changed->time_since_epoch().count() : 0);
  for (const Start& one : future.starts) {
    text += fmt::format("{} ({}, {}) at {} on", one.id.text, one.user, one.request,
                        one.at.time_since_epoch().count());
    for (const NodeName& node : one.nodes) text += " " + node.text;
    text += "\n";
  }
  for (const WorkloadId& id : future.waiting) text += "waits: " + id.text + "\n";
  return text;
}

// Some of the nodes in one of a few layouts; nullopt: no such plan can be made there.
std::optional<plan::Plan> plan_on(const Cluster& cluster, unsigned seed) {
  static const char* const kLayouts[] = {"7x1g.10gb", "4g.40gb,3g.40gb", "7g.80gb", "whole"};
  plan::Intent intent;
  intent.cluster = cluster.name;
  const std::size_t nodes = cluster.nodes.size();
  for (std::size_t i = 0; i < 1 + seed % 4 && i < nodes; ++i)
    intent.nodes.push_back(cluster.nodes.all()[(seed * 7 + i * 3) % nodes].name);
  std::sort(intent.nodes.begin(), intent.nodes.end());
  intent.nodes.erase(std::unique(intent.nodes.begin(), intent.nodes.end()), intent.nodes.end());
  std::optional<GpuIndex> gpu;
  if (seed % 3 != 0) gpu = GpuIndex{static_cast<int>(seed % 2)};
  intent.boards = {{gpu, plan::parse_layout_wish(kLayouts[seed % 4]).value()}};
  intent.options.way = seed % 5 == 0   ? plan::Way::requeue
                       : seed % 7 == 0 ? plan::Way::cancel
                                       : plan::Way::wait;
  plan::Capabilities can = plan::simulator_capabilities();
  if (seed % 2 == 0) can.instances = can.mode = can.sharing = plan::Unit::node;
  auto made = plan::make_plan(cluster, test::catalogue(), intent, can, {}, BusySite::now());
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

test::SiteSize size_of(unsigned seed) {
  // More places than a word of the sets has, now and then.
  const int nodes = seed % 9 == 0 ? 60 + static_cast<int>(seed % 20) : 1 + static_cast<int>(seed % 12);
  return {nodes,
          1 + static_cast<int>(seed % 4),
          5 + static_cast<int>(seed % 60),
          seed,
          seed % 4 == 0 ? Scheduler::kubernetes : Scheduler::slurm,
          seed % 6 == 5};
}

TEST(FastPlay, AnswersAsThePlainModelDoesWithAPlanAndWithoutOne) {
  int planned = 0, started = 0, sooner = 0;
  for (unsigned seed = 1; seed <= 240; ++seed) {
    SCOPED_TRACE(seed);
    const BusySite site(size_of(seed));
    const Question question{&site.cluster(), &test::catalogue(), BusySite::now(),
                            std::chrono::hours(seed % 8 == 0 ? 72 : 12)};
    const Player player(question);
    const Future left = player.unfold();
    ASSERT_EQ(told(left), told(test::plain::unfold(question)));
    started += static_cast<int>(left.starts.size());
    const auto plan = plan_on(site.cluster(), seed);
    if (!plan) continue;
    ++planned;
    const Future changed = player.unfold(&*plan);
    ASSERT_EQ(told(changed), told(test::plain::unfold(question, &*plan)));
    ASSERT_EQ(told(player.unfold()), told(left)) << "a play changed the stage";
    sooner += told(changed) != told(left);
  }
  EXPECT_GT(planned, 100);
  EXPECT_GT(started, 1000);
  EXPECT_GT(sooner, 50) << "the plans make next to no difference";
}

TEST(FastPlay, WithoutAClusterNothingIsPlayed) { EXPECT_TRUE(Player(Question{}).unfold().starts.empty()); }

}  // namespace
}  // namespace tessera::whatif
