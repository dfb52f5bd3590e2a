// The line at the bottom while something is typed: editing, history, completion.
#include <algorithm>

#include "engine/text.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/palette.hpp"
#include "tui/screens/plan/arm.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kLongest = 1000;  // bytes; the filter language takes no more

std::size_t before(const std::string& text, std::size_t at) {
  if (at > 0) --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}
std::size_t after(const std::string& text, std::size_t at) {
  if (at < text.size()) ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}
std::size_t word_start(const std::string& text, std::size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  while (at > 0 && text[at - 1] != ' ') --at;
  return at;
}

void changed(UiState& state) {
  InputLine& input = state.input;
  input.error.clear();
  input.completions.clear();
  input.chosen = -1;
  input.top = 0;
  if (input.kind == InputKind::filter) preview_filter(state);
}

bool has_offers(const InputLine& input) {
  return input.kind == InputKind::command || input.kind == InputKind::menu;
}

void erase(UiState& state, std::size_t from, std::size_t to) {
  state.input.text.erase(from, to - from);
  state.input.cursor = from;
  changed(state);
}

void take_completion(UiState& state, int chosen) {
  InputLine& input = state.input;
  input.chosen = chosen;
  input.text = input.completions[static_cast<std::size_t>(chosen)];
  input.cursor = input.text.size();
  input.error.clear();
  if (input.kind == InputKind::filter) preview_filter(state);
}

void complete(UiState& state, const UiContext& ui, int step) {
  InputLine& input = state.input;
  if (input.kind == InputKind::arm) return;  // typed, not completed
  if (input.kind == InputKind::menu) return walk_offers(state, step);
  if (input.completions.empty()) {
    input.completions = completions(state, ui, input.text);
    if (input.completions.empty())
      for (const Offer& offer : input.offers) input.completions.push_back(offer.text);
    input.chosen = -1;
    input.top = 0;
  }
  int count = static_cast<int>(input.completions.size());
  if (count == 0) return;
  take_completion(state,
                  input.chosen < 0 && step < 0 ? count - 1 : ((input.chosen + step) % count + count) % count);
  if (count > 1) return;
  // The only candidate is taken: the next Tab completes what follows it.
  input.completions.clear();
  input.chosen = -1;
}

void walk_history(UiState& state, int step) {
  InputLine& input = state.input;
  if (input.kind != InputKind::command || state.history.empty()) return;
  int count = static_cast<int>(state.history.size());
  if (input.history_at < 0) input.draft = input.text;
  int at = input.history_at < 0 ? count : input.history_at;
  at = std::clamp(at + step, 0, count);
  input.history_at = at == count ? -1 : at;
  input.text = at == count ? input.draft : state.history[static_cast<std::size_t>(at)];
  input.cursor = input.text.size();
  changed(state);
}

}  // namespace

void open_prompt(UiState& state, InputKind kind) {
  state.input = {};
  state.input.kind = kind;
  if (kind != InputKind::filter) return;
  const Screen& screen = state.top();
  state.input.before = screen.filter_text;
  state.input.cursor_before = screen.cursor;
  state.input.cursor_at_before = screen.cursor_at;
  state.input.top_before = screen.top;
  if (screen.filter_text.empty())
    state.top().before_filter = Screen::Place{screen.cursor, screen.cursor_at, screen.top};
  state.input.text = state.input.before;
  state.input.cursor = state.input.text.size();
}

void type_text(UiState& state, std::string_view text) {
  InputLine& input = state.input;
  std::string clean_text = clean(text, kLongest);
  // What a paste brings along at its end is rarely meant.
  while (clean_text.ends_with("·") && text.ends_with('\n')) {
    clean_text.resize(clean_text.size() - std::string_view("·").size());
    text.remove_suffix(1);
  }
  if (input.text.size() + clean_text.size() > kLongest) {
    input.error = "too long: at most 1000 bytes";
    return;
  }
  input.text.insert(input.cursor, clean_text);
  input.cursor += clean_text.size();
  changed(state);
}

