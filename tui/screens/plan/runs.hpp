// Runs in the console: the journal screen, one run's screen, and what their keys ask of plan::Runs.
//
// What is shown of a run is the fold of its journal's lines, as they were told, so that the screen says what
// the disk says. Threads: the UI thread.
#pragma once

#include <optional>
#include <string>

#include "tui/update.hpp"
#include "tui/widgets/panes.hpp"

namespace tessera::tui {

Effects take_news(UiState& state, const UiContext& ui, const RunNews& news);
void open_run(UiState& state, const std::string& run, Effects& effects);
void open_journal(UiState& state, Effects& effects);
// Enter on the journal screen.
Effects open_on_journal(UiState& state, const UiContext& ui);
std::string why_no_open_on_journal(const UiState& state, const UiContext& ui);
// The node whose line the cursor rests on is the one whose steps are shown.
void rested_on_run(UiState& state);
// The clock of the step that is under way.
std::optional<TimePoint> run_next_change(const UiState& state, const UiContext& ui);

Effects act_on_run(UiState& state, const UiContext& ui, Action action);
std::string why_not_on_run(Action action, const UiState& state, const UiContext& ui);
Effects act_on_resume(UiState& state, const UiContext& ui, Action action);
// What y copies.
std::string run_copy(const UiState& state, const UiContext& ui);

// Leaving tessera: at once, or asked about first, or after what is driven here was parked.
Effects leave(UiState& state, const UiContext& ui);
Effects park_and_leave(UiState& state, const UiContext& ui, const std::string& why);

const RunHead* head_of(const UiState& state, const std::string& run);
const RunView* view_of(const UiState& state, const std::string& run);
// One plan that takes every node of a run back to what the run found there, each to its own. options:
// nullptr: those of an undo. Errors: its journal is not read yet, its cluster is not open, those of planning.
Result<plan::Plan> way_back(const UiState& state, const UiContext& ui, const std::string& run,
                            const plan::ChangeOptions* options = nullptr);
// The run that the screen is about, or the one under the journal's cursor; empty: none.
std::string run_here(const UiState& state);
// Driven by this console now; nullptr: none is.
const RunHead* under_way(const UiState& state);
// "run 20261121-1403-n0031: step 4 of 8": for every screen; empty: none is driven here.
std::string under_way_text(const UiState& state);

// The pages (run_page.cpp, journal_page.cpp).
Panes run_panes(const UiContext& ui, const UiState& state, int width);
Panes journal_panes(const UiContext& ui, const UiState& state, int width);

}  // namespace tessera::tui
