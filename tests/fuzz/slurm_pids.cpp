// Processes of jobs: bounded, numbers alone, errors in clean words.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/slurm/parse/parse_pids.hpp"
#include "engine/text.hpp"

int fuzz_slurm_pids(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int code : {0, 1}) {
    const auto read = slurm::parse_pids(text, text, code);
    if (!read) {
      if (clean(read.error().reason) != read.error().reason) std::abort();
      continue;
    }
    if (read->jobs.size() > slurm::kMostPids || clean(read->missing) != read->missing) std::abort();
    for (const auto& [pid, job] : read->jobs)
      if (pid <= 0 || job.find_first_not_of("0123456789") != std::string::npos) std::abort();
  }
  return 0;
}
