// What asking an accounting took. Threads: values.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/model/units.hpp"

namespace tessera::usage {

// What came from a cache was not asked for.
struct AskingCost {
  std::int64_t commands = 0;    // that asked slurmdbd
  std::int64_t bytes = 0;       // that they printed
  std::int64_t lines = 0;       // of these the ones that tell of jobs and steps
  std::int64_t kept_lines = 0;  // that were kept from earlier questions
  Duration took{0};             // all of the commands, one after the other
};

inline void add(AskingCost& all, const AskingCost& one) {
  all.commands += one.commands, all.bytes += one.bytes, all.took += one.took;
  all.lines += one.lines, all.kept_lines += one.kept_lines;
}

inline double seconds_of(const AskingCost& cost) { return std::chrono::duration<double>(cost.took).count(); }

}  // namespace tessera::usage
