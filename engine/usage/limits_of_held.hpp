// The limits of waste where a source tells what was held, and neither what was free nor what waited.
// Threads: pure function.
#pragma once

#include <string>

#include "engine/usage/limits.hpp"

namespace tessera::usage {

// As limits_text(), without those of kinds that are not known then: unasked and rogue.
std::string limits_of_held(const Limits& limits);

}  // namespace tessera::usage
