#include "tui/update.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/changed.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/frame.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/overview.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/run_words.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kMessageFor{6000};
constexpr Duration kSecond{1000};
constexpr Duration kStep{10000};      // ages on the screen move on in these steps
constexpr std::size_t kHuge = 20000;  // rows from which sorting on every event would be felt
constexpr Duration kHugeEvery{1000};
constexpr std::size_t kRowsPerMs = 40;  // the work on huge lists takes about a twentieth of the time
constexpr int kWheel = 3;

// How long a list is left as it is: longer, the longer the work on it takes.
Duration pause_for(std::size_t total) {
  return std::max(kHugeEvery, Duration(static_cast<Duration::rep>(total / kRowsPerMs)));
}

bool stale(const DerivedRows& derived, const std::string& key, const World& world) {
  if (!derived.valid || derived.key != key) return true;
  if (derived.revision == world.model.revision) return false;
  return derived.total < kHuge || world.wall - derived.at >= pause_for(derived.total);
}

// The sums walk the whole cluster, so a huge one is not walked for every event.
bool overview_stale(const OverviewData& data, const World& world) {
  if (!data.valid || world.wall - data.at >= Duration(60000)) return true;
  if (data.revision == world.model.revision) return false;
  std::size_t things = 0;
  for (const Cluster& cluster : world.model.clusters)
    things += cluster.nodes.size() * 8 + cluster.workloads.size();
  return things < kHuge || world.wall - data.at >= kHugeEvery;
}

void derive_all(UiState& state, const World& world) {
  // The list below the top one is kept fresh too: `[` and `]` walk along it. A huge one waits until it is
  // seen.
  std::size_t from = state.stack.size() > 1 ? state.stack.size() - 2 : 0;
  for (std::size_t i = from; i < state.stack.size(); ++i) {
    Screen& screen = state.stack[i];
    if (!is_table(screen.kind)) continue;
    const std::string key = derive_key(state, screen);
    const bool below = i + 1 < state.stack.size();
    if (below && screen.derived.valid && screen.derived.key == key && screen.derived.total >= kHuge) continue;
    if (stale(screen.derived, key, world)) screen.derived = derive(world, state, screen);
  }
  if (state.top().kind == ScreenKind::guide) refresh_guide(state, state.top(), world);
  if (from == 0 && overview_stale(state.overview, world))
    state.overview =
        work_out_overview(world, state.ascii, state.runs.heads, first_key(state, Action::show_journal));
}

Effects take(UiState& state, const World& world, const ActionMessage& message) {
  Action action = message.action;
  if (state.leaving == Leaving::parking) return {};  // nothing is begun on the way out
  if (!state.message.sticky || state.message.at != world.wall) state.message = {};
  // What can be meant as text comes as TextInput.
  if (wants_text(state) && info(action).scope != Scope::input && !works_while_typing(action)) return {};
  if (std::string reason = why_disabled(action, state, world); !reason.empty()) {
    say(state, world, Severity::info, std::move(reason));
    return {};
  }
  return act(state, world, action);
}

// A question that one of a few keys answers lies over the screen.
bool is_asked(const UiState& state) { return state.arming || state.resuming || state.leaving != Leaving::no; }

// A click on what surrounds the screen: a place on the way here, or a key of the footer.
std::optional<Effects> click_frame(UiState& state, const World& world, const Mouse& mouse) {
  if (mouse.y == 0) {
    const std::optional<std::size_t> crumb = crumb_at(state, world, mouse.x);
    while (crumb && state.stack.size() > *crumb + 1) state.stack.pop_back();
    return Effects{};
  }
  if (mouse.y != frame_of(state, world, state.size).footer_y) return std::nullopt;
  for (const FooterKey& one : footer_keys(state, world, state.size.columns))
    if (mouse.x >= one.x && mouse.x < one.end) return take(state, world, ActionMessage{one.action});
  return Effects{};
}

Effects take(UiState& state, const World& world, const Mouse& mouse) {
  if (state.input.kind != InputKind::none || state.choice.kind != ChoiceKind::none || is_asked(state))
    return {};
  const bool pressed = mouse.kind == Mouse::Kind::press || mouse.kind == Mouse::Kind::double_press;
  if (pressed)
    if (auto effects = click_frame(state, world, mouse)) return std::move(*effects);
  switch (mouse.kind) {
    case Mouse::Kind::press: click(state, world, mouse.x, mouse.y); break;
    case Mouse::Kind::double_press:
      // What is opened is what lies under the mouse, never what the cursor was on before.
      if (open_at(state, world, mouse.x, mouse.y) || !click(state, world, mouse.x, mouse.y)) return {};
      return take(state, world, ActionMessage{Action::open});
    case Mouse::Kind::wheel_up:
    case Mouse::Kind::wheel_down:
      for (int i = 0; i < kWheel; ++i)
        move_cursor(state, world,
                    mouse.kind == Mouse::Kind::wheel_up ? Action::cursor_up : Action::cursor_down);
      break;
  }
  return {};
}

