// Limits and priorities: clean text, within bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/slurm/parse/parse_limits.hpp"
#include "engine/text.hpp"

int fuzz_slurm_limits(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto read = slurm::parse_limits(text, {"alice", "physics", "gpu", {"normal"}})) {
    if (read->limits.size() > 100'000) std::abort();
    for (const Limit& one : read->limits)
      if (clean(one.resource) != one.resource || clean(one.owner) != one.owner || one.limit < 0) std::abort();
  }
  if (auto read = slurm::parse_priorities(text, "2"))
    for (const PriorityTold& one : *read)
      if (clean(one.partition) != one.partition || one.parts.size() > 8) std::abort();
  return 0;
}
