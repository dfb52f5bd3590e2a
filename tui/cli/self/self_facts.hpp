// Looks at the machine for `tessera about` and `tessera doctor --self`; changes nothing.
// Threads: the main one, before others start.
#pragma once

#include "tui/cli/self/self.hpp"

namespace tessera::cli {

SelfFacts look_at_self(const Parsed& parsed, const Environment& environment, const Machine& machine,
                       TimePoint now);

}  // namespace tessera::cli
