// The file of acknowledged findings: what is read is written back as the same.
#include "engine/insight/acknowledged.hpp"

#include <cstdint>
#include <cstdlib>

using namespace tessera;

int fuzz_acknowledged(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = insight::parse_acknowledged(text, "f");
  if (!read) return 0;
  const auto again = insight::parse_acknowledged(insight::acknowledged_text(*read, TimePoint::min()), "f");
  if (!again || again->size() != read->size()) std::abort();
  return 0;
}
