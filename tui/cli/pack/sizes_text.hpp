// How many instances of which profile serve each service, as lines for people and as JSON.
// Threads: pure functions.
#pragma once

#include <string>

#include "engine/json.hpp"
#include "engine/pack/sizing.hpp"
#include "tui/cli/options.hpp"

namespace tessera::cli {

std::string sizes_text(const pack::Services& services, const pack::Sizes& sizes, const Options& options);
// The fields `services` and `sizes` of docs/json.md.
void add_sizes(Json& document, const pack::Services& services, const pack::Sizes& sizes);

}  // namespace tessera::cli
