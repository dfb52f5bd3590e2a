#include "tui/update.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/advise/advise.hpp"
#include "tui/screens/changed.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/frame/overlays.hpp"
#include "tui/screens/frame/palette.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/large.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/pages/gpu_notes.hpp"
#include "tui/screens/pages/why.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/time_travel.hpp"
#include "tui/screens/usage.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kMessageFor{6000};
constexpr Duration kStep{10000};  // ages on the screen move on in these steps
constexpr int kWheel = 3;

// The screen on top and the one below, whose rows `[` and `]` walk along.
void refresh_screens(UiState& state, const UiContext& ui) {
  const std::size_t from = state.stack.size() > 1 ? state.stack.size() - 2 : 0;
  for (std::size_t i = from; i < state.stack.size(); ++i)
    if (auto refresh = row_of(state.stack[i].kind).refresh) refresh(state, state.stack[i], ui);
  note_page_shown(state, ui);
}

Effects take(UiState& state, const UiContext& ui, const ActionMessage& message) {
  Action action = message.action;
  if (state.leaving == Leaving::parking) return {};  // nothing is begun on the way out
  if (message_is_boxed(state) && !wants_text(state)) {
    if (action == Action::back) {
      state.message = {};
      return {};
    }
  } else if (!state.message.sticky || state.message.at != ui.wall) {
    state.message = {};
  }
  // What can be meant as text comes as TextInput.
  if (wants_text(state) && info(action).scope != Scope::input && !works_while_typing(action)) return {};
  if (std::string reason = why_disabled(action, state, ui); !reason.empty()) {
    say(state, ui, Severity::info, std::move(reason));
    return {};
  }
  return act(state, ui, action);
}

// A question that one of a few keys answers lies over the screen.
bool is_asked(const UiState& state) { return state.arming || state.resuming || state.leaving != Leaving::no; }

bool is_press(const Mouse& mouse) {
  return mouse.kind == Mouse::Kind::press || mouse.kind == Mouse::Kind::double_press;
}

bool answers_a_run(Action action) { return action == Action::run_go_on || action == Action::run_stop_here; }

// A click in the line of the footer; nullopt: it was elsewhere.
std::optional<Effects> click_footer(UiState& state, const UiContext& ui, const Mouse& mouse) {
  if (mouse.y != frame_of(state, ui, state.size).footer_y) return std::nullopt;
  for (const FooterKey& one : footer_keys(state, ui, state.size.columns)) {
    if (mouse.x < one.x || mouse.x >= one.end) continue;
    if (!answers_a_run(one.action)) return take(state, ui, ActionMessage{one.action});
    say(state, ui, Severity::info, "what a run asks is answered with the keys alone");
  }
  return Effects{};
}

// A click on what surrounds the screen: a place on the way here, or a key of the footer.
std::optional<Effects> click_frame(UiState& state, const UiContext& ui, const Mouse& mouse) {
  if (mouse.y == 0) {
    const std::optional<std::size_t> crumb = crumb_at(state, ui, mouse.x);
    while (crumb && state.stack.size() > *crumb + 1) state.stack.pop_back();
    return Effects{};
  }
  return click_footer(state, ui, mouse);
}

// While something is typed: a click puts the pointer on a line of the list above it, a second one takes that
// line as Enter does. One beside the list closes a menu or a palette in which nothing was typed yet; what was
// typed is left by keys.
Effects take_while_typing(UiState& state, const UiContext& ui, const Mouse& mouse) {
  if (!is_press(mouse)) {
    wheel_candidates(state, mouse.kind == Mouse::Kind::wheel_up ? -kWheel : kWheel);
    return {};
  }
  const bool listed = state.input.kind == InputKind::command || state.input.kind == InputKind::menu;
  if (listed)
    if (auto effects = click_footer(state, ui, mouse)) return std::move(*effects);
  const ListHit hit = candidate_at(state, frame_of(state, ui, state.size).message_y, mouse.y);
  if (hit.entry) {
    point_at(state, *hit.entry, hit.top);
    if (mouse.kind == Mouse::Kind::double_press) return take(state, ui, ActionMessage{Action::input_accept});
  } else if (listed && !hit.inside && state.input.text.empty()) {
    cancel_input(state);
  }
  return {};
}

