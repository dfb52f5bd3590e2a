// Events for people: many of a kind that came one after another, each of another node, job or pod, are one
// line.
// Threads: pure functions; the lines point into the logs that they were made of.
#pragma once

#include <vector>

#include "engine/model/model.hpp"

namespace tessera::insight {

struct FoldedEvent {
  const LogEntry* entry = nullptr;        // the newest of them
  std::vector<const LogEntry*> all = {};  // of several, newest first; empty: it stands alone
};

// Fewer than this stay as they are.
inline constexpr std::size_t kFewestFolded = 4;
// So much time may lie between one and the next of a kind.
inline constexpr Duration kFoldGap{10 * 60'000};

// Of entries from the newest to the oldest; the lines stand where the newest of each stood.
std::vector<FoldedEvent> folded(const std::vector<const LogEntry*>& newest_first);

}  // namespace tessera::insight
