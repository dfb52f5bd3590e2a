// Catalogue files and look-ups by name: what is read is a GPU that the geometry can work with.
#include <cstdint>
#include <cstdlib>

#include "engine/mig/geometry.hpp"
#include "engine/text.hpp"

using namespace tessera;
using namespace tessera::mig;

namespace {

const Catalogue& built_in() {
  static const Catalogue catalogue = *Catalogue::built_in();
  return catalogue;
}

void look_up(std::string_view text) {
  const Catalogue& catalogue = built_in();
  const std::vector<std::string> features = {std::string(text.substr(text.size() / 2))};
  (void)catalogue.by_any(text);
  (void)catalogue.by_slurm_type(text, features);
  if (const auto profile = canonical_profile(text)) {
    if (canonical_profile(profile->view()) != profile) std::abort();
  }
}

}  // namespace

int fuzz_catalogue(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  look_up(text);
  const Result<Catalogue> site = Catalogue::parse(text, "site.yaml");
  if (!site) {
    const std::string line = to_line(site.error());
    if (clean(line, line.size()) != line || site.error().reason.find("site.yaml:") != 0) std::abort();
    return 0;
  }
  if (!built_in().with_site(text, "site.yaml")) std::abort();
  for (const Product& product : site->products()) {
    if (site->by_key(product.key.view()) != &product) std::abort();
    if (is_legal(product, {}) != product.placements_known) std::abort();
    for (std::size_t i = 0; i < product.profiles.size(); ++i) {
      const Layout alone = {
          {static_cast<int>(i), product.placements_known ? product.profiles[i].starts[0] : 0}};
      if (is_legal(product, alone)) (void)room(product, alone);
    }
  }
  return 0;
}
