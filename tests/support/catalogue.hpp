// The built-in catalogue, read once for all tests of a program.
#pragma once

#include <memory>

#include "engine/mig/catalogue.hpp"

namespace tessera::test {

std::shared_ptr<const mig::Catalogue> shared_catalogue();
const mig::Catalogue& catalogue();

}  // namespace tessera::test
