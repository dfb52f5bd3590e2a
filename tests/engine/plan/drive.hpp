// A run driven as the run room drives it, against the adversary: journal as text, killed where the test says,
// resumed from what was written.
#pragma once

#include <string>

#include "tests/engine/plan/adversary.hpp"

namespace tessera::test {

// What the admin does when a run stops.
enum class Policy { carry_on, go_back };

struct Kill {
  int after_line = -1;         // the process dies once so many lines are written; -1: never
  bool after_perform = false;  // ... not at once, but after the action that the line announced
  bool torn = false;           // half a further line was written, too
};

struct Ending {
  bool ended = false;
  plan::Outcome outcome = plan::Outcome::partial;
  std::string text;
  int lines = 0;
  int stops = 0;
  std::string journal;
  std::string problem;  // what went wrong with the machinery itself; empty: nothing
};

Ending drive(Adversary& world, const mig::Catalogue& catalogue, const plan::Plan& plan, Kill kill,
             Policy policy);

}  // namespace tessera::test
