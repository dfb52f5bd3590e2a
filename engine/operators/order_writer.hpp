// Who ordered a node's MIG layout last. Threads: constant data.
#pragma once

#include <string_view>

namespace tessera::operators {

// Key of plan::NodeFacts::words: the manager that wrote the label nvidia.com/mig.config last, and when;
// empty: not told.
inline constexpr std::string_view kMigConfigWriter = "who wrote nvidia.com/mig.config";

}  // namespace tessera::operators
