#include "engine/guide/chart/chart.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

using test::walk;

std::string text(const Chart& chart, bool ascii = false) {
  std::string all;
  for (const auto& row : paint(chart, ascii)) {
    std::string line;
    for (const ChartCell& cell : row) line += cell.glyph;
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  }
  return all;
}

using Cell = std::pair<int, int>;

std::set<Cell> cells_of(const ChartBox& box) {
  std::set<Cell> cells;
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x) cells.insert({x, y});
  }
  return cells;
}

// Cells that a line passes, with whether it runs level (1), upright (2) or turns (3) there.
std::map<Cell, int> cells_of(const ChartLine& line) {
  std::map<Cell, int> cells;
  for (std::size_t i = 0; i + 1 < line.points.size(); ++i) {
    ChartPoint at = line.points[i];
    const ChartPoint to = line.points[i + 1];
    const int way = at.y == to.y ? 1 : 2;
    EXPECT_TRUE(at.x == to.x || at.y == to.y) << "neither level nor upright";
    cells[{at.x, at.y}] |= way;
    while (!(at == to)) {
      at.x += (to.x > at.x) - (to.x < at.x);
      at.y += (to.y > at.y) - (to.y < at.y);
      cells[{at.x, at.y}] |= way;
    }
  }
  if (line.points.size() == 1) cells[{line.points[0].x, line.points[0].y}] |= 2;
  return cells;
}

// Nothing lies on anything else, except that lines cross at right angles, and may join before one target (in
// a list: behind one source).
std::string problem(const Chart& chart, int width) {
  if (chart.style != ChartStyle::list && chart.width > width) return "wider than the screen";
  std::map<Cell, std::string> taken;
  for (const ChartBox& box : chart.boxes) {
    for (const Cell& cell : cells_of(box)) {
      if (cell.first < 0 || cell.second < 0 || cell.first >= chart.width || cell.second >= chart.height) {
        return "box outside the chart: " + box.text;
      }
      if (!taken.emplace(cell, box.text).second) return "boxes overlap: " + box.text + " and " + taken[cell];
    }
    const int room = box.width - (chart.style == ChartStyle::framed    ? 4
                                  : chart.style == ChartStyle::compact ? 2
                                                                       : 0);
    if (text_width(box.text) + text_width(box.mark) > room) return "text wider than its box: " + box.text;
  }
  std::map<Cell, std::pair<int, const ChartLine*>> ways;
  for (const ChartLine& line : chart.lines) {
    for (const auto& [cell, way] : cells_of(line)) {
      if (taken.count(cell) > 0) return "a line runs through " + taken[cell];
      if (cell.first < 0 || cell.second < 0 || cell.first >= chart.width || cell.second >= chart.height) {
        return "a line leaves the chart";
      }
      const auto [found, fresh] = ways.emplace(cell, std::pair(way, &line));
      if (fresh) continue;
      const auto& [other_way, other] = found->second;
      const bool joins =
          other->to == line.to || (chart.style == ChartStyle::list && other->from == line.from);
      if (!joins && other_way + way != 3)
        return "lines " + other->from + " and " + line.from + " lie on one another";
    }
  }
  return "";
}

