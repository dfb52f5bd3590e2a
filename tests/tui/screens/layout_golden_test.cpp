// The layout editor on GPUs of each kind, at three sizes, as it was looked at and found right.
#include <gtest/gtest.h>

#include "tests/support/golden.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/layout_places.hpp"

namespace tessera::test {
namespace {

struct BoardShot {
  const char* name;
  int board;
  const char* keys;  // in the editor
};

Session editor(int board, tui::Size size) {
  Session session(layout_place(), size);
  session.press(":node lab1<enter>");
  for (int i = 0; i < board; ++i) session.press("j");
  session.press("L");
  return session;
}

class LayoutGolden : public testing::TestWithParam<BoardShot> {};

TEST_P(LayoutGolden, AtThreeSizes) {
  for (tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}}) {
    Session session = editor(GetParam().board, size);
    session.press(GetParam().keys);
    expect_golden(std::string("layout-") + GetParam().name + "-" + std::to_string(size.columns),
                  session.canvas());
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, LayoutGolden,
                         testing::Values(BoardShot{"h100", 0, ""}, BoardShot{"h100-edited", 0, "l+jjllll-"},
                                         BoardShot{"h100-presets", 0, "pjjjj"},
                                         BoardShot{"a100-empty", 1, "jjj+llll+"}, BoardShot{"a30", 2, "lll+"},
                                         BoardShot{"blackwell", 3, "+"}, BoardShot{"mps", 4, "pGk<enter>-"},
                                         BoardShot{"unknown", 5, "p"}),
                         [](const auto& shot) {
                           std::string name = shot.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(LayoutGoldenStates, SeveralBoardsAtOnce) {
  Session session(layout_place(), {120, 40});
  session.press(":node twin1<enter><esc>2/twin1<enter>Lp").press("G").press("<esc>j+");
  expect_golden("layout-several", session.canvas());
}

TEST(LayoutGoldenStates, Ascii) {
  Session session = editor(0, {80, 24});
  session.state.ascii = true;
  session.press("l+jjllll-");
  expect_golden("layout-ascii", session.canvas());
}

TEST(LayoutGoldenStates, TheSmallestTerminal) {
  Session session = editor(0, {60, 15});
  session.press("l+");
  expect_golden("layout-small", session.canvas());
}

}  // namespace
}  // namespace tessera::test
