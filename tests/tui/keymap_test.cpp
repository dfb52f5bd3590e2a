#include "tui/keymap.hpp"

#include <gtest/gtest.h>

#include "engine/embedded.hpp"

namespace tessera::tui {
namespace {

constexpr Scope kTable[] = {Scope::table, Scope::global};
constexpr Scope kInput[] = {Scope::input};

Key key(std::string_view text) { return parse_key(text).value(); }

std::string problem(std::string_view yaml) {
  const auto keymap = Keymap::parse(yaml, "my-keys.yaml");
  return keymap ? "" : keymap.error().reason;
}

TEST(Keymap, TheTopmostScopeWins) {
  const Keymap keymap;
  EXPECT_EQ(keymap.lookup(kTable, key("j")), Action::cursor_down);
  EXPECT_EQ(keymap.lookup(kTable, key("Ctrl-w")), Action::toggle_wide);
  EXPECT_EQ(keymap.lookup(kInput, key("Ctrl-w")), Action::input_delete_word);
  EXPECT_FALSE(keymap.lookup(kInput, key("j")));
}

TEST(Keymap, AFileReplacesTheKeysOfWhatItNames) {
  const auto keymap = Keymap::parse("global:\n  cursor-down: [e, Down]\n  next-theme: []\n", "f.yaml");
  ASSERT_TRUE(keymap) << to_line(keymap.error());
  EXPECT_EQ(keymap->lookup(kTable, key("e")), Action::cursor_down);
  EXPECT_FALSE(keymap->lookup(kTable, key("j")));
  EXPECT_FALSE(keymap->lookup(kTable, key("T")));
  EXPECT_EQ(keymap->lookup(kTable, key("k")), Action::cursor_up);
  EXPECT_EQ(keymap->shown(Action::cursor_down), "e");
  EXPECT_EQ(keymap->all_shown(Action::cursor_down), "e, Down");
  EXPECT_EQ(keymap->shown(Action::next_theme), "");
}

TEST(Keymap, AnActionIsFoundByTheNameOfAnEarlierVersion) {
  const auto keymap = Keymap::parse("resume:\n  resume-anew: [r]\n", "f.yaml");
  ASSERT_TRUE(keymap) << to_line(keymap.error());
  EXPECT_EQ(keymap->shown(Action::resume_replan), "r");
}

TEST(Keymap, TwoActionsMaySwapKeys) {
  const auto keymap = Keymap::parse("global:\n  cursor-down: k\n  cursor-up: j\n", "f.yaml");
  ASSERT_TRUE(keymap) << to_line(keymap.error());
  EXPECT_EQ(keymap->lookup(kTable, key("j")), Action::cursor_up);
}

TEST(Keymap, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(problem("global:\n  cursor-dwn: j\n"), "my-keys.yaml:2: there is no action 'cursor-dwn'");
  EXPECT_EQ(problem("everywhere:\n  quit: q\n"), "my-keys.yaml:2: there is no scope 'everywhere'");
  EXPECT_EQ(problem("global:\n  mark: m\n"), "my-keys.yaml:2: 'mark' belongs under 'table'");
  EXPECT_EQ(problem("global:\n  quit: [q, Ctrl-]\n"), "my-keys.yaml:2: 'Ctrl-' is no key");
  EXPECT_EQ(problem("global:\n  copy: [c, c]\n"), "my-keys.yaml:2: c is there twice");
  EXPECT_EQ(problem("global:\n\n  copy: q\n"), "my-keys.yaml:3: q is also the key of 'quit'");
  EXPECT_EQ(problem("global:\n  quit: []\n"), "my-keys.yaml:2: 'quit' needs a key");
  EXPECT_EQ(problem("- a list\n"), "my-keys.yaml:1: a keymap is a map of scopes");
  EXPECT_EQ(problem("global:\n  copy: {a: b}\n"), "my-keys.yaml:2: a key is a word such as Ctrl-d");
  EXPECT_NE(problem("global: [\n"), "");
}

TEST(Keymap, AnEmptyFileChangesNothing) {
  const auto keymap = Keymap::parse("# nothing yet\n", "f.yaml");
  ASSERT_TRUE(keymap);
  EXPECT_EQ(keymap->lookup(kTable, key("j")), Action::cursor_down);
}

TEST(Keymap, TheShippedFileSaysWhatTheTableSays) {
  const auto files = embedded::keymaps();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "keys-default.yaml");
  const auto keymap = Keymap::parse(files[0].text, files[0].name);
  ASSERT_TRUE(keymap) << to_line(keymap.error());
  const Keymap defaults;
  for (const ActionInfo& row : actions())
    EXPECT_EQ(keymap->all_shown(row.action), defaults.all_shown(row.action));
}

}  // namespace
}  // namespace tessera::tui
