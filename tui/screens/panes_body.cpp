// Pages in panes: how they are drawn and walked through.

#include <algorithm>

#include "tui/screens/body.hpp"
#include "tui/screens/preview.hpp"

namespace tessera::tui {
namespace {

void rest_in_panes(UiState& state, const std::vector<Stop>& stops, int at) {
  Screen& screen = state.top();
  screen.cursor = stops[static_cast<std::size_t>(at)].id;
  screen.cursor_at = at;
  if (auto rested = row_of(state).rested) rested(state);
}

// The first stop of the other list.
int other_side(const std::vector<Stop>& stops, int at) {
  bool side = stops[static_cast<std::size_t>(at)].side;
  for (std::size_t i = 0; i < stops.size(); ++i)
    if (stops[i].side != side) return static_cast<int>(i);
  return at;
}

int place_in(const Panes& panes, const Screen& screen, const std::vector<Stop>& stops) {
  int at = stop_of(panes, stops, screen.cursor);
  if (at < 0 || screen.cursor.empty() || stops[static_cast<std::size_t>(at)].id == screen.cursor) return at;
  return std::clamp(screen.cursor_at, 0, static_cast<int>(stops.size()) - 1);
}

// Which lines of it are shown, where that is not all: of the list with the cursor, if both are longer.
std::string shown_text(const Panes& panes, const PaneAreas& areas, int top, const std::string& cursor) {
  const int main = static_cast<int>(panes.main.size()), side = static_cast<int>(panes.side.size());
  const bool main_cut = main > areas.main.height;
  const bool side_cut = areas.side.height > 0 && side > areas.side.height;
  const bool at_side = std::any_of(panes.side.begin(), panes.side.end(), [&](const DocLine& line) {
    return !line.id.empty() && line.id == cursor;
  });
  if (side_cut && (at_side || !main_cut))
    return range_text("lines", first_shown(panes.side, cursor, areas.side.height), areas.side.height, side);
  return main_cut ? range_text("lines", top, areas.main.height, main) : std::string();
}

std::string draw_made(Canvas& canvas, Rect body, const Panes& panes, const UiState& state) {
  const Screen& screen = state.top();
  const std::string cursor = rests_on(panes, screen.cursor);
  draw_panes(canvas, body, panes, screen.top, cursor, state.ascii);
  return shown_text(panes, areas_of(panes, body), screen.top, cursor);
}

std::string draw_panes_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  body.width = draw_preview(canvas, body, ui, state);
  return draw_made(canvas, body, panes_of(ui, state, body.width), state);
}

void move_panes(UiState& state, const UiContext& ui, Rect body, Action action) {
  body.width = list_width(state, ui);
  const int by = distance(action, body.height);
  Screen& screen = state.top();
  Panes panes = panes_of(ui, state, body.width);
  std::vector<Stop> stops = stops_of(panes);
  int total = static_cast<int>(panes.main.size()), height = areas_of(panes, body).main.height;
  int at = place_in(panes, screen, stops);
  if (at >= 0) {
    bool sideways = action == Action::next_panel || action == Action::previous_panel ||
                    action == Action::cursor_left || action == Action::cursor_right;
    int next = sideways ? other_side(stops, at)
                        : static_cast<int>(std::clamp<long>(static_cast<long>(at) + by, 0,
                                                            static_cast<long>(stops.size()) - 1));
    if (next != at) {
      rest_in_panes(state, stops, next);
      // Back where the page would have it, as on the step that is under way: follow it again.
      if (panes.follows && screen.cursor == panes.start) screen.cursor.clear();
      return;
    }
  }
  // Beyond the last stop the page itself moves.
  screen.top =
      static_cast<int>(std::clamp<long>(static_cast<long>(screen.top) + by, 0, std::max(0, total - height)));
}

void settle_on(UiState& state, const Panes& panes, Rect body) {
  Screen& screen = state.top();
  std::vector<Stop> stops = stops_of(panes);
  int total = static_cast<int>(panes.main.size()), height = areas_of(panes, body).main.height;
  int at = place_in(panes, screen, stops);
  screen.top = std::clamp(screen.top, 0, std::max(0, total - height));
  // Until it is moved the cursor stays where the page has it, and the page where it starts.
  if (at < 0 || (screen.cursor.empty() && panes.start.empty())) return;
  bool same = stops[static_cast<std::size_t>(at)].id == screen.cursor;
  if (!same && !screen.cursor.empty()) rest_in_panes(state, stops, at);
  const Stop& stop = stops[static_cast<std::size_t>(at)];
  if (stop.side) return;
  int first = at == 0 ? 0 : stop.line;  // what is listed above the first stop belongs to it
  // So does what is listed below the last one, which may be more than a screen.
  const bool last =
      std::none_of(stops.begin() + at + 1, stops.end(), [](const Stop& one) { return !one.side; });
  if (first < screen.top && !last) screen.top = first;
  if (stop.line + 1 > screen.top + height) screen.top = stop.line + 1 - height;
}

void settle_panes(UiState& state, const UiContext& ui, Rect body) {
  body.width = list_width(state, ui);
  settle_on(state, panes_of(ui, state, body.width), body);
}

bool click_panes(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  body.width = list_width(state, ui);
  if (x >= body.x + body.width) return false;
  Panes panes = panes_of(ui, state, body.width);
  PaneAreas areas = areas_of(panes, body);
  bool side = areas.side.width > 0 && x >= areas.side.x && y >= areas.side.y && y < areas.side.bottom();
  if (!side && y >= areas.main.bottom()) return false;
  std::vector<Stop> stops = stops_of(panes);
  int line = y - (side ? areas.side.y : areas.main.y) +
             (side ? first_shown(panes.side, state.top().cursor, areas.side.height) : state.top().top);
  for (std::size_t i = 0; i < stops.size(); ++i)
    if (stops[i].side == side && stops[i].line == line) {
      rest_in_panes(state, stops, static_cast<int>(i));
      return true;
    }
  return false;
}

}  // namespace

void draw_settled_panes(Canvas& canvas, Rect body, const UiContext& ui, UiState& state) {
  body.width = list_width(state, ui);
  const std::string cursor = state.top().cursor;
  const int top = state.top().top;
  const Panes panes = panes_of(ui, state, body.width);
  settle_on(state, panes, body);
  if (state.top().cursor == cursor && state.top().top == top)
    draw_made(canvas, body, panes, state);
  else
    draw_made(canvas, body, panes_of(ui, state, body.width), state);
}

const Body kPanesBody{draw_panes_body, move_panes, settle_panes, click_panes};

}  // namespace tessera::tui
