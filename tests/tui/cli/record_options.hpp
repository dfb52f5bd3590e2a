// Options of a recorder that ends by itself.
// Threads: the test's.
#pragma once

#include "tui/cli/options.hpp"

namespace tessera::cli {

inline Options record_options(Duration every = Duration(1000), int rounds = 1) {
  Options options;
  options.command = "record";
  options.recording = "/folder";
  options.every = every;
  options.rounds = rounds;
  options.timeout = Duration(1500);
  return options;
}

}  // namespace tessera::cli
