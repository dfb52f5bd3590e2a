// What visible cells and tiles said last, so that what changed since can be marked for a moment.
// Threads: the UI thread.
#pragma once

#include <string>

#include "tui/terminal/style.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// Compares what is in view with what was; after every message.
void remember_cells(UiState& state, const UiContext& ui);

// Whether the cell changed within the last kChangedFor.
bool has_changed(const UiState& state, const UiContext& ui, const std::string& id, int column);
// `plain`, or the look of what changed.
Style changed_or(Style plain, const UiState& state, const UiContext& ui, const std::string& id, int column);

// Columns of a cluster's row on the overview.
enum class OverviewCell : int { nodes, gpus, free, pending };

}  // namespace tessera::tui
