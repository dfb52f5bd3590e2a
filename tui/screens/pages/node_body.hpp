// What the actions of every screen do on a node's page.
// Threads: the UI thread.
#pragma once

#include <optional>
#include <string>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

// The work that holds the tile under the cursor, else the details of the tile.
Effects open_tile(UiState& state, const UiContext& ui);
std::string why_no_tile(const UiState& state, const UiContext& ui);
std::optional<Screen> facts_of_tile(const UiState& state, const UiContext& ui);
// The GPU whose tile the cursor is on, with its node; of a pool's slice the node.
std::string copy_on_node(const UiState& state, const UiContext& ui);
CellTexts node_cells(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