// While columns are chosen: the same, and a second click does what is done in that list.
Effects take_while_choosing(UiState& state, const UiContext& ui, const Mouse& mouse) {
  if (!is_press(mouse)) {
    for (int i = 0; i < kWheel; ++i)
      choose(state, ui, mouse.kind == Mouse::Kind::wheel_up ? Action::cursor_up : Action::cursor_down);
    return {};
  }
  if (auto effects = click_footer(state, ui, mouse)) return std::move(*effects);
  const ListHit hit = choice_at(frame_of(state, ui, state.size).body, state, mouse.x, mouse.y);
  if (hit.entry) {
    state.choice.cursor = *hit.entry;
    state.choice.top = hit.top;
    const bool sorts = state.choice.kind == ChoiceKind::sort;
    if (mouse.kind == Mouse::Kind::double_press)
      return take(state, ui, ActionMessage{sorts ? Action::open : Action::choice_toggle});
  } else if (!hit.inside) {
    state.choice = {};
  }
  return {};
}

Effects take(UiState& state, const UiContext& ui, const Mouse& mouse) {
  // What a change waits for is answered by keys alone.
  if (state.input.kind == InputKind::arm || is_asked(state)) return {};
  if (state.input.kind != InputKind::none) return take_while_typing(state, ui, mouse);
  if (state.choice.kind != ChoiceKind::none) return take_while_choosing(state, ui, mouse);
  if (is_press(mouse))
    if (auto effects = click_frame(state, ui, mouse)) return std::move(*effects);
  switch (mouse.kind) {
    case Mouse::Kind::press: click(state, ui, mouse.x, mouse.y); break;
    case Mouse::Kind::double_press:
      // What is opened is what lies under the mouse, never what the cursor was on before.
      if (open_at(state, ui, mouse.x, mouse.y) || !click(state, ui, mouse.x, mouse.y)) return {};
      return take(state, ui, ActionMessage{Action::open});
    case Mouse::Kind::wheel_up:
    case Mouse::Kind::wheel_down:
      for (int i = 0; i < kWheel; ++i)
        move_cursor(state, ui, mouse.kind == Mouse::Kind::wheel_up ? Action::cursor_up : Action::cursor_down);
      break;
  }
  return {};
}

Effects take_any(UiState& state, const UiContext& ui, const Message& message) {
  if (const auto* action = std::get_if<ActionMessage>(&message)) return take(state, ui, *action);
  if (const auto* mouse = std::get_if<Mouse>(&message)) return take(state, ui, *mouse);
  if (const auto* news = std::get_if<RunNews>(&message)) return take_news(state, ui, *news);
  if (const auto* told = std::get_if<DetailsTold>(&message)) take_details(state, *told);
  if (const auto* told = std::get_if<UsageTold>(&message)) take_usage(state, ui, *told);
  if (const auto* told = std::get_if<PackTold>(&message)) take_answer(state, ui, *told);
  if (const auto* told = std::get_if<AdviseTold>(&message)) take_advice(state, ui, *told);
  if (const auto* told = std::get_if<LargeTold>(&message)) take_large(state, ui, *told);
  if (const auto* told = std::get_if<FleetTold>(&message)) take_file(state, ui, *told);
  if (const auto* seen = std::get_if<FleetSeen>(&message)) take_fleet(state, *seen);
  if (const auto* world = std::get_if<OtherWorld>(&message)) enter_world(state, ui, *world);
  if (const auto* ending = std::get_if<Ending>(&message)) return park_and_leave(state, ui, ending->why);
  if (const auto* text = std::get_if<TextInput>(&message)) {
    if (state.input.kind != InputKind::none) type_text(state, text->character);
  } else if (const auto* paste = std::get_if<Paste>(&message)) {
    if (state.input.kind != InputKind::none)
      type_text(state, paste->text);
    else
      say(state, ui, Severity::info, "a paste is not read as keys; press / or : first");
  } else if (const auto* unknown = std::get_if<UnknownKey>(&message)) {
    if (!state.message.sticky)
      say(state, ui, Severity::info,
          fmt::format("no action on {} here; {} shows the keys", unknown->key,
                      first_key(state, Action::help)));
  } else if (const auto* resize = std::get_if<Resize>(&message)) {
    state.size = resize->size;
  } else if (const auto* notice = std::get_if<Notice>(&message)) {
    say(state, ui, notice->severity, notice->text);
  } else if (std::holds_alternative<Tick>(message) && !state.message.sticky && !message_is_boxed(state) &&
             ui.wall - state.message.at >= kMessageFor) {
    state.message = {};
  }
  return std::holds_alternative<Tick>(message) ? look_at_fleet(state, ui) : Effects();
}

