// The evidence for each of the five questions. Used by facts.cpp.
// Threads: pure functions.
#pragma once

#include "engine/guide/facts.hpp"

namespace tessera::guide {

Answer mig_evidence(const Scope& scope, const mig::Catalogue& catalogue);
Answer isolation_evidence(const Scope& scope, const SiteFacts& site);
Answer virtual_evidence(const Scope& scope);
Answer licence_evidence(const Scope& scope, const SiteFacts& site);
Answer cooperation_evidence(const Scope& scope);

// Running work that holds a part of the GPUs (or of the nodes, where GPUs are not reported), each once.
std::vector<const Workload*> work_on(const Scope& scope);
// Pending work that asks for a GPU of any kind.
std::vector<const Workload*> waiting_work(const Cluster& cluster);

}  // namespace tessera::guide
