// Part of a GPU's page: the processes that have it open, clients of MPS under their server, and whose they
// are. Threads: pure functions.
#pragma once

#include "tui/screens/documents.hpp"
#include "tui/screens/pages/gpu.hpp"

namespace tessera::tui {

void add_processes(FactPage& page, const UiContext& ui, const UiState& state, const GpuPlace& at);

}  // namespace tessera::tui
