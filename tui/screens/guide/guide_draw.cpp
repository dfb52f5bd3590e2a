// The guide's screen: chart above or beside the page, folded and scrolled where there is no room for both.
#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/empty.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/guide/guide.hpp"

namespace tessera::tui {
namespace {

constexpr int kChartAir = 4;                      // columns around the chart where the page stands beside it
constexpr int kLeastPage = 64;                    // columns that it leaves to the page
constexpr int kQuestionPage = 9, kLeafPage = 16;  // lines that the page keeps before the chart folds

int page_lines(const UiContext& ui, const UiState& state, int width) {
  return static_cast<int>(guide_document(ui, state, width).size());
}

Style style_of(const guide::ChartCell& cell, bool at_leaf) {
  switch (cell.glow) {
    case guide::Glow::current: return Style(at_leaf ? Role::good : Role::accent).with_bold();
    case guide::Glow::lit: return cell.text ? Style(Role::accent) : Style(Role::kept);
    case guide::Glow::dim: break;
  }
  return cell.text ? Role::dim : Role::rule;
}

// The line that is to be in view: the question that waits, or the leaf.
int line_of_interest(const guide::Chart& chart, const guide::Walk& walk) {
  const std::string id = walk.current() ? walk.current()->id : walk.leaf() ? walk.leaf()->id : "";
  const guide::ChartBox* box = chart.box(id);
  return box ? box->y : 0;
}

void draw_chart(Canvas& canvas, const GuideAreas& areas, const guide::Walk& walk, const UiState& state) {
  const Rect& area = areas.chart;
  const guide::Chart chart =
      guide::layout_chart(walk, area.width - 2, areas.style, guide_words(state).chart.get());
  const guide::ChartGrid grid = guide::paint(chart, state.ascii);
  const int height = static_cast<int>(grid.size());
  const int top =
      std::clamp(line_of_interest(chart, walk) - area.height / 2, 0, std::max(0, height - area.height));
  const int left = area.x + 1 + std::max(0, (area.width - 2 - chart.width) / 2);
  const bool at_leaf = walk.leaf() != nullptr;
  for (int y = 0; y < area.height && top + y < height; ++y) {
    const auto& row = grid[static_cast<std::size_t>(top + y)];
    for (std::size_t x = 0; x < row.size(); ++x) {
      if (row[x].glyph.empty() || row[x].glyph == " ") continue;
      canvas.put(left + static_cast<int>(x), area.y + y, row[x].glyph, style_of(row[x], at_leaf),
                 area.right());
    }
  }
  // The chart follows the question that waits: the keys that lead to another one show the rest of it.
  const auto say = [&](int y, const std::string& keys, const std::string& what) {
    const std::string text = told(state, keys.empty() ? what : keys + ": " + what);
    put_right(canvas, area.right() - 1, y, " " + text + " ", Role::dim);
  };
  const std::string answers = guide_asks(state.top()) ? first_key(state, Action::guide_yes) + ", " +
                                                            first_key(state, Action::guide_no)
                                                      : std::string();
  if (top > 0) say(area.y, first_key(state, Action::guide_undo), "more above");
  // In the rule below, where there is one: on the chart it would stand over a question.
  const bool beside = area.bottom() >= areas.page.bottom();
  if (top + area.height < height) say(beside ? area.bottom() - 1 : area.bottom(), answers, "more below");
}

void draw_head(Canvas& canvas, Rect body, const UiState& state) {
  const GuideState& guide = state.top().guide;
  const GuideGroup& group = *guide.group();
  int end = body.right() - 1;
  if (guide.groups.size() > 1)
    end = put_right(canvas, end, body.y, fmt::format("group {} of {}", guide.at + 1, guide.groups.size()),
                    Style(Role::accent).with_bold()) -
          2;
  Pen pen(canvas, body.x + 1, body.y, end, state.ascii);
  pen.put(told(state, group.name), Style(Role::heading).with_bold()).skip(2);
  pen.put(sharing::title(guide.platform), Role::dim);
}

}  // namespace

GuideAreas guide_areas(const UiContext& ui, const UiState& state, Rect body) {
  GuideAreas areas;
  areas.head_y = body.y;
  const Rect rest = body.below(1);
  areas.page = rest;
  const Screen& screen = state.top();
  const GuideGroup* group = screen.guide.group();
  if (!group || screen.guide.panel != GuidePanel::walk || rest.height < 4) return areas;
  if (rest.width >= kGuideBesideFrom) {
    const int room = rest.width - kLeastPage - 1;
    const int chart =
        guide::layout_chart(group->walk, room - 2, areas.style, guide_words(state).chart.get()).width;
    const int width = std::min(room, chart + kChartAir);
    areas.chart = {rest.x, rest.y, width, rest.height};
    areas.page = {rest.x + width + 1, rest.y, rest.width - width - 1, rest.height};
    return areas;
  }
  const bool asks = guide_asks(screen);
  const int least = asks ? std::min(page_lines(ui, state, rest.width), kQuestionPage) : kLeafPage;
  int height = 0;
  for (guide::ChartStyle style : {guide::ChartStyle::framed, guide::ChartStyle::compact}) {
    areas.style = style;
    height = guide::layout_chart(group->walk, rest.width - 2, style, guide_words(state).chart.get()).height;
    if (height + 1 + least <= rest.height) break;
  }
  if (height + 1 + least > rest.height) {
    if (!asks) return areas;  // the page names the way here in its first lines
    const int wish = std::clamp(page_lines(ui, state, rest.width), 4, rest.height * 2 / 3);
    height = std::min(height, rest.height - 1 - wish);
  }
  areas.chart = {rest.x, rest.y, rest.width, height};
  areas.page = rest.below(height + 1);
  return areas;
}

std::string draw_guide(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  const GuideGroup* group = screen.guide.group();
  if (!group) {
    draw_gone(canvas, body, screen.subject, state);
    return {};
  }
  const GuideAreas areas = guide_areas(ui, state, body);
  draw_head(canvas, body, state);
  const bool beside = areas.chart.height > 0 && areas.chart.width < body.width;
  if (areas.chart.height > 0 && !beside) draw_rule(canvas, 0, areas.page.y - 1, body.width, state.ascii);
  if (areas.chart.height > 0) draw_chart(canvas, areas, group->walk, state);
  for (int y = areas.page.y; beside && y < areas.page.bottom(); ++y)
    canvas.put(areas.page.x - 1, y, state.ascii ? "|" : "│", Role::rule);
  const Document page = guide_document(ui, state, areas.page.width);
  const int total = static_cast<int>(page.size());
  const int top = std::clamp(screen.top, 0, std::max(0, total - areas.page.height));
  draw_document(canvas, areas.page, page, top, screen.cursor, state.ascii);
  if (total <= areas.page.height) return {};
  return fmt::format("lines {}-{} of {}", top + 1, std::min(total, top + areas.page.height), total);
}

}  // namespace tessera::tui
