// Blast radius: what must be free of work for a change, and everyone whom that disturbs.
//
// Counts what the backend's unit takes along, never what one would wish: who only stands in the way, who uses
// a GPU without having asked, and clients that no scheduler knows of are all named. Threads: pure functions.
#pragma once

#include <vector>

#include "engine/plan/effect/diff.hpp"

namespace tessera::plan {

// What of a node must be free of work. nullopt: nothing, no work is disturbed.
std::optional<Scope> scope_of(const Node& node, const std::vector<BoardChange>& changes,
                              const Capabilities& can);

Needs needs_of(const std::vector<BoardChange>& changes, const Capabilities& can,
               const std::optional<Scope>& scope);

// Everyone within the scope, largest loss first.
std::vector<Disturbed> blast_radius(const Cluster& cluster, const Node& node,
                                    const std::vector<BoardChange>& changes, const Scope& scope,
                                    const mig::Catalogue& catalogue, TimePoint now);

}  // namespace tessera::plan
