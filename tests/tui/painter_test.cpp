#include "tui/terminal/painter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <clocale>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <utility>

namespace tessera::tui {
namespace {

// The C library's idea of wide characters decides what curses may draw.
class PainterTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::setlocale(LC_CTYPE, nullptr);
    ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
  }
  void TearDown() override { std::setlocale(LC_CTYPE, before_.c_str()); }

  std::unique_ptr<Painter> open(PainterOptions options, std::string_view theme = "dark") {
    options.size = {20, 4};
    auto painter = Painter::open(options, *load_theme(theme, {}));
    EXPECT_TRUE(painter) << to_line(painter.error());
    return std::move(*painter);
  }
  static Canvas page(std::string_view text) {
    Canvas canvas({20, 4});
    canvas.put(0, 0, text);
    return canvas;
  }

 private:
  std::string before_;
};

TEST_F(PainterTest, NothingChangedMeansNotOneByte) {
  auto painter = open({"xterm-256color"});
  painter->start();
  EXPECT_GT(painter->paint(page("n0007")).size(), 0u);
  EXPECT_EQ(painter->paint(page("n0007")), "");
  EXPECT_EQ(painter->paint(page("n0007")), "");
}

TEST_F(PainterTest, OneCellCostsAFewBytes) {
  auto painter = open({"xterm-256color"});
  painter->start();
  painter->paint(page("age 10 s"));
  const std::string bytes = painter->paint(page("age 11 s"));
  EXPECT_NE(bytes.find('1'), std::string::npos);
  EXPECT_LT(bytes.size(), 24u) << bytes;
}

// The promise of docs/performance.md, wherever the cells are and whatever they look like: where the cursor
// goes, colours and attributes, and the character.
TEST_F(PainterTest, ARefreshCostsAtMostSoManyBytesForEachCellThatChanged) {
  constexpr std::size_t kForEachCell = 48, kBeside = 64;
  constexpr Size kWide{200, 60};
  auto painter = open({"xterm-256color"});
  painter->resize(kWide);
  Canvas canvas(kWide);
  for (int y = 0; y < kWide.rows; ++y) canvas.put(0, y, std::string(200, 'x'), Role::text);
  painter->paint(canvas);
  std::mt19937 random(7);
  constexpr std::array kGlyphs{"7", "█", "a", "─", "·"};
  for (const std::size_t cells : {1u, 2u, 10u, 120u, 1200u})
    for (int round = 0; round < 20; ++round) {
      std::set<std::pair<int, int>> changed;
      while (changed.size() < cells) {
        const int x = static_cast<int>(random() % 200), y = static_cast<int>(random() % 60);
        const auto role = static_cast<Role>(random() % static_cast<unsigned>(Role::count_));
        const Style style = random() % 2 ? Style(role).with_bold() : Style(role);
        const Cell before = canvas.at(x, y);
        canvas.put(x, y, kGlyphs[random() % kGlyphs.size()], style);
        if (!(canvas.at(x, y) == before)) changed.insert({x, y});
      }
      EXPECT_LE(painter->paint(canvas).size(), cells * kForEachCell + kBeside) << cells;
    }
}

TEST_F(PainterTest, ForgettingPaintsEverythingAgain) {
  auto painter = open({"xterm-256color"});
  painter->start();
  painter->paint(page("n0007"));
  painter->forget();
  EXPECT_NE(painter->paint(page("n0007")).find("n0007"), std::string::npos);
}

TEST_F(PainterTest, ColoursFollowTheTerminal) {
  Canvas canvas({20, 4});
  canvas.put(0, 0, "held", Role::held);
  auto rich = open({"xterm-256color"});
  EXPECT_NE(rich->paint(canvas).find("38;5;75"), std::string::npos);
  EXPECT_EQ(rich->depth(), Depth::indexed);
  rich.reset();
  auto eight = open({"xterm"});
  EXPECT_EQ(eight->depth(), Depth::eight);
  EXPECT_NE(eight->paint(canvas).find("\x1b[36m"), std::string::npos);
  eight.reset();
  auto console = open({"linux"});  // whose entry tells no size
  EXPECT_EQ(console->type(), "linux");
  EXPECT_EQ(console->depth(), Depth::eight);
  console.reset();
  auto none = open({"vt100"});
  EXPECT_EQ(none->depth(), Depth::none);
}

TEST_F(PainterTest, WithoutColourOnlyAttributesAreSent) {
  PainterOptions options{"xterm-256color"};
  options.colour = false;
  auto painter = open(options);
  Canvas canvas({20, 4});
  canvas.put(0, 0, "warn", Role::warning);
  canvas.put(0, 1, "held", Role::held);
  canvas.put(0, 2, "row");
  canvas.mark_selected(0, 2, 20);
  const std::string bytes = painter->paint(canvas);
  EXPECT_EQ(painter->depth(), Depth::none);
  EXPECT_FALSE(std::regex_search(bytes, std::regex("\x1b\\[[0-9;]*[34][0-9][;0-9]*m"))) << bytes;
  EXPECT_TRUE(std::regex_search(bytes, std::regex("\x1b\\[[0-9;]*7m")))
      << "the selected row is reversed: " << bytes;
}

TEST_F(PainterTest, AsciiWhereTheLocaleIsNotUtf8) {
  std::setlocale(LC_CTYPE, "C");
  auto painter = open({"xterm-256color"});
  EXPECT_TRUE(painter->ascii());
  const std::string bytes = painter->paint(page("█·╳ 日本 …"));
  EXPECT_NE(bytes.find("#.x ???? ~"), std::string::npos) << bytes;
}

