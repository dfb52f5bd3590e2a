// What the editor's preview keeps in its plan for itself. Threads: constant data.
#pragma once

#include <string_view>

namespace tessera::tui {

// The rule of the notice that has the headline of what-if; it does not go with the plan to its page.
inline constexpr std::string_view kNextHours = "next-hours";

}  // namespace tessera::tui
