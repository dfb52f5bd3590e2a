// The table by itself: which columns fit, how they share the width, and what scrolling shows.
#include "tui/widgets/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::tui {
namespace {

using query::Align;
using query::Format;
using query::Show;

const std::vector<ColumnInfo> kColumns{
    {"cluster", "CLUSTER", Format::text, Align::left, Show::roomy, 8, ""},
    {"name", "NAME", Format::text, Align::left, Show::always, 8, ""},
    {"held", "HELD", Format::count, Align::right, Show::always, 4, ""},
    {"reason", "REASON", Format::text, Align::left, Show::always, 10, ""},
    {"uuid", "UUID", Format::text, Align::left, Show::wide, 20, ""},
};

std::vector<int> shown(const TableLayout& layout) {
  std::vector<int> columns;
  for (const PlacedColumn& placed : layout.columns) columns.push_back(placed.column);
  return columns;
}

TEST(TableLayout, WidthDecidesWhichColumnsAreShown) {
  EXPECT_EQ(shown(lay_out(kColumns, {}, 40)), (std::vector{1, 2, 3}));
  EXPECT_EQ(shown(lay_out(kColumns, {}, 60)), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(shown(lay_out(kColumns, {}, 100)), (std::vector{0, 1, 2, 3, 4}));
}

TEST(TableLayout, ColumnsStayInsideAndApart) {
  for (int width = 10; width < 220; ++width) {
    TableLook look;
    look.wanted = {30, 90, 3, 200, 40};
    TableLayout layout = lay_out(kColumns, look, width);
    int end = 0;
    for (const PlacedColumn& placed : layout.columns) {
      EXPECT_GT(placed.x, end) << width;
      EXPECT_GT(placed.width, 0) << width;
      end = placed.x + placed.width;
    }
    EXPECT_LT(end, width) << "the last cell is kept for the marker that more follows";
  }
}

TEST(TableLayout, SpareCellsGoWhereTextIsCut) {
  TableLook look;
  look.wanted = {0, 8, 2, 25, 0};
  TableLayout layout = lay_out(kColumns, look, 44);
  ASSERT_EQ(layout.columns.size(), 3u);
  EXPECT_EQ(layout.columns[0].width, 8);
  EXPECT_EQ(layout.columns[2].width, 25);
}

// Fourteen cells stood empty at 80 columns beside a column that was left out.
TEST(TableLayout, AColumnThatFitsBesideAllOthersInFullIsShown) {
  TableLook look;
  look.wanted = {6, 6, 2, 9, 0};
  EXPECT_EQ(shown(lay_out(kColumns, look, 43)), (std::vector{0, 1, 2, 3}));
  look.wanted = {6, 6, 2, 30, 0};
  EXPECT_EQ(shown(lay_out(kColumns, look, 43)), (std::vector{1, 2, 3})) << "its cells are needed";
}

// STATE stood beside FREE and REASON that were cut, and said what HEALTH says.
TEST(TableLayout, TextsThatAreAlwaysShownComeBeforeColumnsOfLessUse) {
  const std::vector<ColumnInfo> columns{
      {"node", "NODE", Format::text, Align::left, Show::always, 8, ""},
      {"state", "STATE", Format::text, Align::left, Show::roomy, 12, ""},
      {"free", "FREE", Format::text, Align::left, Show::always, 12, ""},
      {"reason", "REASON", Format::text, Align::left, Show::always, 12, ""},
  };
  TableLook look;
  look.wanted = {8, 12, 12, 20};
  EXPECT_EQ(shown(lay_out(columns, look, 68)), (std::vector{0, 1, 2, 3}));
  look.wanted = {8, 12, 30, 20};
  EXPECT_EQ(shown(lay_out(columns, look, 68)), (std::vector{0, 2, 3}));
}

TEST(TableLayout, TheLastTextHasSpareCellsBeforeTheTextsLeftOfIt) {
  TableLook look;
  look.wanted = {0, 40, 2, 40, 0};
  TableLayout layout = lay_out(kColumns, look, 40);
  EXPECT_EQ(layout.columns[2].width, 20);
  EXPECT_LT(layout.columns[0].width, 12);
}

// Four pods of one deployment were "notebooks/nb-l…" each, beside a list of nodes with cells to spare.
TEST(TableLayout, NamesAreReadToTheirEndsBeforeOtherTexts) {
  const std::vector<ColumnInfo> columns{
      {"id", "ID", Format::text, Align::left, Show::always, 7, ""},
      {"nodes", "NODES", Format::text, Align::left, Show::always, 8, ""},
      {"reason", "REASON", Format::text, Align::left, Show::always, 10, ""},
  };
  TableLook look;
  look.wanted = {23, 23, 10};
  EXPECT_LT(lay_out(columns, look, 47).columns[0].width, 20) << "each text has its part";
  look.names = {0};
  EXPECT_EQ(lay_out(columns, look, 47).columns[0].width, 23);
}

TEST(TableLayout, TheEndOfTheLastTextComesBeforeColumnsOfLessUse) {
  TableLook look;
  look.wanted = {8, 8, 4, 11, 0};
  EXPECT_EQ(shown(lay_out(kColumns, look, 60)), (std::vector{0, 1, 2, 3}));
  look.wanted = {8, 8, 4, 60, 0};
  EXPECT_EQ(shown(lay_out(kColumns, look, 60)), (std::vector{1, 2, 3}));
}

// At 100 columns neither of them was shown, for want of cells for both.
TEST(TableLayout, OfTwoThatAreShownEarlyTheFirstHasTheRoomThatBothLack) {
  const std::vector<ColumnInfo> columns{
      {"node", "NODE", Format::text, Align::left, Show::always, 50, ""},
      {"work", "WORK", Format::text, Align::left, Show::always, 30, ""},
      {"trend", "10 MIN", Format::text, Align::left, Show::roomy, 12, ""},
      {"idle", "IDLE", Format::text, Align::left, Show::roomy, 12, ""},
  };
  TableLook look;
  look.early = {2, 3};
  EXPECT_EQ(shown(lay_out(columns, look, 100)), (std::vector{0, 1, 2}));
}

// Why a node is closed was cut at 120 columns, while ten cells told how use went. Without the name of its
// cluster a node may be another one: that is no trend.
TEST(TableLayout, TheEndOfTheLastTextComesBeforeWhatIsShownEarlyUnlessThatTellsRowsApart) {
  const std::vector<ColumnInfo> columns{
      {"cluster", "CLUSTER", Format::text, Align::left, Show::roomy, 10, ""},
      {"node", "NODE", Format::text, Align::left, Show::always, 50, ""},
      {"trend", "10 MIN", Format::text, Align::right, Show::roomy, 10, ""},
      {"reason", "REASON", Format::text, Align::left, Show::always, 12, ""},
  };
  TableLook look;
  look.early = {0, 2};
  look.names = {0, 1};
  look.wanted = {10, 50, 10, 20};
  EXPECT_EQ(shown(lay_out(columns, look, 110)), (std::vector{0, 1, 2, 3}));
  look.wanted = {10, 50, 10, 90};
  EXPECT_EQ(shown(lay_out(columns, look, 110)), (std::vector{0, 1, 3}));
}

// A list of nodes shows how use went at 100 columns whatever its texts want, and nothing else for them.
TEST(TableLayout, WhatDoesNotAskForItStandsBesideATextThatIsCut) {
  const std::vector<ColumnInfo> columns{
      {"node", "NODE", Format::text, Align::left, Show::always, 50, ""},
      {"trend", "10 MIN", Format::text, Align::right, Show::roomy, 10, ""},
      {"idle", "IDLE", Format::text, Align::right, Show::roomy, 10, ""},
      {"reason", "REASON", Format::text, Align::left, Show::always, 12, ""},
  };
  TableLook look;
  look.early = {1, 2};
  look.wanted = {50, 10, 10, 90};
  EXPECT_EQ(shown(lay_out(columns, look, 100)), (std::vector{0, 3}));
  look.unasked = {1};
  EXPECT_EQ(shown(lay_out(columns, look, 100)), (std::vector{0, 1, 3}));
  EXPECT_EQ(shown(lay_out(columns, look, 99)), (std::vector{0, 3})) << "narrower it waits like others";
}

// At 80 columns a bar a minute stood where a list could have told who holds.
TEST(TableLayout, TrendsComeBehindOthersOfTheirKindWhereTheyAreNotShownEarly) {
  const std::vector<ColumnInfo> columns{
      {"node", "NODE", Format::text, Align::left, Show::always, 20, ""},
      {"trend", "10 MIN", Format::text, Align::left, Show::roomy, 10, ""},
      {"user", "HELD BY", Format::text, Align::left, Show::roomy, 10, ""},
  };
  TableLook look;
  look.early = {1};
  EXPECT_EQ(shown(lay_out(columns, look, 42)), (std::vector{0, 2}));
  EXPECT_EQ(shown(lay_out(columns, look, 70)), (std::vector{0, 1, 2}));
}

// The state of a node was cut in the middle of its words, while other texts had the cells.
TEST(TableLayout, AColumnThatMustNotLoseItsEndHasSpareCellsBeforeAllTexts) {
  TableLook look;
  look.wanted = {25, 8, 2, 90, 0};
  look.chosen = std::vector{0, 1, 2, 3};  // whatever the last text wants
  const auto width_of = [&](int column, int width) {
    const TableLayout layout = lay_out(kColumns, look, width);
    for (const PlacedColumn& placed : layout.columns)
      if (placed.column == column) return placed.width;
    return 0;
  };
  EXPECT_LT(width_of(0, 60), 25);
  look.whole = {0};
  EXPECT_EQ(width_of(0, 60), 25);
  look.wanted[0] = 500;
  EXPECT_LE(width_of(0, 100), width_of(3, 100) + 1) << "and not all of the table";
}

TEST(TableLayout, OnAWideTableANameIsWholeBeforeAState) {
  TableLook look;
  look.wanted = {32, 19, 2, 90, 0};
  look.whole = {0};
  look.names = {1};
  const auto name_at = [&](int width) {
    for (const PlacedColumn& placed : lay_out(kColumns, look, width).columns)
      if (placed.column == 1) return placed.width;
    return 0;
  };
  look.chosen = std::vector{0, 1, 2, 3, 4};
  EXPECT_EQ(name_at(100), 19);
  EXPECT_LT(name_at(70), 19) << "a narrow one leaves cells to what is read beside it";
}

// Two rows: an open node that has much to offer, a closed one with its reason.
class TwoNodes final : public TableRows {
 public:
  std::span<const ColumnInfo> columns() const override { return kAll; }
  int count() const override { return 2; }
  std::string text(int row, int column) const override {
    static const std::string kTexts[2][3] = {{"n1", "1 whole, 6x1g.6gb, 2x2g.12gb", ""},
                                             {"n2", "1 whole, 6x1g.6gb, 2x2g.12gb", "fell off the bus"}};
    return kTexts[row][column];
  }
  Style style(int, int, const std::string&) const override { return {}; }
  bool marked(int) const override { return false; }

 private:
  static inline const std::vector<ColumnInfo> kAll{
      {"node", "NODE", Format::text, Align::left, Show::always, 5, ""},
      {"free", "FREE", Format::text, Align::left, Show::always, 10, ""},
      {"reason", "REASON", Format::text, Align::left, Show::always, 10, ""}};
};

// FREE was "1 whole, 6…" beside cells in which an open node has no reason to tell.
TEST(TableRows, ATextThatIsCutRunsOnOverCellsThatSayNothing) {
  const TwoNodes rows;
  Canvas canvas(Size{46, 3});
  TableLook look;
  look.wanted = {2, 28, 16};
  draw_table(canvas, {0, 0, 46, 3}, rows, look);
  const std::string text = canvas.text();
  EXPECT_NE(text.find("n1     1 whole, 6x1g.6gb, 2x2g.12gb\n"), std::string::npos) << text;
  EXPECT_NE(text.find("fell off the bus"), std::string::npos) << text;
  EXPECT_NE(text.find("…"), std::string::npos) << "where the next column speaks it is cut as before\n"
                                               << text;
}

class TwoGpus final : public TableRows {
 public:
  std::span<const ColumnInfo> columns() const override { return kAll; }
  int count() const override { return 2; }
  std::string text(int row, int column) const override {
    static const std::string kTexts[2][3] = {{"broken-01", "0", "mig"}, {"broken-02", "1024", "mig"}};
    return kTexts[row][column];
  }
  Style style(int, int, const std::string&) const override { return {}; }
  bool marked(int) const override { return false; }

 private:
  static inline const std::vector<ColumnInfo> kAll{
      {"node", "NODE", Format::text, Align::left, Show::always, 8, ""},
      {"gpu", "GPU", Format::text, Align::right, Show::always, 4, ""},
      {"sharing", "SHARING", Format::text, Align::left, Show::always, 8, ""}};
};

// The list of GPUs had "broken-…" before the blanks that its number of one digit left.
TEST(TableRows, ANameThatIsWholeThenHasTheBlanksBeforeAFigure) {
  const TwoGpus rows;
  Canvas canvas(Size{26, 3});
  draw_table(canvas, {0, 0, 26, 3}, rows, {});
  const std::string text = canvas.text();
  EXPECT_NE(text.find(" broken-01    0  mig\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" broken-…  1024  mig\n"), std::string::npos) << text;
}

TEST(TableLayout, ScrollingKeepsTheNameAndReachesEveryColumn) {
  TableLook look;
  look.left = 2;
  TableLayout layout = lay_out(kColumns, look, 60);
  EXPECT_EQ(shown(layout), (std::vector{1, 3, 4})) << "cluster and held are scrolled away";
  EXPECT_EQ(layout.hidden_left, 2);
  look.left = 99;
  EXPECT_EQ(shown(lay_out(kColumns, look, 60)), (std::vector{1})) << "scrolled past the end: the name stays";
}

TEST(TableLayout, ChosenColumnsAreShownAsChosenAndBadOnesAreLeftOut) {
  TableLook look;
  look.chosen = std::vector{3, 1, 42, -1};
  EXPECT_EQ(shown(lay_out(kColumns, look, 60)), (std::vector{3, 1}));
  look.chosen = std::vector<int>{};
  EXPECT_TRUE(lay_out(kColumns, look, 60).columns.empty());
}

TEST(TableLayout, ASkippedOrDemotedColumnMakesRoomForOthers) {
  TableLook look;
  look.skip = 0;
  EXPECT_EQ(shown(lay_out(kColumns, look, 60)), (std::vector{1, 2, 3}));
  look.demoted = {3};
  EXPECT_EQ(shown(lay_out(kColumns, look, 24)), (std::vector{1, 2}));
}

// From a hundred cells on; what yields goes in its order, and no further than needed.
TEST(TableLayout, EarlyColumnsStandBesideWhatIsAlwaysShownAndOthersYieldToThem) {
  const std::vector<ColumnInfo> columns{{"name", "NAME", Format::text, Align::left, Show::always, 40, ""},
                                        {"a", "A", Format::text, Align::left, Show::always, 20, ""},
                                        {"b", "B", Format::text, Align::left, Show::always, 20, ""},
                                        {"c", "C", Format::text, Align::left, Show::always, 10, ""},
                                        {"early", "EARLY", Format::text, Align::left, Show::roomy, 20, ""}};
  TableLook look;
  look.early = {4};
  look.yielding = {2, 1};
  EXPECT_EQ(shown(lay_out(columns, look, 99)), (std::vector{0, 1, 2, 3})) << "narrower it waits like others";
  EXPECT_EQ(shown(lay_out(columns, look, 100)), (std::vector{0, 1, 3, 4}));
  look.empty = {4};
  EXPECT_EQ(shown(lay_out(columns, look, 100)), (std::vector{0, 1, 2, 3})) << "nothing yields to nothing";
  look.empty = {};
  look.yielding = {};
  EXPECT_EQ(shown(lay_out(columns, look, 100)), (std::vector{0, 1, 2, 3})) << "what has no room is not shown";
}

class Rows final : public TableRows {
 public:
  std::span<const ColumnInfo> columns() const override { return kColumns; }
  int count() const override { return 1000; }
  std::string text(int row, int column) const override {
    asked = std::max(asked, row);
    return column == 2 ? std::to_string(row) : "row" + std::to_string(row);
  }
  Style style(int, int, const std::string&) const override { return Role::text; }
  bool marked(int row) const override { return row == 12; }
  mutable int asked = 0;
};

TEST(Table, AsksOnlyForRowsInViewAndMarksTheCursor) {
  Canvas canvas({40, 5});
  Rows rows;
  TableLook look;
  look.top = 10;
  look.cursor = 11;
  look.sorts = {{2, true}};
  draw_table(canvas, {0, 0, 40, 5}, rows, look);
  EXPECT_EQ(rows.asked, 13);
  EXPECT_EQ(canvas.text(),
            " NAME      HELD▼  REASON\n"
            " row10        10  row10\n"
            "▌row11        11  row11\n"
            "•row12        12  row12\n"
            " row13        13  row13\n");
  EXPECT_TRUE(canvas.at(3, 2).style.bold) << "the selected row is told without colour too";
  EXPECT_TRUE(canvas.at(3, 2).style.reverse);
  EXPECT_FALSE(canvas.at(3, 1).style.reverse);
}

}  // namespace
}  // namespace tessera::tui
