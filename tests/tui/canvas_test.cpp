#include "tui/terminal/canvas.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

TEST(Canvas, TextLandsWhereItIsPut) {
  Canvas canvas({10, 2});
  EXPECT_EQ(canvas.put(2, 1, "n0007", Role::accent), 5);
  EXPECT_EQ(canvas.text(), "\n  n0007\n");
  EXPECT_EQ(canvas.roles(), "..........\n..aaaaa...\n");
}

TEST(Canvas, ACharacterTakesTheCellsThatUnicode15GivesIt) {
  struct Case {
    char32_t from, to;
    Extent takes;
  };
  for (const Case& one : {
           Case{U'A', U'~', Extent::narrow},
           Case{0x2500, 0x257F, Extent::narrow},   // frames
           Case{0x3041, 0x3096, Extent::wide},     // kana
           Case{0x4E00, 0x9FFF, Extent::wide},     // ideographs
           Case{0x20000, 0x2FFFD, Extent::wide},   // ... those that are not assigned, too
           Case{0x1FA75, 0x1FA77, Extent::wide},   // new in Unicode 15
           Case{0x300, 0x36F, Extent::joins},      // accents
           Case{0x1160, 0x11FF, Extent::joins},    // the middle and end of a syllable of Hangul
           Case{0x200B, 0x200F, Extent::dropped},  // without a picture
           Case{0xFE00, 0xFE0F, Extent::dropped},  // how the character before looks
           Case{0x80, 0x9F, Extent::control},
       })
    for (char32_t c = one.from; c <= one.to; ++c)
      EXPECT_EQ(extent(c), one.takes) << std::hex << static_cast<unsigned>(c);
}

TEST(Canvas, DrawingOutsideIsCutAndNeverAnError) {
  Canvas canvas({5, 1});
  canvas.put(3, 0, "abcdef");
  canvas.put(-2, 0, "xyz");
  canvas.put(0, 7, "below");
  canvas.put(0, -1, "above");
  canvas.fill(-3, -3, 100, 3, "#");
  canvas.mark_selected(-5, 0, 100);
  EXPECT_EQ(canvas.text(), "z  ab\n");
}

TEST(Canvas, AnEmptyCanvasTakesAnything) {
  Canvas canvas({0, 0});
  EXPECT_EQ(canvas.put(0, 0, "text"), 0);
  EXPECT_EQ(canvas.text(), "");
  Canvas negative({-3, 5});
  EXPECT_EQ(negative.size().columns, 0);
}

TEST(Canvas, ALimitStopsTheText) {
  Canvas canvas({10, 1});
  EXPECT_EQ(canvas.put(0, 0, "abcdef", {}, 4), 4);
  EXPECT_EQ(canvas.text(), "abcd\n");
}

TEST(Canvas, WideCharactersTakeTwoCellsAndAreNeverCutInHalf) {
  Canvas canvas({5, 1});
  EXPECT_EQ(canvas.put(0, 0, "日本語"), 4);
  EXPECT_EQ(canvas.at(0, 0).glyph, "日");
  EXPECT_EQ(canvas.at(1, 0).glyph, "");
  EXPECT_EQ(canvas.at(4, 0).glyph, " ");
}

TEST(Canvas, OverwritingHalfOfAWideCharacterLeavesABlank) {
  Canvas left({4, 1});
  left.put(0, 0, "日本");
  left.put(1, 0, "x");
  EXPECT_EQ(left.text(), " x本\n");
  Canvas right({4, 1});
  right.put(0, 0, "日本");
  right.put(2, 0, "x");
  EXPECT_EQ(right.text(), "日x\n");
  EXPECT_EQ(right.at(3, 0).glyph, " ");
}

TEST(Canvas, CombiningMarksJoinTheCellBefore) {
  Canvas canvas({4, 1});
  EXPECT_EQ(canvas.put(0, 0, "e\u0301x"), 2);
  EXPECT_EQ(canvas.at(0, 0).glyph, "e\u0301");
  EXPECT_EQ(canvas.at(1, 0).glyph, "x");
  canvas.put(0, 0, "\u0301y");  // nothing stands before it
  EXPECT_EQ(canvas.at(0, 0).glyph, "y");
}

