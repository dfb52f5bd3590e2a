// Long lists in pages: which of their lines can be seen, and the item under the cursor. Only what is seen is
// put into words for a picture; the other lines of the list stand in its document with their ids alone.
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "tui/state.hpp"

namespace tessera::tui {

struct InView {
  std::size_t first = 0, end = 0;  // of the lines of the page
  bool contains(std::size_t line) const { return line >= first && line < end; }
};

// Of a page of so many lines, wherever on the terminal it begins: no list is higher than that.
inline InView in_view(const UiState& state, std::size_t lines) {
  const auto rows = static_cast<std::size_t>(std::max(0, state.size.rows));
  const auto top = static_cast<std::size_t>(std::max(0, state.top().top));
  // A page that was scrolled farther than it reaches is drawn from its last lines.
  return {std::min(top, lines - std::min(lines, rows)), top + rows};
}

// The item whose id the cursor holds, mostly the one on which it came to rest; nullptr: there is none.
template <class Item, class IdOf>
const Item* item_here(std::span<const Item> items, const Screen& screen, IdOf id_of) {
  const auto is_it = [&](const Item& one) { return id_of(one) == screen.cursor; };
  if (screen.cursor.empty()) return nullptr;
  const auto near = static_cast<std::size_t>(std::max(0, screen.cursor_at));
  if (near < items.size() && is_it(items[near])) return &items[near];
  const auto found = std::find_if(items.begin(), items.end(), is_it);
  return found == items.end() ? nullptr : &*found;
}

}  // namespace tessera::tui
