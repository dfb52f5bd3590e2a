// The parts that update() is made of: moving, opening, arranging, typing. Each changes the state and nothing
// else; whether an action may be used at all is asked before, of why_disabled().
// Threads: the UI thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/update.hpp"

namespace tessera::tui {

// Whether it moves the cursor, by its row (acts.cpp).
bool is_move(Action action);

// Moving (move.cpp).
void move_cursor(UiState& state, const UiContext& ui, Action action);
// Puts the cursor on row `row` of a table.
void put_cursor(Screen& screen, const UiContext& ui, int row);
// Brings cursor and scroll back to something that exists and is in view; after every message.
void settle(UiState& state, const UiContext& ui);
// Puts the cursor on what is there; false: nothing is.
bool click(UiState& state, const UiContext& ui, int x, int y);
// Opens what no cursor can rest on, a node of the mosaic; false: there is no such thing there.
bool open_at(UiState& state, const UiContext& ui, int x, int y);

// Opening and leaving (go.cpp).
void go_to(UiState& state, ScreenKind kind, const std::string& filter = {});  // one of the main screens
void push(UiState& state, Screen screen);
void open_node(UiState& state, const ClusterName& cluster, const std::string& node, std::string cursor = {});
void open_workload(UiState& state, const ClusterName& cluster, const std::string& id);
void show_facts(UiState& state, const UiContext& ui);
bool go_back(UiState& state);
bool has_sibling(const UiState& state, const UiContext& ui, int step);
void step_sibling(UiState& state, const UiContext& ui, int step);
// What `y` copies; empty: there is nothing.
std::string copy_text(const UiState& state, const UiContext& ui);
// A held tile's workload, as the row id on a node's page names it.
std::optional<WorkloadId> holder_of(const Cluster& cluster, const Node& node, const std::string& stop);

// Arranging (arrange.cpp).
std::optional<Error> set_filter(Screen& screen, const std::string& text);
void clear_filter(UiState& state);
void find_again(UiState& state, const UiContext& ui, int step);
void sort_step(UiState& state, const UiContext& ui, int step);
void sort_by(UiState& state, int column);
void toggle_mark(UiState& state, const UiContext& ui);
// Begins a range at the cursor, or marks all rows from where it was begun.
void range_step(UiState& state, const UiContext& ui);
// Marks `count` rows from the cursor on; error: it is no number of rows.
std::optional<Error> mark_some(UiState& state, const UiContext& ui, const std::string& count);
void mark_all(UiState& state, const UiContext& ui);
void open_choice(UiState& state, ChoiceKind kind);
void choose(UiState& state, const UiContext& ui, Action action);
// The columns that a table shows now, when the user has chosen none.
std::vector<int> shown_columns(const UiState& state, const UiContext& ui, const Screen& screen);

// Typing (prompt.cpp). Commands are run by commands.cpp.
void open_prompt(UiState& state, InputKind kind);
void type_text(UiState& state, std::string_view text);
// Editing keys.
void edit(UiState& state, const UiContext& ui, Action action);
// The mouse on the list above the line: points at an entry, where `top` is the first that is shown, or goes
// along it. A completion that is pointed at stands in the line, as with Tab.
void point_at(UiState& state, int entry, int top);
void wheel_candidates(UiState& state, int step);
// Enter and Esc.
Effects accept_input(UiState& state, const UiContext& ui);
void cancel_input(UiState& state);
void preview_filter(UiState& state);
std::vector<std::string> completions(const UiState& state, const UiContext& ui, std::string_view text);
// One sentence about a candidate; empty for names.
std::string_view command_help(std::string_view candidate);
// Screens and commands, each by its first name.
std::vector<Offer> command_offers(const UiState& state, const UiContext& ui);
// Whether it is one, or begins with one that takes an argument.
bool is_command(std::string_view text);
Effects run_command(UiState& state, const UiContext& ui, const std::string& text);

// Runs an action that is not disabled, by its row (acts.cpp).
Effects act(UiState& state, const UiContext& ui, Action action);
void say(UiState& state, const UiContext& ui, Severity severity, std::string text);

}  // namespace tessera::tui
