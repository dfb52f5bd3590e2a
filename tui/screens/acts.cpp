// What each action does: the functions that the rows of tui/action_rows.hpp name, and the table of them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "tui/screens/advise/advise.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/events.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/frame/palette.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/pages/doctor.hpp"
#include "tui/screens/pages/why.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/plan/node_actions.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/time_travel.hpp"
#include "tui/screens/usage.hpp"
#include "tui/screens/users.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace acts {
namespace {

Effects move(UiState& state, const UiContext& ui, Action action) {
  move_cursor(state, ui, action);
  return {};
}

Effects open_here(UiState& state, const UiContext& ui, Action) { return row_of(state).open(state, ui); }

Effects details(UiState& state, const UiContext& ui, Action) {
  show_facts(state, ui);
  return {};
}

Effects back(UiState& state, const UiContext& ui, Action) {
  if (state.choice.kind != ChoiceKind::none) {
    state.choice = {};
  } else if (is_loading(state, ui.model)) {
    state.loading_left = true;
  } else if (!state.top().range_from.empty()) {
    state.top().range_from.clear();
  } else if (!state.top().filter_text.empty() && state.top().filter_text != state.top().opened_with) {
    clear_filter(state);
    set_filter(state.top(), state.top().opened_with);
  } else if (auto own = row_of(state).back; !own || !own(state, ui)) {
    go_back(state);
  }
  return {};
}

Effects show_last(UiState& state, const UiContext&, Action) {
  std::swap(state.stack, state.last_view);
  return {};
}

Effects walk_list(UiState& state, const UiContext& ui, Action action) {
  step_sibling(state, ui, action == Action::next_sibling ? 1 : -1);
  return {};
}

// --- finding, arranging, marking

Effects type_filter(UiState& state, const UiContext&, Action) {
  open_prompt(state, InputKind::filter);
  return {};
}

Effects show_all(UiState& state, const UiContext&, Action) {
  clear_filter(state);
  return {};
}

Effects find(UiState& state, const UiContext& ui, Action action) {
  find_again(state, ui, action == Action::find_next ? 1 : -1);
  return {};
}

Effects turn_only_mine(UiState& state, const UiContext&, Action) {
  state.top().only_mine = !state.top().only_mine;
  return {};
}

Effects sort_along(UiState& state, const UiContext& ui, Action action) {
  sort_step(state, ui, action == Action::sort_next_column ? 1 : -1);
  return {};
}

Effects reverse_sort(UiState& state, const UiContext&, Action) {
  Screen& screen = state.top();
  screen.sorts.front().descending = !screen.sorts.front().descending;
  state.last_sorts[screen.kind] = screen.sorts;
  return {};
}

Effects choose_from_list(UiState& state, const UiContext&, Action action) {
  open_choice(state, action == Action::sort_choose ? ChoiceKind::sort : ChoiceKind::columns);
  return {};
}

Effects choose_entry(UiState& state, const UiContext& ui, Action action) {
  choose(state, ui, action);
  return {};
}

Effects turn_wide(UiState& state, const UiContext& ui, Action) {
  if (state.top().columns) {
    say(state, ui, Severity::info,
        "the columns were chosen by hand: " + first_key(state, Action::choose_columns) + " changes them");
    return {};
  }
  state.wide = !state.wide;
  state.top().left = 0;
  return {};
}

Effects follow_newest(UiState& state, const UiContext&, Action) {
  state.top().top = 0;
  state.top().cursor.clear();
  state.top().cursor_at = 0;
  return {};
}

Effects mark_row(UiState& state, const UiContext& ui, Action) {
  toggle_mark(state, ui);
  return {};
}

Effects mark_range(UiState& state, const UiContext& ui, Action) {
  range_step(state, ui);
  return {};
}

Effects mark_rows(UiState& state, const UiContext& ui, Action) {
  mark_all(state, ui);
  return {};
}

Effects ask_how_many(UiState& state, const UiContext&, Action) {
  open_prompt(state, InputKind::command);
  state.input.text = "mark ";
  state.input.cursor = state.input.text.size();
  return {};
}

Effects unmark(UiState& state, const UiContext&, Action) {
  state.top().marks.clear();
  state.top().range_from.clear();
  return {};
}

Effects copy_here(UiState& state, const UiContext& ui, Action) {
  std::string text = copy_text(state, ui);
  if (text.empty()) {
    say(state, ui, Severity::info, "the marked rows are not in this table now");
    return {};
  }
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  say(state, ui, Severity::good,
      lines == 1                   ? "copied " + text
      : is_table(state.top().kind) ? "copied " + std::to_string(lines) + " names"
                                   : "copied " + std::to_string(lines) + " lines");
  Effects effects;
  effects.copy = std::move(text);
  return effects;
}

// --- screens

Effects show_screen(UiState& state, const UiContext&, Action action) {
  for (const ScreenRow& row : screen_rows())
    if (row.way == action) go_to(state, row.kind);
  return {};
}

Effects show_free(UiState& state, const UiContext&, Action) {
  go_to(state, ScreenKind::slices, std::string(kAllFree));
  return {};
}

Effects show_events_here(UiState& state, const UiContext& ui, Action) {
  if (std::optional<Screen> events = events_of_here(state, ui)) push(state, std::move(*events));
  return {};
}

Effects show_runs(UiState& state, const UiContext&, Action) {
  Effects effects;
  open_journal(state, effects);
  return effects;
}

// A page about the screen that it is opened from.
Effects show_page(UiState& state, const UiContext&, Action action) {
  for (const ScreenRow& row : screen_rows()) {
    if (row.way != action || row.kind == state.top().kind) continue;
    Screen page;
    page.kind = row.kind;
    page.about = state.top().kind;
    push(state, std::move(page));
    break;
  }
  return {};
}

Effects edit_here(UiState& state, const UiContext& ui, Action) {
  open_layout_here(state, ui);
  return {};
}

Effects decide_here(UiState& state, const UiContext& ui, Action) {
  open_guide_here(state, ui);
  return {};
}

// --- the console itself

Effects type_command(UiState& state, const UiContext&, Action) {
  open_prompt(state, InputKind::command);
  return {};
}

Effects show_menu(UiState& state, const UiContext& ui, Action) {
  open_menu(state, ui);
  return {};
}

Effects ask_again(UiState& state, const UiContext& ui, Action) {
  Effects effects;
  effects.refresh = true;
  say(state, ui, Severity::info, "asked for fresh data");
  return effects;
}

Effects paint_again(UiState&, const UiContext&, Action) {
  Effects effects;
  effects.repaint = true;
  return effects;
}

Effects turn_theme(UiState& state, const UiContext& ui, Action) {
  auto at = std::find(state.themes.begin(), state.themes.end(), state.theme);
  if (at == state.themes.end() || ++at == state.themes.end()) at = state.themes.begin();
  Effects effects;
  effects.theme = *at;
  say(state, ui, Severity::info, "theme " + *at);
  return effects;
}

Effects turn_language(UiState& state, const UiContext& ui, Action) {
  const Language next = state.language == Language::en ? Language::ja : Language::en;
  if (Status read = set_language(state, next); !read)
    say(state, ui, Severity::danger, to_line(read.error()));
  else
    say(state, ui, Severity::info, next == Language::ja ? "Japanese" : "English");
  return {};
}

Effects turn_mouse(UiState& state, const UiContext& ui, Action) {
  state.mouse = !state.mouse;
  Effects effects;
  effects.mouse = state.mouse;
  say(state, ui, Severity::info, state.mouse ? "mouse on" : "mouse left to the terminal");
  return effects;
}

Effects stop_for_now(UiState&, const UiContext&, Action) {
  Effects effects;
  effects.suspend = true;
  return effects;
}

Effects quit(UiState& state, const UiContext& ui, Action) { return leave(state, ui); }

// --- questions that lie over a screen

Effects start_armed(UiState& state, const UiContext& ui, Action) { return confirm_arming(state, ui); }

Effects cancel_arming(UiState& state, const UiContext&, Action) {
  disarm(state);
  return {};
}

Effects park(UiState& state, const UiContext& ui, Action) {
  return park_and_leave(state, ui, "tessera was left");
}

Effects stay(UiState& state, const UiContext&, Action) {
  state.leaving = Leaving::no;
  return {};
}

// --- while typing

Effects edit_line(UiState& state, const UiContext& ui, Action action) {
  edit(state, ui, action);
  return {};
}

Effects accept_line(UiState& state, const UiContext& ui, Action) { return accept_input(state, ui); }

Effects cancel_line(UiState& state, const UiContext&, Action) {
  cancel_input(state);
  return {};
}

using Act = Effects (*)(UiState&, const UiContext&, Action);
#define TESSERA_ACT(name, id, title, help, keys, scope, group, act, why) act,
constexpr std::array<Act, static_cast<std::size_t>(Action::count_)> kActs{TESSERA_ACTIONS(TESSERA_ACT)};
#undef TESSERA_ACT

}  // namespace
}  // namespace acts

bool is_move(Action action) { return acts::kActs[static_cast<std::size_t>(action)] == acts::move; }

Effects act(UiState& state, const UiContext& ui, Action action) {
  const bool listed = is_move(action) || action == Action::open || action == Action::choice_toggle;
  if (state.choice.kind != ChoiceKind::none && listed) {
    choose(state, ui, action);
    return {};
  }
  if (!is_move(action) && action != Action::back) state.choice = {};
  return acts::kActs[static_cast<std::size_t>(action)](state, ui, action);
}

}  // namespace tessera::tui
