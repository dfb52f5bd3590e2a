// Reads catalogue files into products, refusing what cannot be true of a GPU.
// Threads: pure functions. Used by catalogue.cpp only.
#pragma once

#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::mig {

// Products in file order; keys are unique within the file.
Result<std::vector<Product>> read_products(std::string_view text, std::string_view file);

}  // namespace tessera::mig
