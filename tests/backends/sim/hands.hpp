// A simulated cluster in the hands of a test: orders by their words, looks, and what is left to complain of.
#pragma once

#include "backends/sim/actuator.hpp"
#include "engine/plan/effect/observed.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {

inline plan::RunMark mark_of(const std::string& run) { return {run, "root", "login1", kMonday}; }

struct Hands {
  World world;
  std::string run = "r1";
  Changes changes{};  // of the last action

  Performed try_to(const std::string& node, plan::Action action) {
    changes = {};
    plan::Order order{NodeName(node), std::move(action), mark_of(run), "s", Duration(0)};
    Performed done = perform(world, order, changes);
    EXPECT_EQ(audit(world), std::vector<std::string>{}) << plan::word(order.action);
    return done;
  }
  // The reason why not; empty: done.
  std::string act(const std::string& node, plan::Action action) {
    Performed done = try_to(node, std::move(action));
    return done.status ? "" : done.status.error().reason;
  }
  plan::NodeFacts see(const std::string& node) const { return observe(world, NodeName(node), world.now); }
  Result<plan::NodeFacts> look_at(const std::string& node) {
    Changes seen;
    return look(world, NodeName(node), seen);
  }
  void pass(Duration time) { world.advance(world.now + time); }
  void arm(std::string_view text) {
    Result<Trap> trap = parse_trap(text);
    ASSERT_TRUE(trap.ok()) << to_line(trap.error());
    world.traps.push_back({*trap, 0});
  }
  // "3g.40gb@4, ..." of one GPU.
  std::string layout(const std::string& node, int gpu) const {
    return plan::to_text(plan::instances_of(see(node).node.gpus.at(static_cast<std::size_t>(gpu))));
  }
};

inline Hands hands_from(std::string_view yaml) { return {world_from(yaml)}; }

inline plan::InstanceAt instance(const char* profile, int start, int size) {
  return {ProfileName(profile), Placement{start, size}, std::nullopt};
}

}  // namespace tessera::sim
