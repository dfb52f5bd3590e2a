// The first screen of a plan, divided among its parts: each has what it needs or its share of the room, and
// tells what it leaves out, so that none pushes the others off the screen.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tui/state.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

// Shown whole or not at all.
struct PlanEntry {
  Document lines;
  std::size_t things = 1;  // that it counts for in "and 3 more"
};
// Of thousands of entries those are made that are shown.
struct PlanLater {
  std::size_t count = 0, lines = 0;
  std::function<Document(std::size_t at)> make{};
};
struct PlanPart {
  std::string id;  // of the line that unfolds it; empty: the part is never folded
  std::optional<DocLine> heading;
  std::vector<PlanEntry> entries;
  PlanLater later{};  // behind them
};

struct PlanFirst {
  Document lines;
  bool tight = false;  // not all of it has room: without blank lines
};
// room: lines on the first screen; below: how many of them what follows would fill.
PlanFirst first_of(const UiState& state, std::vector<PlanPart> parts, int room, int below);

// A line for each node of the shown plan, with its steps and how many workloads these disturb, in columns.
void add_nodes(Document& lines, const UiState& state);

// "all-1g.10gb", or what tessera wrote there itself, in the language of the screen.
std::string asked_text(const UiState& state, const plan::Intent& intent);

}  // namespace tessera::tui
