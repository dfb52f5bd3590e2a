// `tessera layouts`: the layouts of a product, the verdict on one, or the list of products.
// Threads: writes to the streams; no other state.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

// Returns the exit code.
int run_layouts(const Options& options, const mig::Catalogue& catalogue, const Streams& streams);

// Why a name means no product, with the names that are near.
Error unknown_product(const std::string& name, const mig::Catalogue& catalogue);

}  // namespace tessera::cli
