#include "tui/view.hpp"

#include "tui/screens/control.hpp"
#include "tui/screens/cut_cell.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/frame/overlays.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {
namespace {

// Draws the body and returns what the rule below it says about the place in it.
std::string draw_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  const ScreenRow& row = row_of(screen.kind);
  // A product that the guide is asked about needs no cluster.
  const bool own_page = row.stands_alone || (screen.kind == ScreenKind::guide && screen.cluster.empty());
  if (ui.model.clusters.empty() && !own_page) {
    draw_no_cluster(canvas, body, state);
    return {};
  }
  if (is_loading(state, ui.model) && !own_page) {
    draw_loading(canvas, body, ui, state);
    return {};
  }
  return row.body->draw(canvas, body, ui, state);
}

}  // namespace

void draw(const UiContext& ui, const UiState& state, Canvas& canvas) {
  canvas.clear();
  Size size = canvas.size();
  if (size.columns < kSmallest.columns || size.rows < kSmallest.rows) {
    draw_too_small(canvas);
    return;
  }
  Frame frame = frame_of(state, ui, size);
  std::string where = draw_body(canvas, frame.body, ui, state);
  // A page may reach over its edges; what surrounds it is drawn last.
  canvas.fill(0, 0, size.columns, frame.body.y, " ");
  canvas.fill(0, frame.message_y, size.columns, 2, " ");
  draw_title(canvas, state, ui);
  const bool choosing = state.choice.kind != ChoiceKind::none;  // whose list covers the page beside the table
  if (!state.past && frame.banner.height == 0 && !choosing) name_preview(canvas, 1, ui, state);
  draw_banner(canvas, frame.banner, state, ui);
  if (choosing) draw_choice(canvas, frame.body, state, ui);
  if (wants_text(state)) {
    draw_prompt(canvas, frame.message_y, state, ui);
  } else {
    draw_message(canvas, frame.message_y, state, where);
    draw_cut_cell(canvas, frame.message_y, ui, state);
  }
  draw_footer(canvas, frame.footer_y, state, ui);
}

std::string status_text(const UiContext& ui, const UiState& state) { return title_text(state, ui); }

void draw_status(const UiContext& ui, const UiState& state, Canvas& canvas) {
  const Size size = canvas.size();
  if (size.columns < kSmallest.columns || size.rows < kSmallest.rows) return;
  canvas.fill(0, 0, size.columns, 1, " ");
  draw_title(canvas, state, ui);
}

}  // namespace tessera::tui
