// What one of several holders of a slice uses by itself, on its line of a page. Threads: the UI thread only.
#pragma once

#include "engine/query/tables.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::tui {

// With its source and age. False: it is not told, and nothing is added.
bool add_own(DocLine& line, const FactPage& page, const UiContext& ui, const query::SliceRow& row,
             const WorkloadId& holder);

}  // namespace tessera::tui
