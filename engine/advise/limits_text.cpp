#include "engine/advise/limits_text.hpp"

#include <fmt/format.h>

namespace tessera::advise {

std::string limits_text(const Known& known) {
  const bool all = known.running_with_limit == known.running && known.waiting_with_limit == known.waiting;
  if (all)
    return fmt::format("{} of {} running and {} of {} waiting jobs or pods have a time limit",
                       known.running_with_limit, known.running, known.waiting_with_limit, known.waiting);
  return fmt::format(
      "{} of {} running and {} of {} waiting jobs or pods have a time limit; the others run on",
      known.running_with_limit, known.running, known.waiting_with_limit, known.waiting);
}

}  // namespace tessera::advise
