// Whether a cell has a word in it, without the cell being made: free text looks into each text of ten
// thousand nodes.
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/query/tables.hpp"

namespace tessera::query {

// `word` is folded to lower case. nullopt: only the cell itself tells.
template <class Row>
using Finder = std::optional<bool> (*)(const Row& row, std::string_view word);

// One for each of columns<Row>(), in their order; null where only the cell itself tells.
template <class Row>
std::span<const Finder<Row>> finders();

}  // namespace tessera::query
