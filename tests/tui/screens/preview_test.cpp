// A list and the page of its row, side by side on a wide terminal.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

TEST(TwoPanes, AWideTerminalShowsThePageOfTheRowUnderTheCursor) {
  Session session(two_places(), {200, 60});
  session.press(":nodes<enter>");
  EXPECT_TRUE(session.shows("n0007")) << session.screen();
  const std::string first = session.screen();
  session.press("j");
  EXPECT_NE(session.screen(), first);
  session.press("g/n0007<enter>");
  EXPECT_TRUE(session.shows("llama-sft")) << "the tiles of the node\n" << session.screen();
  EXPECT_TRUE(session.shows("│")) << session.screen();
}

TEST(TwoPanes, AWorkloadOrASliceHasItsPageBesideItToo) {
  Session session(two_places(), {160, 40});
  session.press("5/88140<enter>");
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
  session.press("4/user=alice<enter>");
  EXPECT_TRUE(session.shows("GPU 0   MIG")) << session.screen();
}

TEST(TwoPanes, ANarrowerTerminalHasTheListAlone) {
  Session session(two_places(), {159, 40});
  session.press("5/88140<enter>");
  EXPECT_FALSE(session.shows("WHY IT WAITS")) << session.screen();
}

TEST(TwoPanes, AllColumnsTakeAllOfTheTerminal) {
  Session session(two_places(), {200, 60});
  session.press("3");
  EXPECT_FALSE(session.shows("POWER")) << session.screen();
  session.press("<c-w>");
  EXPECT_TRUE(session.shows("POWER")) << session.screen();
  session.press("<c-w>");
  EXPECT_FALSE(session.shows("POWER")) << session.screen();
}

TEST(TwoPanes, AListWithoutRowsExplainsItselfOverTheWholeWidth) {
  Session session(two_places(), {200, 60});
  session.press("5/user=nobody-here<enter>");
  EXPECT_FALSE(session.shows("│")) << session.screen();
}

TEST(TwoPanes, AClickOnThePageLeavesTheCursorInTheList) {
  Session session(two_places(), {200, 60});
  session.press("2");
  const std::string before = session.state.top().cursor;
  session.mouse(tui::Mouse::Kind::press, 150, 6);
  EXPECT_EQ(session.state.top().cursor, before);
}

}  // namespace
}  // namespace tessera::test
