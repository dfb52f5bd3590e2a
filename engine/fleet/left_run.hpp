// What is said of a run that has not ended and is at rest. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/model/run_news.hpp"

namespace tessera::fleet {

// What it holds, and the ways out. head: one that is parked or was interrupted. closed: nodes of it that are
// closed now.
std::string left_sentence(const RunHead& head, const std::vector<NodeName>& closed);

}  // namespace tessera::fleet
