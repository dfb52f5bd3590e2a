// How the guide is walked through: its page of lines stands below or beside the chart.
#include <algorithm>

#include "tui/screens/body.hpp"
#include "tui/screens/guide/guide.hpp"

namespace tessera::tui {
namespace {

std::string draw_guide_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  return draw_guide(canvas, body, ui, state);
}

void move_guide(UiState& state, const UiContext& ui, Rect body, Action action) {
  if (action == Action::next_panel || action == Action::previous_panel)
    return next_guide_group(state, action == Action::next_panel ? 1 : -1);
  move_page(state, ui, guide_areas(ui, state, body).page, action);
}

void settle_guide(UiState& state, const UiContext& ui, Rect body) {
  Screen& screen = state.top();
  const Rect page = guide_areas(ui, state, body).page;
  const Document document = document_of(ui, state, page.width);
  const LineStops stops = stops_in(document);
  if (stops.ids.empty()) return;
  const auto at = static_cast<std::size_t>(stop_at(stops, screen));
  rest_on(screen, stops, static_cast<int>(at));
  // A stop comes with the lines below it: its details, or the text to hand out.
  const int line = stops.lines[at], total = static_cast<int>(document.size());
  const int end = at + 1 < stops.lines.size() ? stops.lines[at + 1] : total;
  keep_in_view(screen, line, std::min(end, line + page.height), page.height, total);
}

bool click_guide(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  return click_page(state, ui, guide_areas(ui, state, body).page, x, y);
}

}  // namespace

const Body kGuideBody{draw_guide_body, move_guide, settle_guide, click_guide};

}  // namespace tessera::tui
