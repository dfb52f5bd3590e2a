// Processes that no job or pod entitles to a GPU, as rows of what is wasted.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/usage/report.hpp"

namespace tessera::usage {

// A row each, but of those that use a slice which is found by its figures already.
std::vector<Waste> rogue_process_rows(const Ledger& ledger);
// Those of such a row: "process 4711 (python3), process 4712"; empty: none is told.
std::string rogues_on(const Ledger& ledger, const ClusterName& cluster, const NodeName& node,
                      const std::string& profile);

}  // namespace tessera::usage
