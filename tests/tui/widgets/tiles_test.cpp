// The placement map by itself: shapes, walls and words.
#include "tui/widgets/tiles.hpp"

#include <gtest/gtest.h>

#include "tui/widgets/document.hpp"

namespace tessera::tui {
namespace {

Tile tile(TileKind kind, double from, double to, std::string label, std::vector<std::string> lines = {}) {
  Tile made;
  made.kind = kind;
  made.from = from;
  made.to = to;
  made.label = std::move(label);
  made.lines = std::move(lines);
  made.id = made.label + std::to_string(from);
  return made;
}

TileRow board() {
  TileRow row;
  row.tiles = {tile(TileKind::held, 0, 1, "1g.10gb", {"alice"}), tile(TileKind::room, 1, 2, "uncut"),
               tile(TileKind::free, 2, 4, "2g.20gb", {"free"}), tile(TileKind::stranded, 4, 5, "stranded"),
               tile(TileKind::unknown, 5, 8, "not told")};
  return row;
}

std::string drawn(const TileRow& row, int width) {
  Canvas canvas({width, 1 + row.text_lines});
  draw_tiles(canvas, 0, 0, width, row);
  std::string text = canvas.text();
  text.pop_back();  // the last line's end
  return text;
}

TEST(Tiles, EveryStateHasAShapeOfItsOwn) {
  EXPECT_EQ(drawn(board(), tile_row_width(8, 80)),
            "│██ 1g ██│_uncut__│···· 2g.20gb ····│╳╳╳╳╳╳╳╳│???????? not told ????????│\n"
            "│alice   │        │free             │        │                          │");
}

TEST(Tiles, AsciiHasTheSameShapes) {
  TileRow row = board();
  row.ascii = true;
  row.text_lines = 0;
  EXPECT_EQ(drawn(row, tile_row_width(8, 80)),
            "|#alice##|_uncut__|. 2g.20gb free ..|xxxxxxxx|???????? not told ????????|");
}

TEST(Tiles, UnitsAreEquallyWideAtEveryWidth) {
  for (int width = 9; width < 230; ++width) {
    int used = tile_row_width(8, width);
    EXPECT_LE(used, width);
    EXPECT_EQ((used - 1) % 8, 0) << width;
  }
  EXPECT_EQ(tile_row_width(100, 80), 80) << "more units than cells: the whole width";
}

TEST(Tiles, OnlyTheSelectedTileIsReversed) {
  TileRow row = board();
  row.selected = row.tiles[2].id;
  Canvas canvas({73, 2});
  draw_tiles(canvas, 0, 0, 73, row);
  EXPECT_FALSE(canvas.at(20, 0).style.reverse) << "the shape stays as it is";
  EXPECT_TRUE(canvas.at(27, 0).style.reverse) << "its words are marked";
  EXPECT_TRUE(canvas.at(20, 1).style.reverse);
  EXPECT_FALSE(canvas.at(18, 0).style.reverse) << "the wall belongs to no tile";
  EXPECT_FALSE(canvas.at(12, 0).style.reverse);
}

TEST(Tiles, UseIsWorthMoreThanANameCutShortAndTheHolderMoreThanUse) {
  TileRow row;
  row.units = 1;
  row.tiles = {tile(TileKind::held, 0, 1, "1g", {"somebody", "long-job-name"})};
  row.tiles[0].use = "88%";
  EXPECT_EQ(drawn(row, 10), "│██ 1g ██│\n│somebody│");
  row.text_lines = 2;
  EXPECT_EQ(drawn(row, 10), "│██ 1g ██│\n│somebody│\n│     88%│");
}

// At 120 columns dave's slice said "76%" and not of which job.
TEST(Tiles, ANameOfWhichEnoughIsLeftIsShortenedBesideTheUse) {
  TileRow row;
  row.units = 1;
  row.text_lines = 2;
  row.tiles = {tile(TileKind::held, 0, 1, "1g", {"dave", "eval-suite"})};
  row.tiles[0].use = "76%";
  EXPECT_EQ(drawn(row, 15), "│████ 1g █████│\n│dave         │\n│eval-sui… 76%│");
}

TEST(Tiles, TinyTilesAndHugeCountsStayInTheirPlace) {
  TileRow row;
  row.units = 100;
  for (int i = 0; i < 100; ++i) row.tiles.push_back(tile(TileKind::held, i, i + 1, "1", {"u"}));
  std::string text = drawn(row, 40);
  EXPECT_LE(display_width(text.substr(0, text.find('\n'))), 40);
}

TEST(Meter, ALittleIsNeverNothingAndAllIsAll) {
  EXPECT_EQ(meter(0, 4, false), "    ");
  EXPECT_EQ(meter(1, 4, false), "▁   ");
  EXPECT_EQ(meter(50, 4, true), "==  ");
  EXPECT_EQ(meter(100, 4, false), "▇▇▇▇");
  EXPECT_EQ(meter(1000, 4, true), "====");
  EXPECT_EQ(meter(50, 0, true), "");
}

TEST(Wrap, BreaksAtBlanksAndLongWordsHard) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("日本語", 4), (std::vector<std::string>{"日本", "語"}));
  EXPECT_EQ(wrap("", 4), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap("日本", 1).size(), 2u) << "a character wider than the line still gets through";
}

TEST(Document, TheCursorsLineIsMarkedAndScrollingStopsAtTheEnd) {
  Document document{
      heading_line("HEAD", "aside"), fact_line("user", "alice"), {{{"stop", Role::text, 3}}, "id"}};
  Canvas canvas({30, 2});
  draw_document(canvas, {0, 0, 30, 2}, document, 99, "id", false);
  EXPECT_EQ(canvas.text(), "   user            alice\n▌  stop\n");
}

}  // namespace
}  // namespace tessera::tui
