// Who ordered a node's MIG layout last. Threads: constant data, pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/units.hpp"

namespace tessera::operators {

// Key of plan::NodeFacts::words: the manager that wrote the label nvidia.com/mig.config last, and when;
// empty: not told.
inline constexpr std::string_view kMigConfigWriter = "who wrote nvidia.com/mig.config";

// An entry of metadata.managedFields in words: "kubectl-label, 2026-11-21T14:03:00Z". A client names itself
// as it likes.
std::string writer_text(std::string_view manager, const std::optional<TimePoint>& at);

}  // namespace tessera::operators