// What reading came to asks for no other reading: that would have no end.
std::optional<FleetOrder> file_to_read(const UiState& state, const Message& message, const Effects& wanted) {
  const auto* told = std::get_if<FleetTold>(&message);
  if (told && told->file) return std::nullopt;
  if (wanted.fleet && wanted.fleet->what != FleetOrder::What::look) return std::nullopt;
  return fleet_file_to_read(state);
}

}  // namespace

void say(UiState& state, const UiContext& ui, Severity severity, std::string text) {
  if (severity == Severity::danger || severity == Severity::warning) {
    const Cluster* cluster = ui.model.find(state.top().cluster);
    state.said.push_back(
        {cluster ? cluster_now(*cluster, ui.wall) : ui.wall, state.top().cluster, severity, "tessera", text});
    if (state.said.size() > UiState::kSaid) state.said.erase(state.said.begin());
  }
  state.message = {severity, std::move(text), ui.wall, severity == Severity::danger};
}

bool wants_text(const UiState& state) { return state.input.kind != InputKind::none; }

std::vector<Scope> scopes(const UiState& state) {
  if (wants_text(state)) return {Scope::input};
  return screen_scopes(state);
}

std::vector<Scope> screen_scopes(const UiState& state) {
  if (state.leaving == Leaving::parking) return {};
  if (state.leaving == Leaving::asked) return {Scope::leave};
  if (state.arming) return {Scope::arm};
  if (state.resuming) return {Scope::resume};
  std::vector<Scope> out;
  if (state.choice.kind != ChoiceKind::none) out.push_back(Scope::choice);
  if (guide_asks(state.top())) out.push_back(Scope::question);
  const std::span<const Scope> own = row_of(state).scopes;
  out.insert(out.end(), own.begin(), own.end());
  out.push_back(Scope::global);
  return out;
}

Effects update(UiState& state, const UiContext& ui, const Message& message) {
  Effects effects = take_any(state, ui, message);
  follow_world(state, ui);
  if (std::optional<FleetOrder> order = file_to_read(state, message, effects))
    effects.fleet = std::move(order);
  refresh_screens(state, ui);
  refresh_offers(state, ui);
  settle(state, ui);
  remember_cells(state, ui);
  return effects;
}

std::optional<TimePoint> next_tick(const UiState& state, const UiContext& ui) {
  TimePoint next = ui.wall - (ui.wall.time_since_epoch() % kStep) + kStep;
  for (const auto& [cell, at] : state.cells.changed) next = std::min(next, at + kChangedFor);
  if (!state.message.text.empty() && !state.message.sticky && !message_is_boxed(state))
    next = std::min(next, state.message.at + kMessageFor);
  if (auto own = row_of(state).next_change)
    if (auto at = own(state, ui)) next = std::min(next, *at);
  return std::max(next, ui.wall + Duration(1));
}

}  // namespace tessera::tui
