// What a source of the past tells of itself beside the sums, for the console and the command line alike: in
// English, each sentence translated by whoever shows it. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/usage/kept_use.hpp"
#include "engine/usage/reckoning.hpp"

namespace tessera::tui {

// What Prometheus does not tell, and what asking it has cost.
std::vector<std::string> kept_words(const usage::KeptTold& kept);
// The same of whatever was read; a recording has its gaps instead (gap_words()).
std::vector<std::string> source_words(const usage::Reckoning& read);

}  // namespace tessera::tui
