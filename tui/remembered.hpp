// What the console remembers from one start to the next: commands typed, columns, sort orders, theme, views.
//
// A small YAML file in the user's state folder. It only ever holds choices: where it cannot be read, the
// console starts without it, says so, and does not write over it.
// Threads: plain values; the function with a path reads that file and no other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::tui {

struct UiState;

struct Remembered {
  std::string theme;                                      // empty: not chosen here
  std::vector<std::string> history;                       // commands, oldest first
  std::map<std::string, std::string> sorts;               // "nodes" -> "-held"
  std::map<std::string, std::string> columns;             // "nodes" -> "node,health"
  std::map<std::string, std::vector<std::string>> views;  // by name: the commands that open them
  friend bool operator==(const Remembered&, const Remembered&) = default;
};
inline constexpr std::size_t kMostViews = 100;
inline constexpr std::size_t kMostRemembered = std::size_t{256} * 1024;  // bytes of the file

// Errors read "file:line:column: why".
Result<Remembered> parse_remembered(std::string_view yaml, std::string_view file);
std::string remembered_text(const Remembered& all);

Remembered remembered_of(const UiState& state);
// The same where a flag or a configuration file chose the theme of this session: unless another one was
// chosen in the console, the one that was left before stays.
Remembered remembered_of(const UiState& state, const Remembered& before, std::string_view chosen_outside);
// Columns and tables that this version does not know are left out.
void apply(const Remembered& all, UiState& state);

// A file that is not there is an empty one.
Result<Remembered> load_remembered(const std::string& path);

}  // namespace tessera::tui
