// Which product a GPU is, where its source told enough to know. Threads: pure functions.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"

namespace tessera::mig {

// nullptr: it is not known, or the catalogue has it no more.
inline const Product* product_of(const Gpu& gpu, const Catalogue& catalogue) {
  return gpu.product ? catalogue.by_key(gpu.product->text) : nullptr;
}

}  // namespace tessera::mig
