// Pages of lines: how they are drawn and walked through.
#include <algorithm>

#include "tui/screens/body.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/preview.hpp"

namespace tessera::tui {
namespace {

std::string draw_page_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  const ScreenRow& row = row_of(state);
  body.width = draw_preview(canvas, body, ui, state);
  Document document = document_of(ui, state, body.width);
  if (document.empty()) {
    if (row.when_empty)
      canvas.put(3, body.y + 2, told(state, row.when_empty(screen)), Role::dim);
    else
      draw_gone(canvas, body, row.crumb == Crumb::subject ? screen.subject : "This", state);
    return {};
  }
  int total = static_cast<int>(document.size());
  int top = std::clamp(screen.top, 0, std::max(0, total - body.height));
  draw_document(canvas, body, document, top, screen.cursor, state.ascii);
  return total > body.height ? range_text("lines", top, body.height, total) : std::string();
}

void settle_page(UiState& state, const UiContext& ui, Rect) {
  if (!row_of(state).open) return;  // the cursor rests nowhere
  Screen& screen = state.top();
  LineStops stops = stops_in(document_of(ui, state, list_width(state, ui)));
  if (!stops.ids.empty()) rest_on(screen, stops, stop_at(stops, screen));
}

void move_list_page(UiState& state, const UiContext& ui, Rect body, Action action) {
  body.width = list_width(state, ui);
  move_page(state, ui, body, action);
}

bool click_list_page(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  body.width = list_width(state, ui);
  return x < body.x + body.width && click_page(state, ui, body, x, y);
}

}  // namespace

const Body kPageBody{draw_page_body, move_list_page, settle_page, click_list_page};

LineStops stops_in(const Document& document) {
  LineStops stops;
  for (std::size_t i = 0; i < document.size(); ++i)
    if (!document[i].id.empty()) {
      stops.ids.push_back(document[i].id);
      stops.lines.push_back(static_cast<int>(i));
    }
  return stops;
}

void move_page(UiState& state, const UiContext& ui, Rect page, Action action) {
  Screen& screen = state.top();
  Document document = document_of(ui, state, page.width);
  LineStops stops = stops_in(document);
  int by = distance(action, page.height);
  int total = static_cast<int>(document.size());
  int at = stop_at(stops, screen), next = moved(at, by, static_cast<int>(stops.ids.size()));
  // The cursor goes from stop to stop while there is one that way; beyond, the page itself moves.
  if (!stops.ids.empty() && next != at) {
    rest_on(screen, stops, next);
    int line = stops.lines[static_cast<std::size_t>(next)];
    return keep_in_view(screen, line, line + 1, page.height, total);
  }
  screen.top = std::clamp(moved(screen.top, by, total), 0, std::max(0, total - page.height));
}

bool click_page(UiState& state, const UiContext& ui, Rect page, int x, int y) {
  if (x < page.x || y < page.y) return false;
  Screen& screen = state.top();
  return rest_on_line(screen, stops_in(document_of(ui, state, page.width)), screen.top + y - page.y);
}

}  // namespace tessera::tui
