// How the use of a GPU, a slice or a workload went, as a section of a page: charts, the same in words, and
// since when it is unused.
// Threads: pure functions.
#pragma once

#include "engine/query/tables.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::tui {

// Use and memory over the last hour. slice null: those of the whole GPU, with a line for each of its slices,
// temperature and power.
void add_history(FactPage& page, const UiContext& ui, const query::GpuRow& row, const Slice* slice);
// One line for each slice that the workload holds, and whether it uses any of them.
void add_history(FactPage& page, const UiContext& ui, const query::WorkloadRow& row);

// The nodes of which the topmost page draws the last hour, at most eight: sources that keep figures are asked
// for what they have of it.
std::vector<NodeName> charted_nodes(const Model& model, const Screen& screen);
inline constexpr Duration kCharted{3'600'000};

}  // namespace tessera::tui
