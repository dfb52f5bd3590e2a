// Whether a run in the list of runs can be taken up again, or taken back, and why not.
// Threads: pure functions.
#pragma once

#include <optional>

#include "engine/error.hpp"
#include "engine/model/run_news.hpp"

namespace tessera::plan {

// nullopt: it can.
std::optional<Error> why_not_resumed(const RunHead& head);
std::optional<Error> why_not_undone(const RunHead& head);

}  // namespace tessera::plan
