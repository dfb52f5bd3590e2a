// Reads a fleet file (docs/fleet.md). Threads: pure functions.
#pragma once

#include <string_view>

#include "engine/fleet/fleet.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::fleet {

// `file` is used in messages only. Errors read "file:line:column: why", with a hint: unknown keys,
// two pools with the same name, unknown products and presets, a pool with no rule or with two, a node with
// two exceptions, more than 200,000 names.
Result<Fleet> read_fleet(std::string_view text, std::string_view file, const mig::Catalogue& catalogue);

}  // namespace tessera::fleet
