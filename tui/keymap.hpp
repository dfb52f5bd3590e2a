// Which key does what: the defaults of the action table, changed by a keymap file.
//
// A file is YAML: scopes with actions with keys. An action named there loses its default keys; an empty
// list leaves it without one. One key may not mean two things in one scope.
// Threads: a plain value.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "tui/action.hpp"
#include "tui/terminal/key.hpp"

namespace tessera::tui {

class Keymap {
 public:
  Keymap();  // the defaults
  // The defaults with a file's changes; errors read "file:line: why".
  static Result<Keymap> parse(std::string_view yaml, std::string_view file);

  // The first scope that knows the key wins.
  std::optional<Action> lookup(std::span<const Scope> scopes, const Key& key) const;
  std::span<const Key> keys_for(Action action) const;
  // "j" (the first key) and "j, Down" (all of them); empty without a key.
  std::string shown(Action action) const;
  std::string all_shown(Action action) const;

 private:
  // Another action of the same scope with the same key.
  std::optional<Action> other_user(Action action, const Key& key) const;

  std::array<std::vector<Key>, static_cast<std::size_t>(Action::count_)> keys_;
};

}  // namespace tessera::tui
