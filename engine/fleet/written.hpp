// A fleet file that says what stands now, for a site that begins to keep one. Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/fleet/survey.hpp"

namespace tessera::fleet {

struct Standstill {
  const Cluster* cluster = nullptr;
  Place place;
};

struct Written {
  std::string text;          // of the file; read_fleet() and survey() find every pool as wanted
  std::size_t nodes = 0;     // that it rules
  std::size_t left_out = 0;  // whose GPUs are not known, or cannot be said; comments of the file name them
};

// As a scalar of YAML that is read back as this very text.
std::string yaml_word(std::string_view text);

// Nodes that are alike are one pool. Starts of instances are not written: any will do. Errors: no node of
// these clusters can be written down.
Result<Written> write_fleet(std::span<const Standstill> clusters);

}  // namespace tessera::fleet
