// Layouts of one size of instance: where only those can be had, and with time-slicing on top.
// Threads: pure functions.
#pragma once

#include "engine/guide/proposals/proposals.hpp"

namespace tessera::guide {

// Whether all instances must have one profile: the device plugin's strategy is single, or the platform makes
// node pools of one size.
bool takes_one_profile(const Scope& scope, sharing::Platform platform);
// Those layouts with the operator's names, profiles ascending: as many of each profile as fit.
std::vector<std::pair<std::vector<int>, std::string>> layouts_of_one_profile(const mig::Product& product,
                                                                             sharing::Platform platform);

// For the best layout of one profile, with several instances where there is one such: 2 and 4 time-slices of
// each instance, with the product of both on offer. Empty: Kubernetes' device plugin alone does this, and
// ACK's own does not.
std::vector<Proposal> propose_turns(const Scope& scope, sharing::Platform platform);

}  // namespace tessera::guide
