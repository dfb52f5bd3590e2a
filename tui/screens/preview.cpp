#include "tui/screens/preview.hpp"

#include <algorithm>
#include <iterator>

#include "tui/screens/beside.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {
namespace {

constexpr int kTwoPanesFrom = 160;
constexpr int kNarrowest = 72,
              kWidest = 100;  // of a page in one column: a GPU's slices need that much, and gain little above

// Of hundreds of runs a run's page has its own, those of a node and of a GPU, whose subject begins with the
// node's name, those of that node.
bool is_about_page(const RunHead& head, const Screen& page) {
  if (page.kind == ScreenKind::run) return head.run == page.subject;
  return std::any_of(head.nodes.begin(), head.nodes.end(),
                     [&](const NodeName& node) { return page.subject.starts_with(node.text); });
}

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
  beside.keys = state.keys;
  beside.rules = state.rules;
  if (const auto can = state.abilities.find(beside.top().cluster); can != state.abilities.end())
    beside.abilities.insert(*can);
  beside.gpu_notes = state.gpu_notes;
  beside.top().why = state.why_beside;  // which says itself what it is of
  std::copy_if(state.runs.heads.begin(), state.runs.heads.end(), std::back_inserter(beside.runs.heads),
               [&](const RunHead& head) { return is_about_page(head, beside.top()); });
  // Of runs whose journal was read the one that is shown.
  if (const auto read = state.runs.opened.find(beside.top().subject); read != state.runs.opened.end())
    beside.runs.opened.insert(*read);
  return beside;
}

std::optional<Screen> page_beside(const UiState& state, const UiContext& ui) {
  const ScreenRow& row = row_of(state);
  if (row.table) return page_of_row(state, ui);
  return row.page_beside ? row.page_beside(state, ui) : std::nullopt;
}

Document lines_beside(const UiContext& ui, const UiState& state, int width) {
  const ScreenRow& row = row_of(state);
  return row.lines_beside ? row.lines_beside(ui, state, width) : Document();
}

void draw_page(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state, Screen page) {
  UiState beside = state_of_page(state, std::move(page), area);
  const Body& drawn = *row_of(beside).body;
  if (&drawn == &kPanesBody && area.width < kTwoPanesFrom)
    return draw_settled_panes(canvas, area, ui, beside);
  if (drawn.settle) drawn.settle(beside, ui, area);
  drawn.draw(canvas, area, ui, beside);
}

// That page, or else the lines; false: there is nothing to show.
bool draw_beside(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  if (std::optional<Screen> page = page_beside(state, ui)) {
    draw_page(canvas, area, ui, state, std::move(*page));
    return true;
  }
  const Document lines = lines_beside(ui, state, area.width);
  if (lines.empty()) return false;
  draw_document(canvas, area, lines, 0, {}, state.ascii);
  return true;
}

std::optional<Screen> named(ScreenKind kind, const ClusterName& cluster, const std::string& subject) {
  if (subject.empty()) return std::nullopt;
  Screen page;
  page.kind = kind;
  page.cluster = cluster;
  page.subject = subject;
  return page;
}

// GPUs and slices are on a node, jobs and pods are their own.
std::optional<Screen> subject_of_row(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const int at = cursor_row(ui.model, screen);
  if (at < 0) return std::nullopt;
  const RowRef& ref = screen.derived.rows[static_cast<std::size_t>(at)];
  if (screen.kind == ScreenKind::workloads) return page_of_row(state, ui);
  const auto node = node_at(ui.model, ref);
  return node ? named(ScreenKind::node, node->cluster->name, node->node->name.text) : std::nullopt;
}

}  // namespace

int list_width(const UiState& state) {
  const int width = state.size.columns;
  // Whoever wants all columns gets all of the terminal; an empty list explains itself.
  if (width < kTwoPanesFrom || state.wide || state.top().derived.rows.empty()) return width;
  return list_beside_page(width);
}

int list_beside_page(int columns) {
  if (columns < kTwoPanesFrom) return columns;
  // Where half of the terminal has room for a page's two columns, the page has both beside the list, too.
  const int half = columns / 2;
  return columns - 1 - (half >= kTwoColumnsFrom ? half : std::clamp(columns * 2 / 5, kNarrowest, kWidest));
}

int list_width(const UiState& state, const UiContext& ui) {
  const int width = state.size.columns;
  if (row_of(state).table) return list_width(state);
  if (width < kTwoPanesFrom) return width;
  const auto has_lines = row_of(state).has_lines_beside;
  const bool beside = page_beside(state, ui) || (has_lines && has_lines(state, ui));
  return beside ? list_beside_page(width) : width;
}

std::optional<Screen> subject_here(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  switch (screen.kind) {
    case ScreenKind::node:
    case ScreenKind::workload: return named(screen.kind, screen.cluster, screen.subject);
    case ScreenKind::gpu: {
      const GpuPlace at = gpu_on(screen, ui.model);
      return at.node ? named(ScreenKind::node, screen.cluster, at.node->name.text) : std::nullopt;
    }
    default: break;
  }
  if (row_of(state).table) return subject_of_row(state, ui);
  std::optional<Screen> page = page_beside(state, ui);
  if (page && page->kind != ScreenKind::node && page->kind != ScreenKind::workload) return std::nullopt;
  return page;
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

std::optional<Screen> page_shown_beside(const UiState& state, const UiContext& ui) {
  const bool below = state.top().kind == ScreenKind::overview && state.size.columns >= kTwoPanesFrom;
  if (!below && list_width(state, ui) >= state.size.columns) return std::nullopt;
  return page_beside(state, ui);
}

int draw_preview(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const int list = row_of(state).table ? list_width(state) : list_beside_page(state.size.columns);
  if (list >= body.width) return body.width;
  const Rect area{body.x + list + 1, body.y, body.width - list - 1, body.height};
  if (!draw_beside(canvas, area, ui, state) && !row_of(state).table) return body.width;
  canvas.fill(body.x + list, body.y, 1, body.height, state.ascii ? "|" : "│", Role::rule);
  return list;
}

void name_preview(Canvas& canvas, int y, const UiContext& ui, const UiState& state) {
  if (state.top().kind == ScreenKind::overview) return;  // its page stands below (draw_page_below)
  const int columns = state.size.columns, list = list_width(state, ui);
  if (list >= columns) return;
  const std::optional<Screen> page = page_beside(state, ui);
  if (!page) return;
  Pen pen(canvas, list + 1, y, columns - 1, state.ascii);
  pen.put(" " + page->subject + " ", Style(Role::title).with_bold());
}

void draw_page_below(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  constexpr int kFewestBelow = 8;  // lines
  if (area.width < kTwoPanesFrom || area.height < kFewestBelow) return;
  if (!draw_beside(canvas, area.below(1), ui, state)) return;
  canvas.fill(area.x, area.y, area.width, 1, state.ascii ? "-" : "─", Role::rule);
  // What is no page of a cluster does not say its own name.
  const std::optional<Screen> page = page_beside(state, ui);
  if (page && page->kind != ScreenKind::facts)
    canvas.put(area.x + 1, area.y, " " + page->subject + " ", Style(Role::text).with_bold());
}

}  // namespace tessera::tui
