#include "engine/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace tessera {
namespace {

TEST(Clean, LeavesOrdinaryWordsAlone) {
  EXPECT_EQ(clean("train-7b [1/4] ~ok"), "train-7b [1/4] ~ok");
  EXPECT_EQ(clean("b\u00FCro \u4E2D\u6587 \U0001F600 e\u0301"), "b\u00FCro \u4E2D\u6587 \U0001F600 e\u0301");
  EXPECT_EQ(clean(""), "");
}

TEST(Clean, ShowsControlsAsDots) {
  EXPECT_EQ(clean("a\x1B[31mb"), "a\u00B7[31mb");
  EXPECT_EQ(clean("a\nb\tc\rd"), "a\u00B7b\u00B7c\u00B7d");
  EXPECT_EQ(clean(std::string_view("a\0b", 3)), "a\u00B7b");
  EXPECT_EQ(clean("a\x7F"), "a\u00B7");
  EXPECT_EQ(clean("a\u009B31mb"), "a\u00B731mb") << "CSI as one C1 character";
  EXPECT_EQ(clean("abc\u202Ecba\u2066x\u2069"), "abc\u00B7cba\u00B7x\u00B7");
  EXPECT_EQ(clean("a\u2028b\u2029c\u200Bd\uFEFF"), "a\u00B7b\u00B7c\u00B7d\u00B7");
  EXPECT_EQ(clean("a\U000E0041b"), "a\u00B7b") << "tags are invisible text";
}

TEST(Clean, KeepsTheEndsOfLinesWhereLinesAreMeant) {
  EXPECT_EQ(clean_lines("a\tb\r\nc\x1B[2Jd\n\n"), "a\tb\r\nc\u00B7[2Jd\n\n");
  EXPECT_EQ(clean_lines("\u2028"), "\u00B7") << "what only looks like one is none";
}

TEST(Clean, KeepsTheJoinersThatScriptsNeed) {
  EXPECT_EQ(clean("\U0001F468\u200D\U0001F469"), "\U0001F468\u200D\U0001F469");
}

TEST(Clean, ReplacesEachBrokenSequenceOnce) {
  EXPECT_EQ(clean("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(clean("a\xE4\xB8z"), "a\uFFFDz") << "a character that lost its end";
  EXPECT_EQ(clean("a\xE4\xB8"), "a\uFFFD");
  EXPECT_EQ(clean("\xC0\xAF"), "\uFFFD\uFFFD") << "an overlong slash";
  EXPECT_EQ(clean("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "half a surrogate pair";
  EXPECT_EQ(clean("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond the last code point";
}

TEST(Clean, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(clean("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(clean("abcdefghi", 8), "abcde\u2026");
  EXPECT_EQ(clean("\u4E2D\u6587\u4E2D", 8), "\u4E2D\u2026");
  EXPECT_EQ(clean("abcd", 3), "\u2026");
  EXPECT_EQ(clean("abcd", 2), "") << "no room even for the ellipsis";
  EXPECT_EQ(clean("abcd", 0), "");
  EXPECT_EQ(clean(std::string(10'000'000, 'x')).size(), 4096u);
}

RC_GTEST_PROP(Clean, IsBoundedPureAndStable, (const std::string& text)) {
  const auto limit = *rc::gen::inRange<std::size_t>(0, 64);
  const std::string once = clean(text, limit);
  RC_ASSERT(once.size() <= limit);
  for (std::size_t at = 0; at < once.size();) {
    const Decoded one = decode_utf8(once, at);
    RC_ASSERT(one.valid);
    RC_ASSERT(!is_control(one.code));
    at += one.length;
  }
  RC_ASSERT(clean(once, limit) == once);
}

RC_GTEST_PROP(Utf8, ReadsBackWhatItWrites, ()) {
  auto code = *rc::gen::inRange<std::uint32_t>(0, 0x110000);
  RC_PRE(code < 0xD800 || code > 0xDFFF);
  std::string text = "x";
  append_utf8(text, code);
  const Decoded one = decode_utf8(text, 1);
  RC_ASSERT(one.valid);
  RC_ASSERT(one.code == code);
  RC_ASSERT(one.length == text.size() - 1);
}

TEST(Utf8, WritesNoSurrogates) {
  std::string text;
  append_utf8(text, 0xD800);
  append_utf8(text, 0x110000);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

TEST(Fold, TouchesOnlyAscii) {
  EXPECT_EQ(lower("GPU01.Site \u00C4"), "gpu01.site \u00C4");
  EXPECT_TRUE(contains_folded("NVIDIA H100 PCIe", "h100 p"));
  EXPECT_TRUE(contains_folded("aaab", "aab"));
  EXPECT_TRUE(contains_folded("anything", ""));
  EXPECT_FALSE(contains_folded("ab", "abc"));
  EXPECT_FALSE(contains_folded("ab", "H"));
}

RC_GTEST_PROP(Fold, FindsWhatALowerCopyFinds, (const std::string& text, const std::string& needle)) {
  RC_ASSERT(contains_folded(text, lower(needle)) == (lower(text).find(lower(needle)) != std::string::npos));
}

TEST(PartsAtCommas, AreInTheirOrderAndNoneIsEmpty) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(parts_at_commas("a,b c"), (Parts{"a", "b c"}));
  EXPECT_EQ(parts_at_commas(",a,,b,"), (Parts{"a", "b"}));
  EXPECT_EQ(parts_at_commas(",,"), Parts{});
  EXPECT_EQ(parts_at_commas(""), Parts{});
}

TEST(LinesIn, AreWithoutTheirEndsAndNoneIsEmpty) {
  using Lines = std::vector<std::string_view>;
  EXPECT_EQ(lines_in("a\n\nb b\n"), (Lines{"a", "b b"}));
  EXPECT_EQ(lines_in("a\nwithout an end"), (Lines{"a", "without an end"}));
  EXPECT_EQ(lines_in("\n\n"), Lines{});
  EXPECT_EQ(lines_in(""), Lines{});
}

}  // namespace
}  // namespace tessera
