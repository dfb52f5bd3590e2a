// What GPUs would offer under a proposal: asked of the same function as the plan of that proposal
// (plan::offered), so that the guide, the plan and the texts to hand out name the same resources.
// Threads: pure functions.
#pragma once

#include "engine/guide/proposals/proposals.hpp"
#include "engine/plan/effect/diff.hpp"

namespace tessera::guide {

// What is known of how a node names and shares its GPUs: the site's word, its configuration, its labels.
plan::SiteRules rules_for(const Scope& scope, const Node* node);
// The strategy by which instances are named on the scope's nodes; nullopt: the one that fits the layout.
std::optional<sharing::MigStrategy> strategy_of(const Scope& scope);
// ACK's own plugin hands its GPUs out: by its labels, or, for a GPU that is in no cluster yet, by the
// platform.
bool by_ack(const Scope& scope, sharing::Platform platform);
// Where it does so on some of the nodes only: a sentence that names them; "": on all or on none.
std::string only_some_by_ack(const Scope& scope);

// The GPUs of a node as the proposal's plan leaves them.
std::vector<plan::BoardChange> changes_of(const Proposal& proposal, const Node& node, const Scope& scope);

// Whether the GPUs can be brought there: where the driver chooses the places, no order of creation leads to
// some layouts. GPUs that are in no cluster can.
bool can_be_made(const Proposal& proposal, const Scope& scope);

// Sets `advertised`, `switches`, and notes that say why nothing is on offer.
void tell_offer(Proposal& proposal, const Scope& scope, sharing::Platform platform);

}  // namespace tessera::guide
