#include "tui/terminal/ascii.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tui/terminal/clipboard.hpp"
#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

TEST(Ascii, ShapesKeepTheirMeaning) {
  EXPECT_EQ(ascii_glyph("█"), '#');
  EXPECT_EQ(ascii_glyph("·"), '.');
  EXPECT_EQ(ascii_glyph("╳"), 'x');
  EXPECT_EQ(ascii_glyph("▌"), '>');
  EXPECT_EQ(ascii_glyph("─"), '-');
  EXPECT_EQ(ascii_glyph("│"), '|');
  EXPECT_EQ(ascii_glyph("╭"), '+');
  EXPECT_EQ(ascii_glyph("…"), '~');
  EXPECT_EQ(ascii_glyph("▁"), '1');
  EXPECT_EQ(ascii_glyph("▇"), '7');
  EXPECT_EQ(ascii_glyph("j"), 'j');
  EXPECT_EQ(ascii_glyph("日"), '?');
}

TEST(Ascii, EveryCharacterBecomesPrintable) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    std::string glyph;
    append_utf8(glyph, c);
    const char out = ascii_glyph(glyph);
    ASSERT_TRUE(out >= 0x20 && out < 0x7F) << static_cast<unsigned>(c);
  }
}

TEST(Clipboard, TheSequenceIsOsc52) {
  EXPECT_EQ(copy_sequence("", Multiplexer::none), "\x1b]52;c;\a");
  EXPECT_EQ(copy_sequence("a", Multiplexer::none), "\x1b]52;c;YQ==\a");
  EXPECT_EQ(copy_sequence("ab", Multiplexer::none), "\x1b]52;c;YWI=\a");
  EXPECT_EQ(copy_sequence("n0007", Multiplexer::none), "\x1b]52;c;bjAwMDc=\a");
  EXPECT_EQ(copy_sequence("\xff\xfe\xfd", Multiplexer::none), "\x1b]52;c;//79\a");
}

TEST(Clipboard, MultiplexersAreAskedToPassItOn) {
  EXPECT_EQ(copy_sequence("a", Multiplexer::tmux), "\x1b]52;c;YQ==\a\x1bPtmux;\x1b\x1b]52;c;YQ==\a\x1b\\");
  const std::string screen = copy_sequence(std::string(300, 'a'), Multiplexer::screen);
  EXPECT_EQ(screen.find("\x1bP\x1b]52;c;"), 0u);
  EXPECT_NE(screen.find("\x1b\\\x1bP"), std::string::npos);
  EXPECT_TRUE(screen.ends_with("\a\x1b\\"));
}

}  // namespace
}  // namespace tessera::tui
