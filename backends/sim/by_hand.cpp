#include "backends/sim/by_hand.hpp"

#include <fmt/format.h>

#include "backends/sim/step.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

template <class Act>
Status at_node(World& world, const std::string& node, Act act) {
  if (!world.derived) derive(world);
  std::optional<std::uint32_t> index = find_node(world, node);
  if (!index) return Error{"no such node", clean(node, 253), "tessera nodes lists them"};
  Changes changes;
  WorldStep step(world, changes);
  return act(step, *index);
}

}  // namespace

Status drain_by_hand(World& world, const std::string& node, const std::string& reason) {
  return at_node(world, node, [&](WorldStep& step, std::uint32_t index) -> Status {
    NodeState& state = world.nodes[index];
    if (state.condition == Condition::down || state.condition == Condition::unknown)
      state.closing = Closing{clean(reason, 1024), "ops", world.now};
    else
      step.close(index, Condition::drained, clean(reason, 1024), "ops", std::nullopt);
    return Done{};
  });
}

Status open_by_hand(World& world, const std::string& node) {
  return at_node(world, node, [&](WorldStep& step, std::uint32_t index) -> Status {
    NodeState& state = world.nodes[index];
    state.closing.reset();
    if (state.condition == Condition::down || state.condition == Condition::unknown)
      return Error{"cannot open " + clean(node, 253), "it does not answer", "tessera-sim advance 10m"};
    step.resume(index);
    return Done{};
  });
}

Status reboot_by_hand(World& world, const std::string& node) {
  return at_node(world, node, [&](WorldStep& step, std::uint32_t index) -> Status {
    bool recut = world.group(world.nodes[index]).recut_at_boot;
    step.reboot_node(index, "reboot by hand", "ops", world.now + kBoot, recut);
    return Done{};
  });
}

Status end_by_hand(World& world, const std::string& workload) {
  if (!world.derived) derive(world);
  Changes changes;
  WorldStep step(world, changes);
  for (auto& [id, job] : world.jobs) {
    if (workload_id(world, job).text != workload) continue;
    if (job.state != JobState::running)
      return Error{"cannot end " + clean(workload, 253), "it does not run",
                   "tessera workloads lists what does"};
    step.finish(job);
    return Done{};
  }
  return Error{"no such workload", clean(workload, 253), "tessera workloads lists them"};
}

}  // namespace tessera::sim
