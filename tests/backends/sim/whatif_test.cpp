// What-if, held against the simulator's own scheduler: the hours that were foretold are lived through.
#include "engine/whatif/whatif.hpp"

#include <cstdlib>

#include "backends/sim/by_hand.hpp"
#include "backends/sim/gpu.hpp"
#include "backends/sim/hardware.hpp"
#include "backends/sim/step.hpp"
#include "engine/plan/planner.hpp"
#include "tests/backends/sim/lived.hpp"

namespace tessera::sim {
namespace whatif_test {

using namespace std::chrono_literals;
constexpr Duration kAhead = 12h;

int wanted_cases() {
  const char* many = std::getenv("TESSERA_WHATIF_CASES");
  return many != nullptr ? std::max(1, std::atoi(many)) : 100;
}

whatif::Question question_of(const Model& model, const World& world) {
  return {&model.clusters.front(), &test::catalogue(), world.now, kAhead};
}

TEST(WhatIfAgainstTheSimulator, WhereWorkRunsToItsLimitStartsAreForetold) {
  ForecastError all;
  each_world([&](World& world, const std::string& where) {
    hold_still(world);
    const Model model = model_of(world);
    all.add(whatif::unfold(question_of(model, world)), lived(world, world.now + kAhead), world.now, where);
    return all.cases < wanted_cases();
  });
  all.print("work runs to its limit");
  EXPECT_GE(all.share(), 90) << all.misses;
}

TEST(WhatIfAgainstTheSimulator, WhereWorkEndsEarlierAndMoreIsSubmittedItStartsNoLaterThanForetold) {
  ForecastError all;
  each_world([&](World& world, const std::string& where) {
    const Model model = model_of(world);
    all.add(whatif::unfold(question_of(model, world)), lived(world, world.now + kAhead), world.now, where);
    return all.cases < wanted_cases();
  });
  all.misses.clear();
  all.print("the simulator as it lives");
  EXPECT_GE(all.in_time(), 85);
}

// A free GPU, cut into that layout by the driver's own verbs.
bool cut(World& world, std::uint32_t node, std::size_t gpu, const mig::Product& product,
         const mig::Layout& layout) {
  Board& board = world.nodes[node].boards[gpu];
  board.instances.clear();
  board.mode = MigMode::enabled, board.strategy = Strategy::mig, board.replicas = 1;
  std::vector<Wanted> wanted;
  for (const mig::Placed& one : layout) wanted.push_back({one.profile, one.start});
  return create_instances(board, product, static_cast<int>(gpu), wanted).ok();
}

TEST(WhatIfAgainstTheSimulator, WhatACutOfAFreeGpuStartsIsForetold) {
  ForecastError all;
  each_world([&](World& world, const std::string& where) {
    hold_still(world);
    const Model model = model_of(world);
    const Cluster& cluster = model.clusters.front();
    std::vector<std::pair<const Node*, const Gpu*>> able;
    for (const Node& node : cluster.nodes.all())
      for (const Gpu& gpu : node.gpus) {
        const mig::Product* product = gpu.product ? test::catalogue().by_key(gpu.product->text) : nullptr;
        const bool held = std::any_of(gpu.slices.begin(), gpu.slices.end(),
                                      [](const Slice& slice) { return slice.holding != Holding::free; });
        if (node.health == Health::ok && product && product->placements_known && !held &&
            (gpu.strategy == Strategy::mig || gpu.strategy == Strategy::whole))
          able.emplace_back(&node, &gpu);
      }
    if (able.empty()) return true;
    const auto [node, gpu] = able[mix(world.seed) % able.size()];
    const mig::Product& product = *test::catalogue().by_key(gpu->product->text);
    const auto layouts = mig::enumerate(product, mig::Which::undominated);
    if (layouts.empty()) return true;
    const mig::Layout& layout = layouts[mix(world.seed + 7) % layouts.size()];
    plan::Intent intent;
    intent.cluster = cluster.name, intent.nodes = {node->name};
    intent.boards = {{gpu->index, plan::wish_of(product, layout)}};
    const auto made = plan::make_plan(cluster, test::catalogue(), intent,
                                      plan::presumed_capabilities(cluster), {}, world.now);
    if (!made || !made->changes_anything()) return true;
    World changed = world;
    const auto number = find_node(changed, node->name.text);
    if (!number || !cut(changed, *number, static_cast<std::size_t>(gpu->index.value), product, layout))
      return true;
    derive(changed);
    Changes changes;
    WorldStep(changed, changes).recount(*number);
    // Closed meanwhile where the plan closes it: what could run there alone holds no other up.
    const bool closed = made->nodes.front().needs.drain;
    if (closed) EXPECT_TRUE(drain_by_hand(changed, node->name.text, "re-cut"));
    std::map<std::string, TimePoint> starts;
    live(changed, world.now + whatif::kChangeTakes, starts);
    if (closed) EXPECT_TRUE(open_by_hand(changed, node->name.text));
    live(changed, world.now + kAhead, starts);
    all.add(whatif::unfold(question_of(model, world), &*made), starts, world.now,
            where + " " + node->name.text + " GPU " + std::to_string(gpu->index.value));
    return all.cases < wanted_cases();
  });
  all.print("with a plan");
  EXPECT_GE(all.cases, wanted_cases());
  EXPECT_GE(all.share(), 90) << all.misses;
}

}  // namespace whatif_test
}  // namespace tessera::sim