TEST(Chart, IsSeenWholeOnAWideTerminal) {
  const Chart chart = layout_chart(walk(), 110);
  EXPECT_EQ(chart.style, ChartStyle::framed);
  EXPECT_LE(chart.height, 25);
  const std::string drawn = text(chart);
  EXPECT_NE(drawn.find("( GPU sharing is needed )\n"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("═▼═"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("║ Q1 MIG-capable product?   ? ║"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("│ Time-slicing │"), std::string::npos) << drawn;
}

TEST(Chart, FoldsToOneLineBoxesAtEightyColumns) {
  const Chart chart = layout_chart(walk(), 80);
  EXPECT_EQ(chart.style, ChartStyle::compact);
  EXPECT_LT(text(chart).find("( GPU sharing is needed )"), text(chart).find(">Q1"));
  EXPECT_LE(chart.height, 17) << "leaves room for the question at 80x24";
}

TEST(Chart, IsAListWhereThereIsNoRoom) {
  const Chart chart = layout_chart(walk(), 40);
  EXPECT_EQ(chart.style, ChartStyle::list);
  EXPECT_EQ(text(chart),
            "GPU sharing is needed\n"
            "Q1 MIG-capable product?   ?\n"
            " ├─yes  Q2 Isolation required?\n"
            " │  ├─yes  MIG\n"
            " │  ╰─no   Q5 Cooperative?\n"
            " │     ├─yes  MPS\n"
            " │     ╰─no   Time-slicing\n"
            " ╰─no   Q3 Virtualised?\n"
            "    ├─yes  Q4 Licence possible?\n"
            "    │  ├─yes  vGPU\n"
            "    │  ╰─no   go to Q5\n"
            "    ╰─no   go to Q5\n");
}

TEST(Chart, LightsTheWalkedPath) {
  Walk one = walk();
  one.answer(true);
  const Chart chart = layout_chart(one, 120);
  EXPECT_EQ(chart.box("mig-capable")->glow, Glow::lit);
  EXPECT_EQ(chart.box("mig-capable")->mark, "yes");
  EXPECT_EQ(chart.box("isolation")->glow, Glow::current);
  EXPECT_EQ(chart.box("virtualised")->glow, Glow::dim);
  int lit = 0;
  for (const ChartLine& line : chart.lines) lit += line.glow == Glow::lit ? 1 : 0;
  EXPECT_EQ(lit, 1);
  one.answer(true);
  EXPECT_EQ(layout_chart(one, 120).box("mig")->glow, Glow::current);
}

TEST(Chart, DoesNotMoveWhileItIsWalked) {
  Walk one = walk();
  const Chart before = layout_chart(one, 120);
  one.answer(false);
  const Chart after = layout_chart(one, 120);
  for (std::size_t i = 0; i < before.boxes.size(); ++i) {
    EXPECT_EQ(before.boxes[i].x, after.boxes[i].x);
    EXPECT_EQ(before.boxes[i].y, after.boxes[i].y);
  }
}

TEST(Chart, HasNoOverlapsAtAnyWidth) {
  for (int width = 1; width <= 220; ++width) {
    for (ChartStyle style :
         {ChartStyle::automatic, ChartStyle::framed, ChartStyle::compact, ChartStyle::list}) {
      const Chart chart = layout_chart(walk(), width, style);
      ASSERT_EQ(problem(chart, width), "") << width << "\n" << text(chart);
      EXPECT_EQ(chart.boxes.size() >= 9, true);
    }
  }
}

TEST(Chart, AsciiIsAscii) {
  for (int width : {120, 80, 40}) {
    for (char c : text(layout_chart(walk(), width), true)) EXPECT_GT(c, 0) << width;
  }
}

// Any tree of questions whose edges lead on: question i leads to later ones or to a leaf.
Flowchart any_tree(int count, const std::vector<int>& choices) {
  std::string questions, leaves;
  std::set<int> used{0};
  const auto target = [&](int i, std::size_t k, int avoid) {
    int to = i + 1 + choices[k % choices.size()] % (count + 3 - i);
    if (to >= count + 4) to = count + 3;
    if (to == avoid) to = to == count + 3 ? to - 1 : to + 1;
    return to;
  };
  const auto name = [&](int i) { return (i < count ? "q" : "leaf") + std::to_string(i); };
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < count; ++i) {
    // The first edge of each leads to the next question, so that all are reached.
    const int yes = i + 1 < count ? i + 1 : count;
    edges.emplace_back(yes, target(i, static_cast<std::size_t>(i), yes));
    if (choices[static_cast<std::size_t>(i) % choices.size()] % 2 == 1)
      std::swap(edges.back().first, edges.back().second);
    used.insert({edges.back().first, edges.back().second});
  }
  for (int i = 0; i < count; ++i) {
    questions += "  - {id: " + name(i) + ", label: L" + std::to_string(i) +
                 ", short: question, ask: a, why: w, yes: " + name(edges[static_cast<std::size_t>(i)].first) +
                 ", no: " + name(edges[static_cast<std::size_t>(i)].second) + "}\n";
  }
  for (int i = count; i < count + 5; ++i) {
    if (used.count(i) == 0) continue;
    leaves +=
        "  - {id: " + name(i) +
        ", strategy: mps, title: t, summary: s, meaning: m, fits: f, memory: m, errors: e, latency: l}\n";
  }
  auto read =
      Flowchart::parse("title: t\nstart: q0\nquestions:\n" + questions + "leaves:\n" + leaves, "any.yaml");
  if (!read.ok()) throw std::runtime_error(to_line(read.error()));
  return *read;
}

RC_GTEST_PROP(Chart, AnyTreeIsDrawnWithoutOverlaps, ()) {
  const int count = *rc::gen::inRange(1, 12);
  const auto choices = *rc::gen::container<std::vector<int>>(12, rc::gen::inRange(0, 100));
  const int width = *rc::gen::inRange(20, 240);
  const Walk one(std::make_shared<const Flowchart>(any_tree(count, choices)), {});
  for (ChartStyle style : {ChartStyle::framed, ChartStyle::compact, ChartStyle::list}) {
    const Chart chart = layout_chart(one, width, style);
    const std::string found = problem(chart, width);
    if (!found.empty()) RC_LOG() << text(chart);
    RC_ASSERT(found == "");
    paint(chart, true);
  }
}

TEST(Chart, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(text_width("abc"), 3);
  EXPECT_EQ(text_width("共有"), 4);
  EXPECT_EQ(text_width("e\xCC\x81"), 1);
}

}  // namespace
}  // namespace tessera::guide
