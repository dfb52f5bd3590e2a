// `scontrol -a -d -o show node` read into nodes.
// Threads: pure functions.
#pragma once

#include <string_view>

#include "backends/slurm/parse/parsed.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

// catalogue may be null: products then stay unknown.
Parsed<Node> parse_nodes(std::string_view text, Origin origin, const mig::Catalogue* catalogue,
                         const GivenUp& given_up = {});

// Where Slurm hands out no memory (SelectTypeParameters without _MEMORY), AllocMem is 0 whatever jobs were
// given, and none of them waits for memory: how much is held is then not known. select: these parameters;
// empty: not told, and read off the nodes that are busy.
void forget_untracked_memory(std::vector<Node>& nodes, std::string_view select);

// "IDLE*+DRAIN" → IDLE, NOT_RESPONDING, DRAIN: flags by their names, whichever way this Slurm writes them.
std::vector<std::string> split_state(std::string_view state);

// What the flags come to. FAIL and DRAIN close a node; a node that does not answer is down.
Health health_of(const std::vector<std::string>& flags);

bool has_flag(const Node& node, std::initializer_list<std::string_view> any_of);
// By its flags and what it has given away.
bool is_closed(const Node& node);  // drained or failing: takes no new work
bool is_busy(const Node& node);

}  // namespace tessera::slurm
