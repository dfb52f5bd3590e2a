// `scontrol -a -d -o show node` read into nodes.
// Threads: pure functions.
#pragma once

#include <string_view>

#include "backends/slurm/parsed.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

// catalogue may be null: products then stay unknown.
Parsed<Node> parse_nodes(std::string_view text, Origin origin, const mig::Catalogue* catalogue);

// "IDLE*+DRAIN" → IDLE, NOT_RESPONDING, DRAIN: flags by their names, whichever way this Slurm writes them.
std::vector<std::string> split_state(std::string_view state);

// What the flags come to. FAIL and DRAIN close a node; a node that does not answer is down.
Health health_of(const std::vector<std::string>& flags);

}  // namespace tessera::slurm
