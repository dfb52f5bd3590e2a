// Which columns of a list of things go first where it is narrow: one order for the console and the command
// line. Threads: pure functions.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "tui/state.hpp"
#include "tui/widgets/table.hpp"

namespace tessera::tui {

// The place of a column by its key; nullopt: the list that is drawn has no such column.
using ColumnOf = std::function<std::optional<int>(std::string_view)>;

// Whether machines are there that are nodes of two schedulers: each is one row, whose STATE has a word of
// each.
bool has_nodes_of_two(const Model& model);

// Fills in which columns of that list come late, early, or stay, and which are widened first. look.skip has
// to be set by then. nodes_of_two: it is the list of nodes, and has such machines.
void rank_columns(TableLook& look, const Screen& screen, bool nodes_of_two, const ColumnOf& column_of);

// Whether an id says the name already: "team/train-0" of "train-0".
bool repeats_id(std::string_view id, std::string_view name);

}  // namespace tessera::tui
