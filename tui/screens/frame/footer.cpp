// The footer and the spelling of keys.
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/layout/layout_state.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/time_travel.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {

std::string keys_of(const UiState& state, Action action) {
  std::size_t index = static_cast<std::size_t>(action);
  if (index < state.keys.size()) return state.keys[index];
  std::string shown;
  for (char c : info(action).keys) shown += c == ' ' ? ", " : std::string(1, c);
  return shown;
}

std::string first_key(const UiState& state, Action action) {
  std::string keys = keys_of(state, action);
  // A key that is itself a comma stands alone before the separator.
  std::size_t end = keys.find(", ");
  return end == std::string::npos ? keys : keys.substr(0, end);
}

namespace {

// While something waits for one of a few keys there are no others.
std::vector<Action> actions_now(const UiState& state) {
  using enum Action;
  if (wants_text(state) && state.input.kind != InputKind::filter && state.input.kind != InputKind::arm)
    return {input_accept, input_cancel, input_newer, input_older, input_complete};
  if (wants_text(state)) return {input_accept, input_cancel};
  if (state.leaving == Leaving::parking) return {};
  if (state.leaving == Leaving::asked) return {leave_park, leave_stay};
  if (state.arming) return {arm_confirm, arm_cancel};
  if (state.resuming) return {resume_carry_on, resume_replan, resume_back, resume_leave};
  if (state.choice.kind == ChoiceKind::sort) return {open, choice_toggle, back};
  if (state.choice.kind != ChoiceKind::none) return {choice_toggle, open, back};
  const std::span<const Action> own = row_of(state).footer;
  std::vector<Action> all;
  if (state.past) all = {time_on, event_on, time_play};
  if (state.past && state.from_live) all.push_back(time_live);
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

// What goes the other way, and is shown with it.
std::optional<Action> other_way(Action action) {
  if (action == Action::sort_next_column) return Action::sort_previous_column;
  if (action == Action::time_on) return Action::time_back;
  if (action == Action::event_on) return Action::event_back;
  return std::nullopt;
}

// In a list these keys walk along it, and not through what was typed before; in a list of columns they do
// what is done there.
std::string_view title_of(Action action, const UiState& state) {
  const bool chooses = state.choice.kind != ChoiceKind::none, sorts = state.choice.kind == ChoiceKind::sort;
  if (chooses && action == Action::open) return sorts ? "sort" : "done";
  if (chooses && action == Action::choice_toggle) return sorts ? "try" : "show or hide";
  // In the guide Tab goes to the GPUs of the next product, not to another part of the page.
  if (action == Action::next_panel && state.top().kind == ScreenKind::guide) return "next GPUs";
  if (action == Action::show_waiting && state.top().kind == ScreenKind::workloads &&
      state.top().filter_text == kAllWaiting && !state.top().derived.rows.empty())
    return "why";
  const InputLine& input = state.input;
  const bool menu = input.kind == InputKind::menu;
  if (action == Action::input_newer && (menu || (input.kind == InputKind::command && input.history_at < 0)))
    return "below";
  if (action == Action::input_older && (menu || (input.kind == InputKind::command && input.chosen > 0)))
    return "above";
  return info(action).title;
}

// Does nothing on the whole screen as it stands, or the page names its key where it does something.
bool does_nothing_here(Action action, const UiState& state) {
  switch (state.top().kind) {
    case ScreenKind::fleet: return state.fleet && state.fleet->calendar;  // it has no nodes to plan
    case ScreenKind::layout:  // nothing is edited while the list of presets is open
      return state.top().layout && state.top().layout->list == LayoutList::presets;
    case ScreenKind::plan: return action == Action::plan_arm && !state.writable;
    case ScreenKind::doctor: return action == Action::finding_plan;
    case ScreenKind::usage:
    case ScreenKind::waste:  // no recording is opened, or it is being read
      return action == Action::usage_by || action == Action::usage_days || action == Action::usage_source;
    default: return false;
  }
}

// Whether a key is left out where it does nothing now. What would change a cluster does nothing in the past
// wherever the cursor is.
bool is_left_out(Action action, const UiState& state) {
  // What a run takes depends on how it stands: only that is offered.
  if (info(action).scope == Scope::run || row_of(state).footer_fits) return true;
  if (does_nothing_here(action, state)) return true;
  if (!state.past) return false;
  switch (state.top().kind) {
    case ScreenKind::plan:
    case ScreenKind::journal:
    case ScreenKind::pack:
    case ScreenKind::fleet:
    case ScreenKind::advise: return true;
    default: return !refused_in_past(action, state).empty();
  }
}

// What a screen is for: its first keys stay where they are.
constexpr std::size_t kAlways = 3;

// While text is typed, or a question waits for one of a few keys, q neither leaves nor does ? help.
bool takes_keys_of_every_screen(const UiState& state) {
  const std::vector<Scope> now = scopes(state);
  return std::find(now.begin(), now.end(), Scope::global) != now.end();
}

// Those for which there is room, in their order. Behind the first ones a key that does nothing now takes no
// room from one that does. Each comes with the cells that it needs in `end`.
std::vector<FooterKey> fitting(std::vector<FooterKey> keys, int x, int end) {
  std::vector<bool> fits(keys.size(), false);
  int room = end - x;
  for (const bool early : {true, false})
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if ((keys[i].usable || i < kAlways) != early || keys[i].end > room) continue;
      fits[i] = true;
      room -= keys[i].end + 2;
    }
  std::vector<FooterKey> shown;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!fits[i]) continue;
    FooterKey& key = shown.emplace_back(std::move(keys[i]));
    key.x = x;
    key.end += x;
    x = key.end + 2;
  }
  return shown;
}

}  // namespace

std::vector<FooterKey> footer_keys(const UiState& state, const UiContext& ui, int width) {
  auto cells = [&](Action action, const std::string& key) {
    return display_width(key) + 1 + display_width(title_of(action, state));
  };
  std::vector<FooterKey> right;
  int end = width - 1;
  for (Action action : {Action::quit, Action::help}) {
    if (!takes_keys_of_every_screen(state)) break;
    std::string key = first_key(state, action);
    const int x = end - cells(action, key);
    right.push_back({action, std::move(key), x, end});
    end = x - 2;
  }
  std::vector<FooterKey> keys;
  for (Action action : actions_now(state)) {
    std::string key = first_key(state, action);
    if (key.empty()) continue;
    // The two ways of one thing are shown as one.
    if (const auto other = other_way(action)) key = first_key(state, *other) + " " + key;
    const bool usable = why_disabled(action, state, ui).empty();
    if (!usable && is_left_out(action, state)) continue;
    const int needs = cells(action, key);
    keys.push_back({action, std::move(key), 0, needs, usable});
  }
  std::vector<FooterKey> shown = fitting(std::move(keys), 1, end);
  shown.insert(shown.end(), right.rbegin(), right.rend());
  return shown;
}

void draw_footer(Canvas& canvas, int y, const UiState& state, const UiContext& ui) {
  for (const FooterKey& one : footer_keys(state, ui, canvas.size().columns)) {
    const int next = one.x + canvas.put(one.x, y, one.key, one.usable ? Role::key : Role::dim, one.end) + 1;
    canvas.put(next, y, title_of(one.action, state), Role::dim, one.end);
  }
}

}  // namespace tessera::tui
