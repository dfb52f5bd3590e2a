// What the flags about a simulated world come to: for both programs that open one, tessera and tessera-sim.
// Threads: pure functions.
#pragma once

#include <chrono>
#include <memory>

#include "backends/sim/backend.hpp"
#include "engine/mig/catalogue.hpp"
#include "tui/cli/options.hpp"

namespace tessera {

inline TimePoint wall_clock() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

inline sim::SimulatorOptions simulator_options(const cli::Options& options, const mig::Catalogue& catalogue) {
  sim::SimulatorOptions wanted;
  wanted.scenario = options.sim.value_or("");
  if (options.sim_seed) wanted.seed = *options.sim_seed;
  wanted.speed = options.sim_speed;
  wanted.state_file = options.sim_state;
  wanted.wall = wall_clock;
  wanted.catalogue = std::make_shared<const mig::Catalogue>(catalogue);
  return wanted;
}

}  // namespace tessera
