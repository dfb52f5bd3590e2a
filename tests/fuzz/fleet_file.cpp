// Any bytes as a fleet file: an error with a place and a way out, or pools whose rules can be told.
#include <cstdint>
#include <cstdlib>

#include "engine/fleet/reader.hpp"
#include "engine/text.hpp"

int fuzz_fleet_file(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  static const mig::Catalogue catalogue = *mig::Catalogue::built_in();
  if (size > 16384) return 0;
  auto read = fleet::read_fleet({reinterpret_cast<const char*>(data), size}, "fuzz", catalogue);
  if (!read) {
    const std::string line = to_line(read.error());
    if (read.error().reason.empty() || read.error().hint.empty() || clean(line, line.size()) != line)
      std::abort();
    return 0;
  }
  for (const fleet::Pool& pool : read->pools)
    if (pool.name.empty() || pool.line < 1 || clean(pool.name, pool.name.size()) != pool.name ||
        fleet::to_text(pool.rule).empty())
      std::abort();
  return 0;
}
