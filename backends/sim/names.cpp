// What the schedulers call a job.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backends/sim/world.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

// Five characters as Kubernetes gives to pods; different for different ids below 27^5.
std::string pod_suffix(JobId id) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::uint64_t kAll = 27ull * 27 * 27 * 27 * 27;
  std::uint64_t scrambled = (id * 5851579ull + 977) % kAll;  // the factor shares no divisor with 27
  std::string text;
  for (int i = 0; i < 5; ++i, scrambled /= 27) text += kLetters[scrambled % 27];
  return text;
}

}  // namespace

WorkloadId workload_id(const World& world, const Job& job) {
  if (world.spec().scheduler == Scheduler::slurm) return WorkloadId(std::to_string(job.id));
  std::string group = clean(wanted_by(world, job).group, 64);
  if (job.errand.one) return WorkloadId(fmt::format("{}/{}", group, clean(job.errand.one->name, 253)));
  return WorkloadId(fmt::format("{}/{}-{}", group, clean(job.name, 247), pod_suffix(job.id)));
}

const Shape& wanted_by(const World& world, const Job& job) {
  return job.errand.one ? job.errand.one->shape : world.spec().shapes[job.shape];
}

int resource_named(const ClusterSpec& spec, std::string_view name) {
  auto found = std::find(spec.resources.begin(), spec.resources.end(), name);
  if (found == spec.resources.end()) return std::numeric_limits<int>::max();
  return static_cast<int>(found - spec.resources.begin());
}

}  // namespace tessera::sim
