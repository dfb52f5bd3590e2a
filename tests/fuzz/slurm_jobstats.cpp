// Summaries of jobstats, packed and unpacked: within bounds, and all that is taken is a figure.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/gzip.hpp"
#include "backends/slurm/parse/jobstats.hpp"
#include "engine/text.hpp"

int fuzz_slurm_jobstats(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto check = [](const std::vector<usage::GpuFigures>& all) {
    for (const usage::GpuFigures& one : all) {
      if (one.node.text.empty() || clean(one.node.text) != one.node.text || one.gpu.value < 0) std::abort();
      if (one.use && !(one.use->value >= 0 && one.use->value <= 100)) std::abort();
      if (one.memory_peak && one.memory_peak->value < 0) std::abort();
      if (one.memory && one.memory_peak && *one.memory < *one.memory_peak) std::abort();
    }
  };
  check(slurm::read_jobstats(text));
  check(slurm::read_jobstats_json(text));
  if (const auto unpacked = gunzip(text, 4096); unpacked && unpacked->size() > 4096) std::abort();
  return 0;
}
