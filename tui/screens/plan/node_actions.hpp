// Closing, opening and rebooting nodes in the console: keys that write a command into the line below, and the
// commands, which end on the plan screen. Nothing is changed before the plan is armed there. Threads: the UI
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/update.hpp"

namespace tessera::tui {

// The node under the cursor, or all marked ones: writes the command that closes or reboots them, for the
// reason to be typed behind it; opens the plan that opens them or restarts their device plugins.
Effects act_on_nodes(UiState& state, const UiContext& ui, Action action);
std::string why_not_on_nodes(Action action, const UiState& state, const UiContext& ui);
// The plan that opens these nodes. Where one was not closed from here, its reason is shown, and the command
// that opens it knowingly waits for Enter.
void plan_opening(UiState& state, const UiContext& ui, const Cluster& cluster,
                  const std::vector<NodeName>& nodes);
// The plan that restarts the pods of their device plugins, and why there is none for any of them; empty:
// there is one.
void plan_restart(UiState& state, const UiContext& ui, const Cluster& cluster,
                  const std::vector<NodeName>& nodes);
std::string why_no_restart(const UiState& state, const UiContext& ui, const Cluster& cluster,
                           const std::vector<NodeName>& nodes);

// Writes the command that resets these GPUs of each of them into the line below; none: they are typed.
void type_reset(UiState& state, const UiContext& ui, const Cluster& cluster,
                const std::vector<NodeName>& nodes, const std::vector<GpuIndex>& gpus);

// Writes the command that plans a layout for all GPUs of each of them; the layout is typed behind it.
void type_plan(UiState& state, const UiContext& ui, const Cluster& cluster,
               const std::vector<NodeName>& nodes);

// "drain", "resume", "reboot", ...
bool is_node_command(std::string_view command);
// argument: "n[1-3] fans are loud" or "n1" or "n1 over-others". Opens the plan. Errors: why there is none.
std::optional<Error> run_node_command(UiState& state, const UiContext& ui, const std::string& command,
                                      const std::string& argument);

}  // namespace tessera::tui
