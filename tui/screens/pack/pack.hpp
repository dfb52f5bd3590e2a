// The pack screen: a demand of MIG slices as a table that is edited, and the fewest GPUs to change for it,
// with what is proven of that. Enter leads to the plan over all nodes that change.
//
// The answer comes from a thread of its own (tui/packer.hpp), which is asked what refresh_pack() wrote into
// the state. Threads: the UI thread; what draws only reads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tui/pack_state.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

// Keys (pack_keys.cpp).
Effects show_pack(UiState& state, const UiContext& ui, Action action);
Effects edit_pack(UiState& state, const UiContext& ui, Action action);
std::string why_no_pack_edit(Action action, const UiState& state, const UiContext& ui);
// Enter: the plan of the answer.
Effects open_on_pack(UiState& state, const UiContext& ui);
std::string why_no_open_on_pack(const UiState& state, const UiContext& ui);
// What waits is the demand from now on; where it asks for nothing that can be planned, that is said.
void take_queue(UiState& state, const UiContext& ui, const pack::QueueDemand& queue);
// True: Esc stopped waiting for the answer.
bool back_in_pack(UiState& state, const UiContext& ui);
// The command that asks for the same.
std::string copy_on_pack(const UiState& state, const UiContext& ui);
// ":pack 3g.40gb=10 1g.10gb=40", ":pack by 18:00", both together, and ":wanted 10".
std::optional<Error> open_pack_named(UiState& state, const UiContext& ui, const std::string& text);
// ":pack history 30d": once the past is read, it is the demand; where it cannot be had, that is said.
void take_history(UiState& state, const UiContext& ui);
// A command that asks for the past has it read: once more where the last reading failed, and the accounting,
// which is read on request alone, too.
void request_past(UiState& state);
// What may stand behind it in place of a demand, for whoever types.
std::span<const std::string_view> words_of_pack();
// The demand that was typed while the cluster was read, now that its GPUs are known.
std::optional<Error> take_typed(PackState& pack, const UiContext& ui);
std::optional<Error> type_wanted(UiState& state, const UiContext& ui, const std::string& text);

// The line of the table under the cursor; the first where it is on a GPU or nowhere.
std::size_t want_here(const UiState& state);
// "w" and its position: as the cursor holds on to a line of the table.
std::string want_id(std::size_t at);

// What is asked of the planner, and its answers (pack_refresh.cpp).
void refresh_pack(UiState& state, Screen& screen, const UiContext& ui);
std::optional<TimePoint> pack_next_change(const UiState& state, const UiContext& ui);
void take_answer(UiState& state, const UiContext& ui, const PackTold& told);
// Reads the cluster as it stands now; true: GPUs of the answer no longer stand as it has them.
bool boards_moved(UiState& state, const UiContext& ui);
// ":on n[1-20]"; errors: as narrowed_by() has them.
std::optional<Error> narrow_pack_to(UiState& state, const UiContext& ui, const std::string& text);
Effects narrow_pack(UiState& state, const UiContext& ui, Action action);

Panes pack_panes(const UiContext& ui, const UiState& state, int width);

}  // namespace tessera::tui
