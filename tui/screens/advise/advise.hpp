// The advice screen: which nodes to re-cut for what waits, as a few answers along the trade-off, and the
// answer under the cursor in full. Enter leads to its plan.
//
// The answers come from a thread of their own (tui/packer.hpp), which is asked what refresh_advise() wrote
// into the state. Threads: the UI thread; what draws only reads.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tui/advise_state.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

// Keys (advise_keys.cpp).
Effects show_advise(UiState& state, const UiContext& ui, Action action);
Effects edit_advise(UiState& state, const UiContext& ui, Action action);
std::string why_no_advise_edit(Action action, const UiState& state, const UiContext& ui);
// Enter: the plan of the answer under the cursor.
Effects open_on_advise(UiState& state, const UiContext& ui);
std::string why_no_open_on_advise(const UiState& state, const UiContext& ui);
// True: Esc stopped waiting for the answers.
bool back_in_advise(UiState& state, const UiContext& ui);
// The command that prints the plan of that answer.
std::string copy_on_advise(const UiState& state, const UiContext& ui);
std::optional<Error> narrow_advise_to(UiState& state, const UiContext& ui, const std::string& text);

// The place of the answer under the cursor, of the first where it is on none; nullopt: there is none.
std::optional<std::size_t> place_of_answer(const UiState& state);
const advise::Answer* answer_here(const UiState& state);

// What is asked, and what was told (advise_refresh.cpp).
void refresh_advise(UiState& state, Screen& screen, const UiContext& ui);
std::optional<TimePoint> advise_next_change(const UiState& state, const UiContext& ui);
void take_advice(UiState& state, const UiContext& ui, const AdviseTold& told);
// Whether the past is to be read for it.
bool advice_reads_past(const UiState& state);
// Why no days of the past can count; empty: they can.
std::string why_no_past_counts(const UiState& state, const UiContext& ui);
template <class Edit>
void change_advise(UiState& state, Edit edit) {
  AdviseState next = state.advise ? *state.advise : AdviseState();
  edit(next);
  state.advise = std::make_shared<const AdviseState>(std::move(next));
}

// The page (advise_page.cpp); what it says of one answer (advise_answer.cpp).
Panes advise_panes(const UiContext& ui, const UiState& state, int width);
Document answer_lines(const UiContext& ui, const UiState& state, std::size_t place, int width);

}  // namespace tessera::tui
