#include "tui/screens/preview.hpp"

#include <algorithm>

#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {
namespace {

constexpr int kTwoPanesFrom = 160;
constexpr int kNarrowest = 72,
              kWidest = 100;  // of a page: a GPU's slices need that much, and gain little above

// What a page needs of the state, with that page on top. Cheap: the lists of the screens below stay where
// they are.
UiState state_of_page(const UiState& state, Screen page, Rect area) {
  UiState beside;
  beside.size = {area.width, area.height};
  beside.stack = {std::move(page)};
  beside.ascii = state.ascii;
  beside.language = state.language;
  beside.words = state.words;
  beside.me = state.me;
  beside.runs.heads = state.runs.heads;
  return beside;
}

}  // namespace

int list_width(const UiState& state) {
  const int width = state.size.columns;
  // Whoever wants all columns gets all of the terminal; an empty list explains itself.
  if (width < kTwoPanesFrom || state.wide || state.top().derived.rows.empty()) return width;
  return width - 1 - std::clamp(width * 2 / 5, kNarrowest, kWidest);
}

std::optional<Screen> page_of_row(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const int row = cursor_row(ui.model, screen);
  if (row < 0) return std::nullopt;
  const RowRef& ref = screen.derived.rows[static_cast<std::size_t>(row)];
  if (ref.cluster >= ui.model.clusters.size()) return std::nullopt;
  const TableKind& table = *row_of(screen.kind).table;
  Screen page;
  page.kind = table.opens;
  page.cluster = ui.model.clusters[ref.cluster].name;
  page.subject = table.subject(ui.model, ref);
  page.cursor = table.tile(ui.model, ref);
  if (page.subject.empty()) return std::nullopt;
  return page;
}

void draw_preview(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const int list = list_width(state);
  if (list >= body.width) return;
  std::optional<Screen> page = page_of_row(state, ui);
  if (!page) return;
  const Rect area{body.x + list + 1, body.y, body.width - list - 1, body.height};
  UiState beside = state_of_page(state, std::move(*page), area);
  const Body& drawn = *row_of(beside).body;
  if (drawn.settle) drawn.settle(beside, ui, area);
  drawn.draw(canvas, area, ui, beside);
  canvas.fill(body.x + list, body.y, 1, body.height, state.ascii ? "|" : "│", Role::rule);
}

}  // namespace tessera::tui
