// Everything a key can do, in one table: keymap, footer, help screen, palette and docs/keys.md come from it.
//
// No single action changes a cluster: a plan is armed by typing a name, and only then arm_confirm starts it.
// What leads to a change must not sit on Ctrl-d, Ctrl-k, x or Enter. Threads: constant data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tui/action_rows.hpp"

namespace tessera::tui {

enum class Action : std::uint8_t {
#define TESSERA_NAME(name, ...) name,
  TESSERA_ACTIONS(TESSERA_NAME)
#undef TESSERA_NAME
      count_
};

// Where a key counts. A screen asks the topmost scope first and global last; while text is typed only
// `input` is asked, and what it does not know is text.
enum class Scope : std::uint8_t {
  global,
  table,
  node,
  layout,
  pack,
  fleet,
  advise,
  log,
  findings,
  users,
  usage,
  plan,
  run,
  resume,
  arm,
  leave,
  guide,
  question,
  choice,
  input,
  count_
};

// Headings of the help screen.
enum class Group : std::uint8_t {
  move,
  find,
  mark,
  screens,
  layout,
  pack,
  advise,
  fleet,
  console,
  change,
  guide,
  choice,
  typing,
  count_
};

struct ActionInfo {
  Action action;
  std::string_view id;     // "cursor-down": the spelling of keymap files and the palette
  std::string_view title;  // one or two words for the footer
  std::string_view help;   // one sentence for the help screen
  std::string_view keys;   // defaults, separated by blanks; the first is the one that is shown
  Scope scope;
  Group group;
};

std::span<const ActionInfo> actions();  // in the order of the enum
const ActionInfo& info(Action action);
std::optional<Action> action_of(std::string_view id);
// Also while text is typed, beside the keys that edit it.
bool works_while_typing(Action action);

std::string_view word(Scope scope);   // "table"
std::string_view title(Scope scope);  // "In tables"
std::optional<Scope> scope_of(std::string_view word);
std::string_view title(Group group);

// docs/keys.md and themes/keys-default.yaml, made from the table; a test keeps the files equal to these.
std::string keys_markdown();
std::string keys_yaml();

}  // namespace tessera::tui
