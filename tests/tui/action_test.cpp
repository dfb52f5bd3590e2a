#include "tui/action.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tui/keymap.hpp"

namespace tessera::tui {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
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

// While nothing is typed one key means one thing, wherever the cursor is. Only a list of choices, which
// lies over a table, may use the table's keys.
TEST(Actions, NoDefaultKeyMeansTwoThings) {
  std::map<std::string, std::string_view> users;
  std::map<std::string, std::string_view> typing;
  const Keymap keymap;
  for (const ActionInfo& row : actions()) {
    if (row.scope == Scope::choice) continue;
    auto& of = row.scope == Scope::input ? typing : users;
    for (const Key& key : keymap.keys_for(row.action))
      EXPECT_TRUE(of.emplace(to_text(key), row.id).second) << to_text(key) << " for " << row.id;
  }
}

TEST(Actions, KeysThatSlipNeverGuardAnything) {
  const Keymap keymap;
  constexpr Scope kAll[] = {Scope::table, Scope::node, Scope::log, Scope::choice, Scope::global};
  EXPECT_EQ(keymap.lookup(kAll, *parse_key("Ctrl-d")), Action::half_page_down);
  EXPECT_EQ(keymap.lookup(kAll, *parse_key("Enter")), Action::open);
  EXPECT_FALSE(keymap.lookup(kAll, *parse_key("Ctrl-k")));
  EXPECT_FALSE(keymap.lookup(kAll, *parse_key("x")));
  EXPECT_FALSE(keymap.lookup(kAll, *parse_key("d")));
}

TEST(Actions, TheKeysPageIsUpToDate) {
  EXPECT_EQ(file_text("docs/keys.md"), keys_markdown())
      << "write keys_markdown() into it: tessera config keys --markdown";
}

TEST(Actions, TheShippedKeymapIsUpToDate) {
  EXPECT_EQ(file_text("themes/keys-default.yaml"), keys_yaml()) << "refresh it from keys_yaml()";
}

}  // namespace
}  // namespace tessera::tui
