// What the editor's preview keeps in its plan for itself, and where it goes. Threads: the UI thread; what is
// here only reads.
#pragma once

#include <cstddef>
#include <string_view>

#include "tui/screens/layout/layout.hpp"

namespace tessera::tui {

// The rule of the notice that has the headline of what-if; it does not go with the plan to its page. Also the
// id of its line.
inline constexpr std::string_view kNextHours = "next-hours";
// Nodes and workloads: the next hours are played with every key; those of more by the planner's thread.
inline constexpr std::size_t kMostPlayed = 300;

// layout_page(), with the lines that the preview leaves empty given to profiles that would not be seen else.
LayoutPage page_in_view(const UiState& state, const LayoutView& view, Rect body);

}  // namespace tessera::tui
