#include "tests/support/catalogue.hpp"

namespace tessera::test {

std::shared_ptr<const mig::Catalogue> shared_catalogue() {
  static const auto all = std::make_shared<const mig::Catalogue>(mig::Catalogue::built_in().value());
  return all;
}

const mig::Catalogue& catalogue() { return *shared_catalogue(); }

}  // namespace tessera::test
