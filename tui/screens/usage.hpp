// Who held how much of the GPUs over days and used it, and what was held or free for nothing: what recordings
// come to (engine/usage), a line each, and below it more of the one under the cursor.
// Threads: the UI thread; what draws only reads.
#pragma once

#include <string>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

Panes usage_panes(const UiContext& ui, const UiState& state, int width);
Panes waste_panes(const UiContext& ui, const UiState& state, int width);
// Keeps what its list says of all rows. After every message.
void refresh_waste(UiState& state, Screen& screen, const UiContext& ui);
void take_usage(UiState& state, const UiContext& ui, const UsageTold& told);

Effects sum_up_by(UiState& state, const UiContext& ui, Action action);
std::string why_no_sums(Action action, const UiState& state, const UiContext& ui);
Effects choose_days(UiState& state, const UiContext& ui, Action action);
std::string why_no_days(Action action, const UiState& state, const UiContext& ui);
Effects choose_source(UiState& state, const UiContext& ui, Action action);
std::string why_no_source(Action action, const UiState& state, const UiContext& ui);
// What the command writes to owners, of the owner of this line.
Effects copy_letter(UiState& state, const UiContext& ui, Action action);
std::string why_no_letter(Action action, const UiState& state, const UiContext& ui);

// Enter: the workloads of that user, the node, or the job or pod, where it is still there.
Effects open_on_usage(UiState& state, const UiContext& ui);
std::string why_no_open_on_usage(const UiState& state, const UiContext& ui);
std::string copy_on_usage(const UiState& state, const UiContext& ui);
Effects open_on_waste(UiState& state, const UiContext& ui);
std::string why_no_open_on_waste(const UiState& state, const UiContext& ui);
std::string copy_on_waste(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