// Every half-typed text is applied, and the cursor is looked for from the row that was held when `/` was
// pressed: from the row found for a shorter text it would end in the middle of the list.
void preview_filter(UiState& state) {
  state.top().cursor = state.input.cursor_before;
  state.top().cursor_at = state.input.cursor_at_before;
  std::optional<Error> error = set_filter(state.top(), state.input.text);
  if (!error) return;
  state.input.error = error->reason;
  set_filter(state.top(), state.input.before);  // half a filter hides no rows
}

void edit(UiState& state, const UiContext& ui, Action action) {
  InputLine& input = state.input;
  std::size_t end = input.text.size();
  switch (action) {
    case Action::input_left: input.cursor = before(input.text, input.cursor); break;
    case Action::input_right: input.cursor = after(input.text, input.cursor); break;
    case Action::input_start: input.cursor = 0; break;
    case Action::input_end: input.cursor = end; break;
    case Action::input_delete_back: erase(state, before(input.text, input.cursor), input.cursor); break;
    case Action::input_delete: erase(state, input.cursor, after(input.text, input.cursor)); break;
    case Action::input_delete_word: erase(state, word_start(input.text, input.cursor), input.cursor); break;
    case Action::input_delete_line: erase(state, 0, input.cursor); break;
    case Action::input_complete: complete(state, ui, 1); break;
    case Action::input_complete_back: complete(state, ui, -1); break;
    case Action::input_older:
      // Up the list, and from its first line on through what was typed before.
      if (has_offers(input) && (input.chosen > 0 || input.kind == InputKind::menu))
        walk_offers(state, -1);
      else
        walk_history(state, -1);
      break;
    case Action::input_newer:
      if (has_offers(input) && input.history_at < 0)
        walk_offers(state, 1);
      else
        walk_history(state, 1);
      break;
    default: break;
  }
}

void point_at(UiState& state, int entry, int top) {
  InputLine& input = state.input;
  input.top = top;
  input.error.clear();
  if (input.completions.empty())
    input.chosen = entry;
  else
    take_completion(state, entry);
}

void wheel_candidates(UiState& state, int step) {
  const InputLine& input = state.input;
  const int count = static_cast<int>(input.completions.size());
  if (count > 0)
    take_completion(state, std::clamp(input.chosen + step, 0, count - 1));
  else if (has_offers(input))
    walk_offers(state, step);
}

Effects accept_input(UiState& state, const UiContext& ui) {
  if (state.input.kind == InputKind::menu) return take_from_menu(state, ui);
  if (state.input.kind == InputKind::command) {
    refresh_offers(state, ui);  // a paste may come with its Enter
    if (const std::optional<Offer> offer = offer_to_take(state)) {
      state.input.text = offer->text;
      state.input.cursor = offer->text.size();
      changed(state);
      if (offer->text.ends_with(' ')) return {};  // what it is for is typed next
    }
  }
  InputLine input = state.input;
  if (input.kind == InputKind::filter) {
    if (!input.error.empty()) return {};  // stays open until it can be used or is left
    state.input = {};
    return {};
  }
  if (input.kind == InputKind::arm) {
    accept_arming(state, ui);
    return {};
  }
  state.input = {};
  if (!input.text.empty()) {
    std::erase(state.history, input.text);
    state.history.push_back(input.text);
    if (state.history.size() > UiState::kHistory) state.history.erase(state.history.begin());
  }
  return run_command(state, ui, input.text);
}

void cancel_input(UiState& state) {
  if (state.input.kind == InputKind::arm) return disarm(state);
  if (state.input.kind == InputKind::filter) {
    Screen& screen = state.top();
    set_filter(screen, state.input.before);
    screen.cursor = state.input.cursor_before;
    screen.cursor_at = state.input.cursor_at_before;
    screen.top = state.input.top_before;
  }
  state.input = {};
}

}  // namespace tessera::tui
