// What a plan adds to files of the site's that another tool may look after (Helm, Argo CD, Flux), as one
// text to keep as a file: unified diffs that patch(1) takes, and merge patches as comments beside them.
// Threads: pure function.
#pragma once

#include <string>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Empty: the plan writes nothing but to its nodes. Each change stands once, however many nodes need it.
std::string site_patch(const Plan& plan);

}  // namespace tessera::plan
