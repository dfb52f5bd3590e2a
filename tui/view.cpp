#include "tui/view.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/frame.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/node.hpp"
#include "tui/screens/overlays.hpp"
#include "tui/screens/overview.hpp"
#include "tui/screens/panes_of.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

std::string range_text(std::string_view what, int top, int height, int count) {
  if (count == 0) return {};
  int last = std::min(count, top + height);
  if (top == 0 && last == count)
    return fmt::format("{} {}", count, count == 1 ? what.substr(0, what.size() - 1) : what);
  return fmt::format("{} {}-{} of {}", what, top + 1, last, count);
}

std::string draw_table_screen(Canvas& canvas, Rect body, const World& world, const UiState& state) {
  const Screen& screen = state.top();
  if (screen.derived.rows.empty()) {
    draw_empty_table(canvas, body, world, state);
    return {};
  }
  int count = static_cast<int>(screen.derived.rows.size()), height = body.height - 1;
  TableLook look = look_of(world, state, screen, cursor_row(world.model, screen));
  look.top = std::clamp(look.top, 0, std::max(0, count - height));
  TableLayout layout = draw_table(canvas, body, ScreenRows(world, state, screen), look);
  std::string where = range_text("rows", look.top, height, count);
  if (static_cast<std::size_t>(count) < screen.derived.total)
    where += fmt::format(", {} in all", screen.derived.total);
  if (layout.hidden_left + layout.hidden_right > 0)
    where = fmt::format("columns {} of {}, ", layout.columns.size(), layout.candidates) + where;
  return where;
}

std::string draw_document_screen(Canvas& canvas, Rect body, const World& world, const UiState& state) {
  const Screen& screen = state.top();
  Document document = document_of(world, state, body.width);
  if (document.empty()) {
    if (screen.kind == ScreenKind::log)
      canvas.put(3, body.y + 2,
                 told(state, screen.filter_text.empty() ? "Nothing has happened yet."
                                                        : "No event matches the filter."),
                 Role::dim);
    else
      draw_gone(canvas, body, screen.kind == ScreenKind::workload ? screen.subject : "This", state);
    return {};
  }
  int total = static_cast<int>(document.size());
  int top = std::clamp(screen.top, 0, std::max(0, total - body.height));
  draw_document(canvas, body, document, top, screen.cursor, state.ascii);
  return total > body.height ? range_text("lines", top, body.height, total) : std::string();
}

std::string draw_paned_screen(Canvas& canvas, Rect body, const World& world, const UiState& state) {
  Panes panes = panes_of(world, state, body.width);
  const Screen& screen = state.top();
  std::vector<Stop> stops = stops_of(panes);
  int at = stop_of(panes, stops, screen.cursor);
  std::string cursor = at < 0 ? std::string() : stops[static_cast<std::size_t>(at)].id;
  draw_panes(canvas, body, panes, screen.top, cursor, state.ascii);
  int height = areas_of(panes, body).main.height, total = static_cast<int>(panes.main.size());
  return total > height ? range_text("lines", screen.top, height, total) : std::string();
}

// Draws the body and returns what the rule below it says about the place in it.
std::string draw_body(Canvas& canvas, Rect body, const World& world, const UiState& state) {
  const Screen& screen = state.top();
  bool own_page = screen.kind == ScreenKind::help || screen.kind == ScreenKind::about ||
                  screen.kind == ScreenKind::log || is_paned(screen.kind) ||
                  (screen.kind == ScreenKind::guide && screen.cluster.empty());  // a product needs no cluster
  if (world.model.clusters.empty() && !own_page) {
    draw_no_cluster(canvas, body, state);
    return {};
  }
  if (is_loading(state, world.model) && !own_page) {
    draw_loading(canvas, body, world, state);
    return {};
  }
  if (is_table(screen.kind)) return draw_table_screen(canvas, body, world, state);
  if (is_paned(screen.kind)) return draw_paned_screen(canvas, body, world, state);
  if (screen.kind == ScreenKind::guide) return draw_guide(canvas, body, world, state);
  if (is_document(screen.kind)) return draw_document_screen(canvas, body, world, state);
  if (screen.kind == ScreenKind::layout) return draw_layout(canvas, body, world, state);
  if (screen.kind == ScreenKind::node)
    draw_node(canvas, body, world, state);
  else
    draw_overview(canvas, body, world, state);
  return {};
}

}  // namespace

void draw(const World& world, const UiState& state, Canvas& canvas) {
  canvas.clear();
  Size size = canvas.size();
  if (size.columns < kSmallest.columns || size.rows < kSmallest.rows) {
    draw_too_small(canvas);
    return;
  }
  Frame frame = frame_of(state, world, size);
  std::string where = draw_body(canvas, frame.body, world, state);
  // A page may reach over its edges; what surrounds it is drawn last.
  canvas.fill(0, 0, size.columns, frame.body.y, " ");
  canvas.fill(0, frame.message_y, size.columns, 2, " ");
  draw_title(canvas, state, world);
  draw_banner(canvas, frame.banner, state, world);
  if (state.choice.kind != ChoiceKind::none) draw_choice(canvas, frame.body, state, world);
  if (wants_text(state))
    draw_prompt(canvas, frame.message_y, state, world);
  else
    draw_message(canvas, frame.message_y, state, where);
  draw_footer(canvas, frame.footer_y, state, world);
}

}  // namespace tessera::tui
