// What was read of the past for the screens of use and waste (engine/usage). Threads: plain values.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "engine/error.hpp"
#include "engine/usage/reckoning.hpp"

namespace tessera::tui {

struct WasteTexts;

struct UsageState {
  Duration since = usage::Span{}.since;     // that is wanted
  std::vector<usage::PastSource> sources;   // that there are, the best first
  std::optional<usage::PastSource> chosen;  // by hand; nullopt: the best that need not be asked for
  usage::PastSource source{};               // of the last reading, also of one that is under way
  usage::By by = usage::By::user;
  std::shared_ptr<const usage::Reckoning> read;  // of the last reading; null: none was finished
  TimePoint read_at{};                           // when
  std::optional<Error> failure;                  // of the last reading
  std::optional<double> part;                    // of a reading that is under way, 0 to 1
  bool wanted_again = false;                     // read once more, though it was read
  bool asked = false;                            // by a key of these screens, as the accounting has to be
  std::shared_ptr<const WasteTexts> waste;       // of its screen; null: not made yet
};

inline bool has_recording(const UsageState& usage) {
  return std::find(usage.sources.begin(), usage.sources.end(), usage::PastSource::recording) !=
         usage.sources.end();
}

// Which is read, for use, waste and advice alike; nullopt: there is none, or only one that is asked on
// request. past: a moment of it is shown.
inline std::optional<usage::PastSource> source_wanted(const UsageState& usage, bool past) {
  if (past) return has_recording(usage) ? std::optional(usage::PastSource::recording) : std::nullopt;
  if (usage.chosen) return usage.chosen;
  for (const usage::PastSource source : usage.sources)
    if (source != usage::PastSource::accounting) return source;
  return std::nullopt;
}

// Whether that is what was read last.
inline bool is_read(const UsageState& usage, usage::PastSource source) {
  return usage.read && usage::source_of(*usage.read) == source;
}

}  // namespace tessera::tui
