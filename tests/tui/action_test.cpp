#include "tui/action.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/paths.hpp"
#include "tui/keymap.hpp"

namespace tessera::tui {
namespace {

// A file that is made from the rows. TESSERA_UPDATE_GOLDEN=1 writes it again.
void expect_made(const std::string& name, const std::string& text) {
  const std::string path = test::source_dir() + "/" + name;
  if (std::getenv("TESSERA_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << text;
  std::ifstream in(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text)
      << name << " is stale: TESSERA_UPDATE_GOLDEN=1 writes it";
}

TEST(Actions, EveryIdIsUniqueAndFound) {
  std::set<std::string_view> ids;
  for (const ActionInfo& row : actions()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_EQ(action_of(row.id), row.action);
    EXPECT_EQ(info(row.action).id, row.id);
    EXPECT_FALSE(row.title.empty()) << row.id;
    EXPECT_TRUE(row.help.ends_with('.')) << row.id;
  }
  EXPECT_FALSE(action_of("no-such-action"));
}

TEST(Actions, EveryDefaultKeyCanBeSpelled) {
  for (const ActionInfo& row : actions()) {
    std::istringstream words{std::string(row.keys)};
    for (std::string word; words >> word;) {
      const auto key = parse_key(word);
      ASSERT_TRUE(key) << row.id << ": " << word;
      EXPECT_EQ(to_text(*key), word) << row.id;
    }
  }
}

// While nothing is typed a key means one thing wherever the cursor is, except on screens with verbs of their
// own: there it may mean another thing than on another such screen, but never another thing than everywhere.
// A list of choices and the questions that lie over a screen hide its keys.
bool lies_over(Scope scope) {
  return scope == Scope::choice || scope == Scope::resume || scope == Scope::arm || scope == Scope::leave ||
         scope == Scope::guide || scope == Scope::question;
}
bool has_verbs_of_its_own(Scope scope) {
  return scope == Scope::plan || scope == Scope::run || scope == Scope::findings || scope == Scope::users ||
         scope == Scope::usage || scope == Scope::pack || scope == Scope::fleet || scope == Scope::advise;
}

TEST(Actions, NoDefaultKeyMeansTwoThings) {
  std::map<std::pair<int, std::string>, std::string_view> users;
  const Keymap keymap;
  const auto space_of = [](Scope scope) {
    bool own = scope == Scope::input || lies_over(scope) || has_verbs_of_its_own(scope);
    return own ? static_cast<int>(scope) : -1;
  };
  // The editor removes with one and slides with the other; it has F9 for the menu.
  const std::set<Action> not_in_the_editor{Action::menu, Action::last_view};
  for (const ActionInfo& row : actions())
    for (const Key& key : keymap.keys_for(row.action))
      if (!not_in_the_editor.contains(row.action))
        EXPECT_TRUE(users.emplace(std::pair(space_of(row.scope), to_text(key)), row.id).second)
            << to_text(key) << " for " << row.id;
  for (const ActionInfo& row : actions()) {
    if (!has_verbs_of_its_own(row.scope)) continue;
    for (const Key& key : keymap.keys_for(row.action)) {
      const auto everywhere = keymap.lookup(std::array{Scope::global}, key);
      // As in the editor, the key that takes one away is not the one to the screen before.
      if (row.action == Action::pack_less && everywhere == Action::last_view) continue;
      EXPECT_FALSE(everywhere) << to_text(key) << " for " << row.id << " hides " << info(*everywhere).id;
    }
  }
}

// The way to a change: a plan, a name that is typed, and then a key that is pressed for nothing else.
TEST(Actions, WhatStartsAChangeHasAKeyOfItsOwn) {
  const Keymap keymap;
  for (const Key& key : keymap.keys_for(Action::arm_confirm)) {
    EXPECT_NE(to_text(key), "Enter");
    for (const ActionInfo& row : actions()) {
      if (row.action == Action::arm_confirm) continue;
      for (const Key& other : keymap.keys_for(row.action)) EXPECT_FALSE(key == other) << row.id;
    }
  }
}

TEST(Actions, KeysThatSlipNeverGuardAnything) {
  const Keymap keymap;
  constexpr Scope kAll[] = {Scope::table, Scope::node,   Scope::log,   Scope::plan,   Scope::run,
                            Scope::arm,   Scope::resume, Scope::leave, Scope::choice, Scope::global};
  EXPECT_EQ(keymap.lookup(kAll, *parse_key("Ctrl-d")), Action::half_page_down);
  EXPECT_EQ(keymap.lookup(kAll, *parse_key("Enter")), Action::open);
  EXPECT_FALSE(keymap.lookup(kAll, *parse_key("Ctrl-k")));
  EXPECT_FALSE(keymap.lookup(kAll, *parse_key("x")));
  EXPECT_FALSE(keymap.lookup(kAll, *parse_key("d")));
}

// One screen follows the other by a key: a hand that counts canaries must not abort the run that came up.
TEST(Actions, NoLetterThatAbortsARunDoesSomethingElseOnThePlanBeforeIt) {
  const Keymap keymap;
  constexpr Scope kPlan[] = {Scope::plan}, kRun[] = {Scope::run}, kResume[] = {Scope::resume};
  for (const Action action : {Action::run_go_back, Action::resume_back})
    for (const Key& key : keymap.keys_for(action)) EXPECT_FALSE(keymap.lookup(kPlan, key)) << to_text(key);
  for (const Action action : {Action::plan_canary, Action::plan_batch})
    for (const Key& key : keymap.keys_for(action)) {
      EXPECT_FALSE(keymap.lookup(kRun, key)) << to_text(key);
      EXPECT_FALSE(keymap.lookup(kResume, key)) << to_text(key);
    }
}

TEST(Actions, TheKeysPageIsUpToDate) { expect_made("docs/keys.md", keys_markdown()); }

TEST(Actions, TheShippedKeymapIsUpToDate) { expect_made("themes/keys-default.yaml", keys_yaml()); }

}  // namespace
}  // namespace tessera::tui
