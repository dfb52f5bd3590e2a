// Arming: the last thing between a plan and a changed cluster.
//
// Needs --write. On a terminal the node's name, or the number of nodes, is typed; elsewhere --yes stands for
// that. Threads: the calling thread.
#pragma once

#include <optional>

#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {

// Why nothing may be changed, before anything is shown or asked; nullopt: arming may go on.
std::optional<Error> why_not_armed(const Options& options, const Streams& streams);

// Precondition: why_not_armed() said nothing. What is typed must be `word`; `what` says what it begins.
// Returns the exit code of a refusal, which has been said then.
std::optional<int> arm(OpenClusters& clusters, const Options& options, const Streams& streams, Lines& lines,
                       const std::string& word, const std::string& what);

// What has to be typed for these nodes: the name of the only one, else how many they are.
std::string arming_word(const std::vector<NodeName>& nodes);

}  // namespace tessera::cli