// A reader of older events stays where he is when new ones come in above.
void hold_log(UiState& state, const World& world) {
  Screen& screen = state.top();
  if (screen.kind != ScreenKind::log) return;
  int lines = static_cast<int>(document_of(world, state, state.size.columns).size());
  if (screen.top > 0 && lines > screen.cursor_at) screen.top += lines - screen.cursor_at;
  screen.cursor_at = lines;
}

Effects take_any(UiState& state, const World& world, const Message& message) {
  if (const auto* action = std::get_if<ActionMessage>(&message)) return take(state, world, *action);
  if (const auto* mouse = std::get_if<Mouse>(&message)) return take(state, world, *mouse);
  if (const auto* news = std::get_if<RunNews>(&message)) return take_news(state, world, *news);
  if (const auto* ending = std::get_if<Ending>(&message)) return park_and_leave(state, world, ending->why);
  if (const auto* text = std::get_if<TextInput>(&message)) {
    if (state.input.kind != InputKind::none) type_text(state, text->character);
  } else if (const auto* paste = std::get_if<Paste>(&message)) {
    if (state.input.kind != InputKind::none)
      type_text(state, paste->text);
    else
      say(state, world, Severity::info, "a paste is not read as keys; press / or : first");
  } else if (const auto* unknown = std::get_if<UnknownKey>(&message)) {
    if (!state.message.sticky)
      say(state, world, Severity::info,
          fmt::format("no action on {} here; {} shows the keys", unknown->key,
                      first_key(state, Action::help)));
  } else if (const auto* resize = std::get_if<Resize>(&message)) {
    state.size = resize->size;
  } else if (const auto* notice = std::get_if<Notice>(&message)) {
    say(state, world, notice->severity, notice->text);
  } else if (std::holds_alternative<Tick>(message) && !state.message.sticky &&
             world.wall - state.message.at >= kMessageFor) {
    state.message = {};
  }
  return {};
}

}  // namespace

void say(UiState& state, const World& world, Severity severity, std::string text) {
  if (severity == Severity::danger || severity == Severity::warning) {
    const Cluster* cluster = world.model.find(state.top().cluster);
    state.said.push_back({cluster ? cluster_now(*cluster, world.wall) : world.wall, state.top().cluster,
                          severity, "tessera", text});
    if (state.said.size() > UiState::kSaid) state.said.erase(state.said.begin());
  }
  state.message = {severity, std::move(text), world.wall, severity == Severity::danger};
}

bool wants_text(const UiState& state) { return state.input.kind != InputKind::none; }

std::vector<Scope> scopes(const UiState& state) {
  if (wants_text(state)) return {Scope::input};
  if (state.leaving == Leaving::parking) return {};
  if (state.leaving == Leaving::asked) return {Scope::leave};
  if (state.arming) return {Scope::arm};
  if (state.resuming) return {Scope::resume};
  std::vector<Scope> out;
  if (state.choice.kind != ChoiceKind::none) out.push_back(Scope::choice);
  if (is_table(state.top().kind)) out.push_back(Scope::table);
  if (state.top().kind == ScreenKind::node) out.push_back(Scope::node);
  if (state.top().kind == ScreenKind::layout) out.push_back(Scope::layout);
  if (state.top().kind == ScreenKind::log) out.push_back(Scope::log);
  if (state.top().kind == ScreenKind::plan) out.push_back(Scope::plan);
  if (state.top().kind == ScreenKind::run || state.top().kind == ScreenKind::journal)
    out.push_back(Scope::run);
  if (guide_asks(state.top())) out.push_back(Scope::question);
  if (state.top().kind == ScreenKind::guide) out.push_back(Scope::guide);
  out.push_back(Scope::global);
  return out;
}

Effects update(UiState& state, const World& world, const Message& message) {
  Effects effects = take_any(state, world, message);
  derive_all(state, world);
  follow_world(state, world);
  refresh_layout(state, world);
  if (std::holds_alternative<ModelChanged>(message)) hold_log(state, world);
  settle(state, world);
  remember_cells(state, world);
  return effects;
}

std::optional<TimePoint> next_tick(const UiState& state, const World& world) {
  TimePoint next = world.wall - (world.wall.time_since_epoch() % kStep) + kStep;
  for (const auto& [cell, at] : state.cells.changed) next = std::min(next, at + kChangedFor);
  if (!state.message.text.empty() && !state.message.sticky)
    next = std::min(next, state.message.at + kMessageFor);
  // The clock of the step that is under way.
  if (state.top().kind == ScreenKind::run && !look_of(state, state.top().subject).over)
    next = std::min(next, world.wall - (world.wall.time_since_epoch() % kSecond) + kSecond);
  bool behind = is_table(state.top().kind) && state.top().derived.revision != world.model.revision;
  if (behind) next = std::min(next, state.top().derived.at + pause_for(state.top().derived.total));
  bool sums_behind =
      state.top().kind == ScreenKind::overview && state.overview.revision != world.model.revision;
  if (sums_behind) next = std::min(next, state.overview.at + kHugeEvery);
  return std::max(next, world.wall + Duration(1));
}

}  // namespace tessera::tui
