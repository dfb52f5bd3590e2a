// What a DRA driver could still cut out of a GPU, on the GPU's page. Threads: pure functions.
#pragma once

#include "tui/screens/documents.hpp"
#include "tui/screens/pages/gpu.hpp"

namespace tessera::tui {

// Nothing where no such driver hands out the GPU.
void add_could_be(FactPage& page, const UiContext& ui, const GpuPlace& at);

}  // namespace tessera::tui
