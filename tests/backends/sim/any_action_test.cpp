// Any action in any order, faults included: a world never holds a slice twice, and comes back from its file.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backends/sim/by_hand.hpp"
#include "backends/sim/random.hpp"
#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/step.hpp"
#include "tests/backends/sim/hands.hpp"

namespace tessera::sim {
namespace {

// A source of draws, so that a failing sequence is found again by its seed.
struct Luck {
  std::uint64_t seed;
  std::uint64_t count = 0;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(sim::below(draw(seed, ++count), n)); }
};

plan::InstanceAt any_instance(const mig::Product& product, Luck& luck) {
  const mig::Profile& profile = product.profiles[luck.below(product.profiles.size())];
  int start = profile.starts.empty() ? 0 : profile.starts[luck.below(profile.starts.size())];
  return {profile.name, Placement{start, profile.memory_slices}, std::nullopt};
}

plan::Action any_action(const World& world, const NodeState& node, Luck& luck) {
  const NodeGroup& group = world.group(node);
  GpuIndex gpu{static_cast<int>(luck.below(group.boards.size() + 1))};  // one that is not there, too
  std::vector<plan::InstanceAt> list;
  if (group.mig)
    for (std::size_t i = luck.below(4); i-- > 0;) list.push_back(any_instance(*group.mig, luck));
  if (luck.below(2) == 0 && static_cast<std::size_t>(gpu.value) < node.boards.size())
    for (const Instance& one : node.boards[static_cast<std::size_t>(gpu.value)].instances) {
      const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(one.profile)];
      list.push_back({profile.name, Placement{one.start, profile.memory_slices}, one.id});
    }
  switch (luck.below(12)) {
    case 0: return plan::SetMark{luck.below(2) == 0};
    case 1: return plan::ClearMark{};
    case 2: return plan::CloseNode{"by lot"};
    case 3: return plan::OpenNode{};
    case 4: {
      std::set<JobId> jobs = jobs_on(node);
      if (jobs.empty()) return plan::LookOnly{};
      auto it = std::next(jobs.begin(), static_cast<std::ptrdiff_t>(luck.below(jobs.size())));
      return plan::Evict{workload_id(world, world.jobs.at(*it)), static_cast<plan::Way>(luck.below(3))};
    }
    case 5:
    case 6: return plan::DestroyInstances{gpu, list};
    case 7:
    case 8: return plan::CreateInstances{gpu, list, {}, luck.below(2) == 0};
    case 9: return plan::SetMode{{gpu}, luck.below(2) == 0};
    case 10: {
      plan::ResetGpus all;
      for (std::size_t i = 0; i < group.boards.size(); ++i) all.gpus.push_back({static_cast<int>(i)});
      return all;
    }
    default:
      return plan::Configure{
          {gpu}, static_cast<Strategy>(luck.below(7)), static_cast<int>(luck.below(6)), {}};
  }
}

std::vector<JobId> held(const World& world) {
  std::vector<JobId> all;
  for (const auto& [id, job] : world.jobs)
    if (job.state == JobState::running) all.push_back(id);
  return all;
}

RC_GTEST_PROP(AnyAction, KeepsTheWorldWhole, ()) {
  Luck luck{*rc::gen::arbitrary<std::uint64_t>()};
  std::vector<World> worlds = worlds_of(luck.below(3) == 0 ? "blackwell" : "demo", luck.below(4));
  World& world = worlds[luck.below(worlds.size())];
  std::vector<TrapHelp> kinds = trap_help();
  for (int i = 0; i < 40; ++i) {
    if (luck.below(5) == 0) world.traps.push_back({*parse_trap(kinds[luck.below(kinds.size())].word), 0});
    auto index = static_cast<std::uint32_t>(luck.below(world.nodes.size()));
    plan::Order order{NodeName(world.node_name(index)), any_action(world, world.nodes[index], luck),
                      mark_of(luck.below(2) == 0 ? "r1" : "r2"), "s", Duration(0)};
    World before = world;
    Changes changes;
    Performed done = perform(world, order, changes);
    if (auto wrong = audit(world); !wrong.empty()) RC_FAIL(wrong.front());
    // What is different is told, and nothing that is driven by verbs ends work but what is meant to.
    Changes real = changes_between(before, world);
    for (std::uint32_t node : real.nodes)
      RC_ASSERT(std::binary_search(changes.nodes.begin(), changes.nodes.end(), node));
    bool harmless = before.traps == world.traps && !std::holds_alternative<plan::Evict>(order.action);
    if (harmless) RC_ASSERT(held(before) == held(world));
    if (luck.below(4) == 0) world.advance(world.now + std::chrono::minutes(luck.below(30)));
    if (auto wrong = audit(world); !wrong.empty()) RC_FAIL(wrong.front());
  }
  // Looked up rather than kept, and right all the same.
  World again = world;
  derive(again);
  RC_ASSERT(again.derived->free == world.derived->free);
  RC_ASSERT(again.derived->held == world.derived->held);
  RC_ASSERT(again.derived->waiting == world.derived->waiting);
  Result<std::vector<World>> loaded = load_state(save_state(worlds), test::shared_catalogue());
  if (!loaded) RC_FAIL(to_line(loaded.error()));
  RC_ASSERT(*loaded == worlds);
}

}  // namespace
}  // namespace tessera::sim
