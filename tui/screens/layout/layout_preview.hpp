// What the editor's preview keeps in its plan for itself. Threads: constant data.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::tui {

// The rule of the notice that has the headline of what-if; it does not go with the plan to its page.
inline constexpr std::string_view kNextHours = "next-hours";
// Nodes and workloads: the next hours are played with every key.
inline constexpr std::size_t kMostPlayed = 300;

}  // namespace tessera::tui
