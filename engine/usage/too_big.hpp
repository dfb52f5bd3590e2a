// Whether a smaller profile would have done for what a job or pod held: as waste, and for what was needed.
// docs/time.md defines it. Threads: pure function.
#pragma once

#include <optional>
#include <string>

#include "engine/mig/catalogue.hpp"
#include "engine/usage/limits.hpp"

namespace tessera::usage {

struct Hold;

struct TooBig {
  const mig::Profile* would_do = nullptr;  // of the catalogue; never null
  double hours = 0;                        // that were measured and are not idle
  std::string why;
};

// nullopt: nothing smaller would have done, or it is not known: less than an hour was measured, by fewer than
// six figures, or most of that was idle.
std::optional<TooBig> too_big(const Hold& hold, const mig::Catalogue& catalogue, const Limits& limits);

}  // namespace tessera::usage
