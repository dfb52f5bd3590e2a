// The foot of a list on a small terminal: its first lines stay pinned, and what is too much for it stands at
// the end of the list, so that the list keeps most of the screen and nothing is lost. Threads: pure
// functions.
#pragma once

#include <cstdint>
#include <string>

#include "tui/state.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

// Lines that a foot may have in a terminal of that height, where one list stands above it, or two that
// share what it leaves.
enum class Lists : std::uint8_t { one, two };
std::size_t most_foot_lines(const UiState& state, Lists lists);

// Moves what is more than `most`. id: what the cursor holds on to there, with the number of the line behind
// it; empty: it passes over them. Both documents are wrapped for the width of the list, which is `width`.
void fold_foot(Document& foot, std::size_t most, Document& list, int width, const UiState& state,
               const std::string& id = {});

}  // namespace tessera::tui
