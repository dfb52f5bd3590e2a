// The lines of the plan screen that the cursor can rest on: their ids, and what is said about each below.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "tui/update.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

// 'w' work, 'u' unknown client, 's' step, 'd' node, 'v' violation, 'n' notice, 'r' resource, 'g' slices, 'o'
// option, 'm' what unfolds a part of the page, 'k' anything else; then what it is about.
std::string id_of(char kind, const std::string& rest);
// The number in an id of that kind; nullopt: it is of another.
std::optional<std::size_t> index_in(char kind, const std::string& id);

// Where the cursor rests until it is moved, without the rest of the page: the footer asks with each picture.
// Empty: there is nothing to rest on.
std::string first_plan_stop(const UiContext& ui, const UiState& state);

const plan::NodePlan* shown_node(const PlanView& view);
// All there is to say about the line under the cursor; empty: nothing more than it says itself.
Document plan_foot(const UiState& state, const std::string& stop, int width);

}  // namespace tessera::tui
