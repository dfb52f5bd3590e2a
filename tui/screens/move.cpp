// Moving the cursor, and keeping it and the scroll where something is: by the body of the screen on top.
#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/body.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"

namespace tessera::tui {

Rect body_of(const UiState& state, const UiContext& ui) { return frame_of(state, ui, state.size).body; }

int distance(Action action, int page) {
  constexpr int kFar = 1 << 30;
  switch (action) {
    case Action::cursor_up: return -1;
    case Action::cursor_down: return 1;
    case Action::half_page_up: return -std::max(1, page / 2);
    case Action::half_page_down: return std::max(1, page / 2);
    case Action::page_up: return -std::max(1, page - 1);
    case Action::page_down: return std::max(1, page - 1);
    case Action::go_first: return -kFar;
    case Action::go_last: return kFar;
    default: return 0;
  }
}

int moved(int from, int by, int count) {
  return static_cast<int>(std::clamp<long>(static_cast<long>(from) + by, 0, std::max(0, count - 1)));
}

void keep_in_view(Screen& screen, int first, int last, int height, int total) {
  if (first < screen.top) screen.top = first;
  if (last > screen.top + height) screen.top = last - height;
  if (last - first > height) screen.top = first;
  screen.top = std::clamp(screen.top, 0, std::max(0, total - height));
}

std::string range_text(std::string_view what, int top, int height, int count) {
  if (count == 0) return {};
  int last = std::min(count, top + height);
  if (top == 0 && last == count)
    return fmt::format("{} {}", count, count == 1 ? what.substr(0, what.size() - 1) : what);
  return fmt::format("{} {}-{} of {}", what, top + 1, last, count);
}

int stop_at(const LineStops& stops, const Screen& screen) {
  for (std::size_t i = 0; i < stops.ids.size(); ++i)
    if (stops.ids[i] == screen.cursor) return static_cast<int>(i);
  return std::clamp(screen.cursor_at, 0, std::max(0, static_cast<int>(stops.ids.size()) - 1));
}

void rest_on(Screen& screen, const LineStops& stops, int at) {
  if (stops.ids.empty()) return;
  screen.cursor = stops.ids[static_cast<std::size_t>(at)];
  screen.cursor_at = at;
}

bool rest_on_line(Screen& screen, const LineStops& stops, int line) {
  const auto found = std::find(stops.lines.begin(), stops.lines.end(), line);
  if (found == stops.lines.end()) return false;
  rest_on(screen, stops, static_cast<int>(found - stops.lines.begin()));
  return true;
}

void move_cursor(UiState& state, const UiContext& ui, Action action) {
  row_of(state).body->move(state, ui, body_of(state, ui), action);
}

void settle(UiState& state, const UiContext& ui) {
  if (auto settle_body = row_of(state).body->settle) settle_body(state, ui, body_of(state, ui));
}

bool click(UiState& state, const UiContext& ui, int x, int y) {
  const Rect body = body_of(state, ui);
  const Body& of = *row_of(state).body;
  if (x < 0 || y < body.y || y >= body.bottom() || !of.click) return false;
  return of.click(state, ui, body, x, y);
}

bool open_at(UiState& state, const UiContext& ui, int x, int y) {
  auto open = row_of(state).open_at;
  return open && open(state, ui, body_of(state, ui), x, y);
}

}  // namespace tessera::tui
