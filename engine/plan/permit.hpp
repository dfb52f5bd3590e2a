// May this plan begin here and now, and may this run be taken up here: one answer for the console, the
// command line and the room that drives runs.
//
// Errors say what has changed, and what to do. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Whether a plan that was made just now may begin: it has steps, breaks no rule, and what it was made from is
// as it was. cluster_id, can: of the actuator that is to carry it out. What has moved on its nodes is
// reported by moved.hpp.
std::optional<Error> why_not_begun(const Plan& plan, const std::string& cluster_id, const Means& can);

// Whether a plan that was read from a file is the one that tessera makes of its intent now. The new one is
// what is run: nothing that stands in a file is carried out. Work that has left since is no difference.
std::optional<Error> why_not_as_made(const Plan& read, const Plan& now);

// Whether what was begun (or planned) on a cluster belongs to the one that is open here under that name.
// confirmed: a person says that it is that cluster, which counts where its identity is not reported.
std::optional<Error> why_not_here(std::string_view what, const ClusterName& name, const std::string& begun_on,
                                  const std::string& here, bool confirmed);

}  // namespace tessera::plan
