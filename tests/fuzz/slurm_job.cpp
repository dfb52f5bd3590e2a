// Whatever stands where scontrol's jobs should, comes out as clean workloads with ids of their own.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "backends/slurm/parse/parse_job.hpp"
#include "engine/text.hpp"

int fuzz_slurm_job(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  auto parsed = slurm::parse_jobs({reinterpret_cast<const char*>(data), size}, {Source::slurm_jobs, {}});
  std::set<std::string> ids;
  for (const Workload& job : parsed.values) {
    if (job.state == WorkloadState::ended || !ids.insert(job.id.text).second) std::abort();
    for (const std::string& text : {job.name, job.user, job.reason, job.comment})
      if (clean(text) != text) std::abort();
    for (const Allocation& allocation : job.allocations)
      if (allocation.count < 0 || allocation.node.empty()) std::abort();
  }
  return 0;
}
