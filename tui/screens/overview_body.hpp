// What the actions of every screen do on the overview.
// Threads: the UI thread.
#pragma once

#include <optional>
#include <string>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

void refresh_overview(UiState& state, Screen& screen, const World& world);
std::optional<TimePoint> overview_next_change(const UiState& state, const World& world);
Effects open_on_overview(UiState& state, const World& world);
std::string why_no_open_on_overview(const UiState& state, const World& world);
bool open_on_mosaic(UiState& state, const World& world, Rect body, int x, int y);
std::optional<Screen> facts_on_overview(const UiState& state, const World& world);
std::string why_no_facts_on_overview(const UiState& state, const World& world);
std::string copy_on_overview(const UiState& state, const World& world);
CellTexts overview_cells(const UiState& state, const World& world);

}  // namespace tessera::tui
