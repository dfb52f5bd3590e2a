// What the actions of every screen do on the overview.
// Threads: the UI thread.
#pragma once

#include <optional>
#include <string>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

void refresh_overview(UiState& state, Screen& screen, const UiContext& ui);
std::optional<TimePoint> overview_next_change(const UiState& state, const UiContext& ui);
Effects open_on_overview(UiState& state, const UiContext& ui);
std::string why_no_open_on_overview(const UiState& state, const UiContext& ui);
bool open_on_mosaic(UiState& state, const UiContext& ui, Rect body, int x, int y);
std::optional<Screen> facts_on_overview(const UiState& state, const UiContext& ui);
std::string why_no_facts_on_overview(const UiState& state, const UiContext& ui);
std::string copy_on_overview(const UiState& state, const UiContext& ui);
CellTexts overview_cells(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
