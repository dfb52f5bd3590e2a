// tessera doctor: what needs attention in every cluster, with the way out; or the role that tessera needs.
// Threads: the calling thread owns the model.
#pragma once

#include <string>

#include "engine/insight/attention.hpp"
#include "engine/mig/catalogue.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// Exit code: 0 nothing worse than a remark, 1 a warning or worse, 3 no complete answer in
// time. A source that fails is a finding.
int run_doctor(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams);

// What needs attention in one cluster of the model, and which work and nodes break the rules of its platform
// (--platform, else recognised).
std::vector<insight::Finding> doctor_findings(const Model& model, const Cluster& cluster,
                                              const mig::Catalogue& catalogue, const Options& options,
                                              TimePoint wall);

// The smallest roles with their bindings, as YAML: what tessera reads, and with `write` what it changes. The
// two have names of their own, so that one group may look and another change. Errors: the setting prometheus
// cannot be read.
Result<std::string> rbac_text(const Options& options);

}  // namespace tessera::cli
