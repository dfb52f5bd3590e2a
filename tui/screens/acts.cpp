// What each action does: the functions that the rows of tui/action_rows.hpp name, and the table of them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "tui/screens/control.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/frame.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {
namespace acts {
namespace {

Effects move(UiState& state, const World& world, Action action) {
  move_cursor(state, world, action);
  return {};
}

Effects open_here(UiState& state, const World& world, Action) { return row_of(state).open(state, world); }

Effects details(UiState& state, const World& world, Action) {
  show_facts(state, world);
  return {};
}

Effects back(UiState& state, const World& world, Action) {
  if (state.choice.kind != ChoiceKind::none) {
    state.choice = {};
  } else if (is_loading(state, world.model)) {
    state.loading_left = true;
  } else if (!state.top().filter_text.empty()) {
    clear_filter(state);
  } else if (auto own = row_of(state).back; !own || !own(state, world)) {
    go_back(state);
  }
  return {};
}

Effects walk_list(UiState& state, const World& world, Action action) {
  step_sibling(state, world, action == Action::next_sibling ? 1 : -1);
  return {};
}

// --- finding, arranging, marking

Effects type_filter(UiState& state, const World&, Action) {
  open_prompt(state, InputKind::filter);
  return {};
}

Effects show_all(UiState& state, const World&, Action) {
  clear_filter(state);
  return {};
}

Effects find(UiState& state, const World& world, Action action) {
  find_again(state, world, action == Action::find_next ? 1 : -1);
  return {};
}

Effects turn_only_mine(UiState& state, const World&, Action) {
  state.top().only_mine = !state.top().only_mine;
  return {};
}

Effects sort_along(UiState& state, const World& world, Action action) {
  sort_step(state, world, action == Action::sort_next_column ? 1 : -1);
  return {};
}

Effects reverse_sort(UiState& state, const World&, Action) {
  Screen& screen = state.top();
  screen.sorts.front().descending = !screen.sorts.front().descending;
  state.last_sorts[screen.kind] = screen.sorts;
  return {};
}

Effects choose_from_list(UiState& state, const World&, Action action) {
  open_choice(state, action == Action::sort_choose ? ChoiceKind::sort : ChoiceKind::columns);
  return {};
}

Effects choose_entry(UiState& state, const World& world, Action action) {
  choose(state, world, action);
  return {};
}

Effects turn_wide(UiState& state, const World& world, Action) {
  if (state.top().columns) {
    say(state, world, Severity::info,
        "the columns were chosen by hand: " + first_key(state, Action::choose_columns) + " changes them");
    return {};
  }
  state.wide = !state.wide;
  state.top().left = 0;
  return {};
}

Effects follow_newest(UiState& state, const World&, Action) {
  state.top().top = 0;
  return {};
}

Effects mark_row(UiState& state, const World& world, Action) {
  toggle_mark(state, world);
  return {};
}

Effects mark_rows(UiState& state, const World& world, Action) {
  mark_all(state, world);
  return {};
}

Effects unmark(UiState& state, const World&, Action) {
  state.top().marks.clear();
  return {};
}

Effects copy_here(UiState& state, const World& world, Action) {
  std::string text = copy_text(state, world);
  if (text.empty()) {
    say(state, world, Severity::info, "the marked rows are not in this table now");
    return {};
  }
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  say(state, world, Severity::good,
      lines == 1                   ? "copied " + text
      : is_table(state.top().kind) ? "copied " + std::to_string(lines) + " names"
                                   : "copied " + std::to_string(lines) + " lines");
  Effects effects;
  effects.copy = std::move(text);
  return effects;
}

// --- screens

Effects show_screen(UiState& state, const World&, Action action) {
  for (const ScreenRow& row : screen_rows())
    if (row.way == action) go_to(state, row.kind);
  return {};
}

Effects show_waiting(UiState& state, const World&, Action) {
  go_to(state, ScreenKind::workloads, "state=pending");
  return {};
}

Effects show_free(UiState& state, const World&, Action) {
  go_to(state, ScreenKind::slices, "state=free");
  return {};
}

Effects show_runs(UiState& state, const World&, Action) {
  Effects effects;
  open_journal(state, effects);
  return effects;
}

// A page about the screen that it is opened from.
Effects show_page(UiState& state, const World&, Action action) {
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

Effects edit_here(UiState& state, const World& world, Action) {
  open_layout_here(state, world);
  return {};
}

Effects decide_here(UiState& state, const World& world, Action) {
  open_guide_here(state, world);
  return {};
}

// --- the console itself

Effects type_command(UiState& state, const World&, Action) {
  open_prompt(state, InputKind::command);
  return {};
}

Effects ask_again(UiState& state, const World& world, Action) {
  Effects effects;
  effects.refresh = true;
  say(state, world, Severity::info, "asked for fresh data");
  return effects;
}

Effects paint_again(UiState&, const World&, Action) {
  Effects effects;
  effects.repaint = true;
  return effects;
}

Effects turn_theme(UiState& state, const World& world, Action) {
  auto at = std::find(state.themes.begin(), state.themes.end(), state.theme);
  if (at == state.themes.end() || ++at == state.themes.end()) at = state.themes.begin();
  Effects effects;
  effects.theme = *at;
  say(state, world, Severity::info, "theme " + *at);
  return effects;
}

Effects turn_language(UiState& state, const World& world, Action) {
  const Language next = state.language == Language::en ? Language::ja : Language::en;
  if (Status read = set_language(state, next); !read)
    say(state, world, Severity::danger, to_line(read.error()));
  else
    say(state, world, Severity::info, next == Language::ja ? "Japanese" : "English");
  return {};
}

Effects turn_mouse(UiState& state, const World& world, Action) {
  state.mouse = !state.mouse;
  Effects effects;
  effects.mouse = state.mouse;
  say(state, world, Severity::info, state.mouse ? "mouse on" : "mouse left to the terminal");
  return effects;
}

Effects stop_for_now(UiState&, const World&, Action) {
  Effects effects;
  effects.suspend = true;
  return effects;
}

Effects quit(UiState& state, const World& world, Action) { return leave(state, world); }

// --- questions that lie over a screen

Effects start_armed(UiState& state, const World& world, Action) { return confirm_arming(state, world); }

Effects cancel_arming(UiState& state, const World&, Action) {
  disarm(state);
  return {};
}

Effects park(UiState& state, const World& world, Action) {
  return park_and_leave(state, world, "tessera was left");
}

Effects stay(UiState& state, const World&, Action) {
  state.leaving = Leaving::no;
  return {};
}

// --- while typing

Effects edit_line(UiState& state, const World& world, Action action) {
  edit(state, world, action);
  return {};
}

Effects accept_line(UiState& state, const World& world, Action) { return accept_input(state, world); }

Effects cancel_line(UiState& state, const World&, Action) {
  cancel_input(state);
  return {};
}

using Act = Effects (*)(UiState&, const World&, Action);
#define TESSERA_ACT(name, id, title, help, keys, scope, group, act, why) act,
constexpr std::array<Act, static_cast<std::size_t>(Action::count_)> kActs{TESSERA_ACTIONS(TESSERA_ACT)};
#undef TESSERA_ACT

}  // namespace
}  // namespace acts

bool is_move(Action action) { return acts::kActs[static_cast<std::size_t>(action)] == acts::move; }

Effects act(UiState& state, const World& world, Action action) {
  const bool listed = is_move(action) || action == Action::open || action == Action::choice_toggle;
  if (state.choice.kind != ChoiceKind::none && listed) {
    choose(state, world, action);
    return {};
  }
  if (!is_move(action) && action != Action::back) state.choice = {};
  return acts::kActs[static_cast<std::size_t>(action)](state, world, action);
}

}  // namespace tessera::tui
