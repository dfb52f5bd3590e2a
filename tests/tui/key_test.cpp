#include "tui/terminal/key.hpp"

#include <gtest/gtest.h>

namespace tessera::tui {
namespace {

TEST(Key, SpellingsSurviveTheRoundTrip) {
  for (const std::string_view text :
       {"j",     "G",     "?",     ":",         "é",   "Ctrl-d",    "Ctrl-Space", "Ctrl-\\",
        "Alt-x", "Space", "Enter", "Esc",       "Tab", "Shift-Tab", "Backspace",  "Delete",
        "PgDn",  "F1",    "F12",   "Ctrl-Left", "-",   "Ctrl-_"}) {
    const auto key = parse_key(text);
    ASSERT_TRUE(key) << text;
    EXPECT_EQ(to_text(*key), text);
  }
}

TEST(Key, OtherSpellingsAreUnderstood) {
  EXPECT_EQ(parse_key("ctrl-D"), parse_key("Ctrl-d"));
  EXPECT_EQ(parse_key("C-d"), parse_key("Ctrl-d"));
  EXPECT_EQ(parse_key("pagedown"), parse_key("PgDn"));
  EXPECT_EQ(parse_key("Escape"), parse_key("Esc"));
}

TEST(Key, WhatATerminalCannotTellApartIsTheSameKey) {
  EXPECT_EQ(parse_key("Ctrl-i"), parse_key("Tab"));
  EXPECT_EQ(parse_key("Ctrl-m"), parse_key("Enter"));
  EXPECT_EQ(parse_key("Ctrl-h"), parse_key("Backspace"));
  EXPECT_EQ(parse_key("Ctrl-["), parse_key("Esc"));
}

TEST(Key, NonsenseIsNoKey) {
  for (const std::string_view text :
       {"", "jj", "Ctrl-", "Ctrl-é", "Ctrl-1", "F13", "\x1b", "\xff", "Meta-x", "\u0301"})
    EXPECT_FALSE(parse_key(text)) << text;
}

}  // namespace
}  // namespace tessera::tui
