// Pages of lines: how they are drawn and walked through.
#include <algorithm>

#include "tui/screens/body.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/preview.hpp"

namespace tessera::tui {
namespace {

std::string draw_page_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  const ScreenRow& row = row_of(state);
  body.width = draw_preview(canvas, body, ui, state);
  const PageColumns page = page_columns(ui, state, body.width);
  if (page.main.empty()) {
    if (row.when_empty)
      canvas.put(3, body.y + 2, told(state, row.when_empty(screen)), Role::dim);
    else
      draw_gone(canvas, body, row.crumb == Crumb::subject ? screen.subject : "This", state);
    return {};
  }
  const int total = page.lines();
  int top = std::clamp(screen.top, 0, std::max(0, total - body.height));
  draw_columns(canvas, body, page, screen, state.ascii);
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

PageColumns page_columns(const UiContext& ui, const UiState& state, int width) {
  const auto side = row_of(state).side;
  PageColumns page{document_of(ui, state, width), side ? side(ui, state, width) : Document(), width};
  if (!page.side.empty()) page.main_width = side_column(width);
  return page;
}

void draw_columns(Canvas& canvas, Rect area, const PageColumns& page, const Screen& screen, bool ascii) {
  const int top = std::clamp(screen.top, 0, std::max(0, page.lines() - area.height));
  const Rect main{area.x, area.y, page.main_width, area.height};
  draw_document(canvas, main, page.main, top, screen.cursor, ascii);
  if (!page.side.empty())
    draw_document(canvas, {main.right(), area.y, area.width - main.width, area.height}, page.side, top, {},
                  ascii);
}

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
  const PageColumns columns = page_columns(ui, state, page.width);
  LineStops stops = stops_in(columns.main);
  int by = distance(action, page.height);
  int total = columns.lines();
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
  const PageColumns columns = page_columns(ui, state, page.width);
  if (x >= page.x + columns.main_width) return false;
  const int end = static_cast<int>(columns.main.size()) - page.height;
  return rest_on_line(screen, stops_in(columns.main),
                      std::clamp(screen.top, 0, std::max(0, end)) + y - page.y);
}

}  // namespace tessera::tui
