// What was read of recordings for the screens of use and waste (engine/usage). Threads: a plain value.
#pragma once

#include <memory>
#include <optional>

#include "engine/error.hpp"
#include "engine/usage/reckoning.hpp"

namespace tessera::tui {

struct WasteTexts;

struct UsageState {
  Duration since = usage::Span{}.since;  // that is wanted
  usage::By by = usage::By::user;
  std::shared_ptr<const usage::Reckoning> read;  // of the last reading; null: none was finished
  TimePoint read_at{};                           // when
  std::optional<Error> failure;                  // of the last reading
  std::optional<double> part;                    // of a reading that is under way, 0 to 1
  bool wanted_again = false;                     // read once more, though it was read
  std::shared_ptr<const WasteTexts> waste;       // of its screen; null: not made yet
};

}  // namespace tessera::tui
