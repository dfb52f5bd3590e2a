// What the screens of usage and of waste share: how the reading fares, and what there is without one.
// Threads: the UI thread; pure functions.
#pragma once

#include <optional>
#include <string>

#include "tui/screens/documents.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

// Above the list: which time was read, how much of it is recorded, and what is read now.
Document span_lines(const UiState& state);
// Of which times nothing is recorded, in the language of the console; empty: there are none.
std::string gaps_text(const UiState& state);
// Why there is no list, and what to do about it.
Document no_sums(const UiState& state, int width);
std::string days_text(Duration since);  // "the last 7 days"

}  // namespace tessera::tui