TEST(Canvas, APileOfMarksIsBounded) {
  Canvas canvas({2, 1});
  std::string zalgo = "a";
  for (int i = 0; i < 1000; ++i) zalgo += "\u0301";
  EXPECT_EQ(canvas.put(0, 0, zalgo), 1);
  EXPECT_LE(canvas.at(0, 0).glyph.size(), 24u);
}

TEST(Canvas, HostileTextNeverGetsInAsControl) {
  Canvas canvas({20, 1});
  canvas.put(0, 0, "a\x1b[31mb\u009bc\xff\u200d!");
  EXPECT_EQ(canvas.text(), "a\u00B7[31mb\u00B7c\uFFFD!\n");
}

TEST(Canvas, SelectionKeepsTheRoles) {
  Canvas canvas({3, 1});
  canvas.put(0, 0, "abc", Role::held);
  canvas.mark_selected(0, 0, 2);
  EXPECT_EQ(canvas.roles(), "HHH\n");
  EXPECT_EQ(canvas.attributes(), "rr.\n");
}

TEST(Shorten, KeepsWhatFits) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "ab…");
  EXPECT_EQ(shorten("abcd", 3, true), "ab~");
  EXPECT_EQ(shorten("日本語", 5), "日本…");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  EXPECT_EQ(shorten("abc", 1), "…");
  EXPECT_EQ(shorten("abc", 0), "");
  EXPECT_EQ(shorten("e\u0301e\u0301e\u0301", 2), "e\u0301…");
}

RC_GTEST_PROP(Canvas, AnyBytesFillAtMostTheirWidth, (const std::string& bytes, unsigned char field)) {
  const int width = field % 40;
  Canvas canvas({40, 1});
  const int taken = canvas.put(0, 0, bytes);
  RC_ASSERT(taken <= 40);
  RC_ASSERT(taken <= display_width(bytes));
  RC_ASSERT(display_width(shorten(bytes, width)) <= width);
  int cells = 0;
  for (int x = 0; x < 40; ++x)
    cells += canvas.at(x, 0).glyph.empty() ? 0 : display_width(canvas.at(x, 0).glyph);
  RC_ASSERT(cells == 40);
}

// Runs of ASCII and of one glyph are written at once: over whatever stands there and wherever they are cut.
RC_GTEST_PROP(Canvas, ARunIsWrittenAsItsCharactersAreOneByOne, ()) {
  const std::string kBelow[] = {"日本語日本語日本語", "a日b本c語", "e\u0301日x", "plain text here"};
  const int below = *rc::gen::inRange(0, 4), y = *rc::gen::inRange(-1, 2), at = *rc::gen::inRange(-6, 16);
  const int limit = *rc::gen::inRange(-1, 16), length = *rc::gen::inRange(0, 14);
  const std::string text = std::string("abcdefghijklmn").substr(0, static_cast<std::size_t>(length));
  const bool fills = *rc::gen::arbitrary<bool>();
  Canvas whole({12, 1});
  whole.put(*rc::gen::inRange(0, 3), 0, kBelow[below], Role::held);
  Canvas single = whole;
  if (fills)
    whole.fill(at, y, length, 1, "─", Role::rule);
  else
    whole.put(at, y, text, Role::free, limit);
  for (int i = 0; i < length; ++i) {
    if (fills)
      single.fill(at + i, y, 1, 1, "─", Role::rule);
    else if (limit < 0 || at + i < limit)
      single.put(at + i, y, text.substr(static_cast<std::size_t>(i), 1), Role::free);
  }
  for (int x = 0; x < 12; ++x) RC_ASSERT(whole.at(x, 0) == single.at(x, 0));
}

RC_GTEST_PROP(Utf8, EncodingAndDecodingAreInverse, ()) {
  const auto code = *rc::gen::inRange<std::uint32_t>(1, 0x110000);
  std::string text;
  append_utf8(text, static_cast<char32_t>(code));
  std::string_view rest = text;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  RC_ASSERT(take_code_point(rest) == (surrogate ? U'\uFFFD' : static_cast<char32_t>(code)));
  RC_ASSERT(rest.empty());
}

TEST(Utf8, OverlongAndBrokenSequencesTakeOneByte) {
  for (const std::string_view bad :
       {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\x80", "\xe2\x82"}) {
    std::string_view rest = bad;
    EXPECT_EQ(take_code_point(rest), U'\uFFFD');
    EXPECT_EQ(rest.size(), bad.size() - 1);
  }
}

}  // namespace
}  // namespace tessera::tui