TEST_F(PainterTest, WideAndCombiningCharactersArriveWhole) {
  auto painter = open({"xterm-256color"});
  const std::string bytes = painter->paint(page("日本 e\u0301 │█"));
  EXPECT_NE(bytes.find("日本 e\u0301 │█"), std::string::npos) << bytes;
}

TEST_F(PainterTest, AnUnknownTerminalIsTakenForTheLikeliestOne) {
  EXPECT_EQ(open({"xterm-kitty-of-tomorrow"})->type(), "xterm-256color");
  EXPECT_EQ(open({"no-such-terminal"})->type(), "vt100");
  EXPECT_EQ(open({"no-such-terminal", true})->type(), "xterm-256color");
  EXPECT_EQ(open({"screen.no-such"})->type(), "screen");
}

TEST_F(PainterTest, ATerminalWhoseNameSaysFewerColoursGetsNoMore) {
  for (const char* type : {"xterm-16color", "xterm-88color", "rxvt-16color", "tmux-16color-of-nowhere"})
    for (const bool claims : {false, true}) EXPECT_NE(open({type, claims})->depth(), Depth::indexed) << type;
  EXPECT_EQ(open({"xterm-8color-of-nowhere"})->type(), "xterm");
  EXPECT_EQ(open({"xterm-256color-of-nowhere"})->depth(), Depth::indexed);
}

TEST_F(PainterTest, TheLinuxConsoleGetsWhatItsFontHas) {
  for (const char* type : {"linux", "linux-no-such-entry"}) {
    auto painter = open({type});
    EXPECT_TRUE(painter->ascii()) << type;
    EXPECT_NE(painter->paint(page("█╳›")).find("#x>"), std::string::npos) << type;
  }
}

// Many themes after one another want more pairs of colours than such a terminal has.
TEST_F(PainterTest, ColoursStayRightWhereTheTerminalHasFewPairs) {
  constexpr std::array kColours{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
  std::vector<Theme> themes;
  for (const char* page : kColours) {
    std::string yaml =
        fmt::format("name: on-{0}\nbackground: \"#000000\"\npage: {{on: {0}}}\nroles:\n", page);
    for (std::size_t i = 0; i < static_cast<std::size_t>(Role::count_); ++i)
      yaml +=
          fmt::format("  {}: {{colour: {}}}\n", word(static_cast<Role>(i)), kColours[i % kColours.size()]);
    auto theme = Theme::parse(yaml, "test");
    ASSERT_TRUE(theme) << to_line(theme.error());
    themes.push_back(std::move(*theme));
  }
  Canvas canvas({20, 4});
  for (int i = 0; i < 8; ++i) canvas.put(i, 0, "x", static_cast<Role>(i));
  auto used = open({"xterm"});
  auto painted = [&](Painter& painter, const Theme& theme) {
    painter.set_theme(theme);
    return painter.paint(canvas);
  };
  used->start();
  painted(*used, themes.back());
  std::vector<std::string> first;
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < themes.size(); ++i) {
      std::string bytes = painted(*used, themes[i]);
      if (round == 0)
        first.push_back(std::move(bytes));
      else
        EXPECT_EQ(bytes, first[i]) << themes[i].name();
    }
}

TEST_F(PainterTest, ATerminalThatCannotPlaceTextIsRefused) {
  const auto painter = Painter::open({"dumb"}, *load_theme("dark", {}));
  ASSERT_FALSE(painter);
  EXPECT_NE(painter.error().reason.find("TERM=dumb"), std::string::npos);
  EXPECT_FALSE(painter.error().hint.empty());
}

TEST_F(PainterTest, LeavingRestoresAndComingBackPaintsAll) {
  auto painter = open({"xterm-256color"});
  painter->start();
  painter->paint(page("n0007"));
  const std::string bytes = painter->leave();
  EXPECT_NE(bytes.find("\x1b[?1049l"), std::string::npos);
  EXPECT_NE(painter->restore().find("\x1b[?1049l"), std::string::npos);
  const std::string again = painter->start() + painter->paint(page("n0007"));
  EXPECT_NE(again.find("\x1b[?1049h"), std::string::npos);
  EXPECT_NE(again.find("n0007"), std::string::npos);
}

TEST_F(PainterTest, AnySizeCanBePainted) {
  auto painter = open({"xterm-256color"});
  for (const Size size : {Size{1, 1}, Size{200, 60}, Size{2, 1}, Size{1000, 500}, Size{40, 10}}) {
    Canvas canvas(size);
    canvas.fill(0, 0, size.columns, size.rows, "x");
    EXPECT_GE(painter->paint(canvas).size(), 1u);
    EXPECT_EQ(painter->paint(canvas), "");
  }
}

TEST_F(PainterTest, TheCursorIsShownOnlyWhereTextIsTyped) {
  auto painter = open({"xterm-256color"});
  painter->start();
  Canvas canvas = page(":nodes");
  painter->paint(canvas);
  canvas.show_cursor(6, 0);
  EXPECT_NE(painter->paint(canvas).find("\x1b[?25h"), std::string::npos);
  EXPECT_EQ(painter->paint(canvas), "");
  EXPECT_NE(painter->paint(page(":nodes")).find("\x1b[?25l"), std::string::npos);
}

}  // namespace
}  // namespace tessera::tui
