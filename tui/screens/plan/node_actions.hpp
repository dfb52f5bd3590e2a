// Closing and opening nodes in the console: commands that end on the plan screen. Nothing is changed before
// the plan is armed there. Threads: the UI thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tui/update.hpp"

namespace tessera::tui {

// "drain", "resume", "cordon", "uncordon"
bool is_node_command(std::string_view command);
// argument: "n[1-3] fans are loud" or "n1" or "n1 over-others". Opens the plan. Errors: why there is none.
std::optional<Error> run_node_command(UiState& state, const UiContext& ui, const std::string& command,
                                      const std::string& argument);

}  // namespace tessera::tui
