// Filters, sorting, columns, marks, copying and the command line at the bottom.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::test {
namespace {

TEST(Arrange, AFilterShowsItsRowsWhileItIsTypedAndEscBringsBackWhatWas) {
  Session session(small_place());
  session.press("5/user=alice");
  EXPECT_EQ(session.state.top().derived.rows.size(), 3u);
  session.line_with("3 of 13");
  session.press("<esc>");
  EXPECT_EQ(session.state.top().derived.rows.size(), 13u);
  session.press("/user=alice<enter>/<c-u>user=bob<esc>");
  EXPECT_EQ(session.state.top().filter_text, "user=alice");
}

TEST(Arrange, EscInTheFilterBringsBackTheRowToo) {
  Session session(small_place(), {100, 12});
  session.press("5Gkk");
  const std::string row = session.state.top().cursor;
  const int top = session.state.top().top;
  ASSERT_GT(top, 0);
  session.press("/user=bob");
  EXPECT_NE(session.state.top().cursor, row);
  session.press("<esc>");
  EXPECT_EQ(session.state.top().cursor, row);
  EXPECT_EQ(session.state.top().top, top);
}

// It named the keys of the list below: Enter was to open a node, L its layout.
TEST(Arrange, AListOfChoicesHasItsOwnKeysInTheFooter) {
  Session session(small_place());
  session.press("2C");
  const std::string footer = session.line_with("quit");
  EXPECT_NE(footer.find("Space show or hide"), std::string::npos) << footer;
  EXPECT_EQ(footer.find("layout"), std::string::npos) << footer;
  session.press("<esc>");
  EXPECT_NE(session.line_with("quit").find("layout"), std::string::npos);
}

// It showed 19 of 25 columns and said so nowhere, and the help of most was cut.
TEST(Arrange, AListOfColumnsSaysHowManyThereAreAndTheHelpOfTheOneUnderTheCursorInFull) {
  Session session(small_place(), {80, 24});
  session.press("2Cj");
  EXPECT_NE(session.line_with("COLUMNS").find("1-16 of "), std::string::npos) << session.screen();
  const auto columns = tui::column_infos(tui::ScreenKind::nodes);
  for (int i = 1; i < static_cast<int>(columns.size()); ++i, session.press("j")) {
    const std::string help(columns[static_cast<std::size_t>(i)].help);
    const std::string end = help.substr(help.find_last_of(' ') + 1);
    EXPECT_TRUE(session.shows(end)) << help << '\n' << session.screen();
  }
  EXPECT_EQ(session.line_with("COLUMNS").find("1-16 of "), std::string::npos) << session.screen();
}

TEST(Arrange, AFilterThatCannotBeReadSaysWhyAndStaysOpen) {
  Session session(small_place());
  session.press("5/colour=red<enter>");
  EXPECT_EQ(session.state.input.kind, tui::InputKind::filter);
  EXPECT_FALSE(session.state.input.error.empty());
  EXPECT_EQ(session.state.top().filter_text, "") << "what stood before stays until it can be read";
  EXPECT_EQ(session.state.top().derived.rows.size(), 13u) << "half a filter hides no rows";
}

TEST(Arrange, FindAgainWorksWithTheFilterGone) {
  Session session(small_place());
  session.press("5/user=alice<enter>0gn");
  EXPECT_NE(session.line_with("▌").find("88140"), std::string::npos);
  session.press("n");
  EXPECT_NE(session.line_with("▌").find("88142"), std::string::npos);
  session.press("n");
  EXPECT_NE(session.line_with("▌").find("88120"), std::string::npos) << "around the end";
  session.press("N");
  EXPECT_NE(session.line_with("▌").find("88142"), std::string::npos);
}

TEST(Arrange, OnlyMineShowsWhatMyUserHolds) {
  Session session(small_place());
  session.press("4u");
  EXPECT_EQ(session.state.top().derived.rows.size(), 1u);
  session.press("2u");
  EXPECT_EQ(session.state.top().derived.rows.size(), 1u);
  session.state.me.clear();
  session.press("5u");
  session.line_with("your user name is not known");
}

TEST(Arrange, SortingGoesByFiguresFromTheLargestAndTurnsAround) {
  Session session(small_place());
  session.press("2:sort held<enter>I");
  EXPECT_TRUE(session.state.top().sorts.front().descending);
  session.press("g");
  EXPECT_NE(session.line_with("▌").find("n0007"), std::string::npos);
  session.press("I<esc>2");
  ASSERT_EQ(session.state.top().sorts.size(), 1u) << "the choice outlives the screen";
  EXPECT_FALSE(session.state.top().sorts.front().descending) << "and so does turning it around";
}

TEST(Arrange, ColumnsCanBeTakenAwayButNotAllOfThem) {
  Session session(small_place());
  session.press("2:columns node<enter>");
  EXPECT_FALSE(session.shows("HEALTH"));
  session.press("Cj<space>");
  session.line_with("one column has to stay");
  session.press("<esc>:columns default<enter>");
  EXPECT_TRUE(session.shows("HEALTH"));
}

TEST(Arrange, MarkedNamesAreCopiedInTheOrderShown) {
  Session session(small_place());
  session.press("5<space>j<space>y");
  ASSERT_FALSE(session.effects.empty());
  EXPECT_EQ(session.effects.back().copy, "88120\n88122");
  session.line_with("copied 2 names");
  session.press("Uy");
  EXPECT_EQ(session.effects.back().copy, "88123");
}

TEST(Arrange, MarksThatAreFilteredAwayCopyNothingAndSaySo) {
  Session session(small_place());
  session.press("5<space>/user=bob<enter>y");
  EXPECT_TRUE(session.effects.empty()) << "an empty clipboard is of no use";
  session.line_with("the marked rows are not in this table now");
}

TEST(Command, WhatCannotBeTextWorksWhileTyping) {
  Session session(small_place());
  session.press("5/us");
  session.act(tui::Action::suspend).act(tui::Action::redraw);
  ASSERT_EQ(session.effects.size(), 2u);
  EXPECT_TRUE(session.effects[0].suspend);
  EXPECT_TRUE(session.effects[1].repaint);
  EXPECT_EQ(session.state.input.text, "us") << "and the text stays";
  session.act(tui::Action::quit);
  EXPECT_TRUE(session.effects.back().quit);
}

TEST(Command, KnowsTheNamesThatOtherToolsTaught) {
  Session session(small_place());
  session.press(":jobs<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workloads);
  session.press(":po user=bob<enter>");
  EXPECT_EQ(session.state.top().derived.rows.size(), 1u);
  session.press(":q<enter>");
  EXPECT_TRUE(session.effects.back().quit);
}

TEST(Command, TabCompletesNamesOneByOne) {
  Session session(small_place());
  session.press(":node n00<tab>");
  EXPECT_EQ(session.state.input.text, "node n0007");
  session.press("<tab>");
  EXPECT_EQ(session.state.input.text, "node n0012");
  session.press("<btab><btab>");
  EXPECT_EQ(session.state.input.text, "node n0040") << "backwards around the start";
}

TEST(Command, MistakesSayWhatWasMeantToStandThere) {
  Session session(small_place());
  session.press(":nodez<enter>");
  session.line_with("there is no command nodez; Tab offers what there is");
  session.press(":node n9<enter>");
  session.line_with("no node is called n9");
  session.press(":theme pink<enter>");
  session.line_with("no theme is called pink");
  EXPECT_TRUE(session.effects.empty());
}

TEST(Command, HistoryIsWalkedAndTheDraftComesBack) {
  Session session(small_place());
  session.press(":nodes<enter>:gpus<enter>:sl<up><up>");
  EXPECT_EQ(session.state.input.text, "nodes");
  session.press("<down><down>");
  EXPECT_EQ(session.state.input.text, "sl");
}

TEST(Command, APasteIsTextNeverKeysAndCarriesNoControls) {
  Session session(small_place());
  session.paste("q\n");
  EXPECT_TRUE(session.effects.empty()) << "a paste quits nothing";
  session.press("5/").paste("user=alice\x1b[31m\n");
  EXPECT_EQ(session.state.input.text.find('\x1b'), std::string::npos);
  EXPECT_EQ(session.state.input.text.find('\n'), std::string::npos);
}

TEST(Command, EditingKeepsWholeCharacters) {
  Session session(small_place());
  session.press("5/grün<left><bs>");
  EXPECT_EQ(session.state.input.text, "grn");
  session.press("<c-a>ß<c-e>x<c-w>");
  EXPECT_EQ(session.state.input.text, "");
}

using Click = tui::Mouse::Kind;

// With the mouse on, it did nothing in a list of columns. The heading of the list stands in line 2.
TEST(Arrange, TheMouseSortsByAColumnOfTheList) {
  Session session(small_place());
  session.press("2<f6>");
  ASSERT_EQ(session.state.choice.kind, tui::ChoiceKind::sort);
  const std::size_t sorted = session.state.top().sorts.size();
  session.mouse(Click::press, 115, 3 + 4);
  EXPECT_EQ(session.state.choice.cursor, 4);
  EXPECT_EQ(session.state.top().sorts.size(), sorted) << "one click sorts nothing";
  session.mouse(Click::double_press, 115, 3 + 4);
  ASSERT_FALSE(session.state.top().sorts.empty());
  EXPECT_EQ(session.state.top().sorts.front().column, 4);
  EXPECT_EQ(session.state.choice.kind, tui::ChoiceKind::none) << "as with Enter";
}

TEST(Arrange, TheMouseShowsAndHidesColumnsAndClosesTheListBesideIt) {
  Session session(small_place());
  session.press("2C");
  session.mouse(Click::wheel_down, 115, 10);
  EXPECT_EQ(session.state.choice.cursor, 3);
  session.mouse(Click::press, 115, 3 + 2);
  EXPECT_EQ(session.state.choice.cursor, 2);
  EXPECT_FALSE(session.state.top().columns);
  session.mouse(Click::double_press, 115, 3 + 2);
  EXPECT_TRUE(session.state.top().columns);
  EXPECT_EQ(session.state.choice.kind, tui::ChoiceKind::columns) << "the next one can be chosen";
  const std::string row = session.state.top().cursor;
  session.mouse(Click::press, 5, 5);
  EXPECT_EQ(session.state.choice.kind, tui::ChoiceKind::none);
  EXPECT_EQ(session.state.top().cursor, row) << "the click that closes it goes nowhere else";
}

// Of 80x24 the list shows a part, and the cursor was always its last line.
TEST(Arrange, AClickInALongListOfColumnsDoesNotMoveIt) {
  Session session(small_place(), {80, 24});
  session.press("2CG");
  const int last = session.state.choice.cursor;
  for (int i = 0; i < 2; ++i) {
    session.mouse(Click::press, 75, 3);
    EXPECT_EQ(session.state.choice.cursor, last - 15) << "of sixteen lines\n" << session.screen();
  }
}

}  // namespace
}  // namespace tessera::test
