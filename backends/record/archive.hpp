// The folder of a recorder as the past of clusters that are looked at live (engine/record/archive.hpp).
// Threads: as the interface has it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/record/archive.hpp"

namespace tessera::record {

// folder: empty: nothing is recorded. limits: from when on something counts as waste; `since` of it is not
// looked at.
std::unique_ptr<Archive> open_archive(std::string folder, std::function<TimePoint()> wall,
                                      usage::Span limits = {}, Elsewhere elsewhere = {});

}  // namespace tessera::record
