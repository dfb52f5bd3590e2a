// Whole worlds as text and back, so that a sequence of commands can act on one simulated place.
//
// A versioned line format; the scenario travels inside, so that a saved state stands on its own. Reading is
// strict: every index is checked and the result must pass audit(), else the error names the line.
// Threads: pure functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/world.hpp"

namespace tessera::sim {

// Precondition: all worlds are of one scenario.
std::string save_state(const std::vector<World>& worlds);
// load_state(save_state(w)) == w, and goes on as w would have.
Result<std::vector<World>> load_state(std::string_view text, std::shared_ptr<const mig::Catalogue> catalogue,
                                      std::string_view file = "state");

}  // namespace tessera::sim
