#include "engine/usage/past_sums.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/hours.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/usage/worth.hpp"

namespace tessera::usage {
namespace {

double hours_within(const PastJobs& past, TimePoint from, TimePoint to) {
  const TimePoint begin = std::max(from, past.from), end = std::min(to, past.to);
  return begin < end ? hours_of(end - begin) : 0;
}

constexpr double kLeastOfBox = 0.94;  // of the memory that a product is sold with, as its driver tells it

int most(std::int64_t count) { return static_cast<int>(std::min<std::int64_t>(count, 100'000'000)); }

// Whether two products are cut in the same way.
bool alike(const mig::Product& a, const mig::Product& b) {
  const auto same = [](const mig::Profile& one, const mig::Profile& other) {
    return one.name == other.name && one.memory_slices == other.memory_slices;
  };
  return a.units == b.units && a.compute_slices == b.compute_slices &&
         std::equal(a.profiles.begin(), a.profiles.end(), b.profiles.begin(), b.profiles.end(), same);
}

// Which whole GPU it was, by its type and its memory (nullopt: not told); null: several that are cut in
// different ways, or none.
const mig::Product* product_of(const std::string& type, const std::optional<Mib>& memory,
                               const mig::Catalogue& catalogue) {
  if (type.empty() || mig::profile_of_slurm_type(type)) return nullptr;
  const mig::Product* found = nullptr;
  for (const mig::Product* product : catalogue.by_slurm_type(type, {})) {
    if (memory) {
      // "80 GB" on the box are 79.6 GiB of the driver's, or 80.
      const double of_box = static_cast<double>(memory->value) / 1024 / product->memory_gb.value_or(0);
      if (!product->memory_gb || of_box < kLeastOfBox || of_box > 1.02) continue;
    }
    if (found && (!alike(*found, *product) || (!memory && found->memory_gb != product->memory_gb)))
      return nullptr;
    found = product;
  }
  return found;
}

// Adds the figures of one GPU to a hold of it.
void measure(Hold& hold, const std::string& type, const GpuFigures& figures, const Limits& limits,
             bool long_enough, const mig::Catalogue& catalogue) {
  hold.node = figures.node, hold.gpu = figures.gpu;
  hold.memory_peak = figures.memory_peak, hold.memory = figures.memory;
  if (figures.memory)
    if (const mig::Product* product = product_of(type, figures.memory, catalogue))
      hold.product = product->key;
  if (!figures.use) return;
  hold.measured = hold.hours, hold.use = figures.use->value * hold.hours;
  if (figures.use->value < limits.idle_below && long_enough) hold.idle = hold.hours;
}

WorkloadId workload_of(const PastJob& job) {
  return job.listed_as.empty() ? job.id : WorkloadId(job.listed_as);
}

bool gathers_use(const PastJobs& past) {
  return std::any_of(past.jobs.begin(), past.jobs.end(),
                     [](const PastJob& job) { return job.gathered && job.gathered->used; });
}

// Adds what Slurm gathered to a hold of all GPUs of a job.
void gather(Hold& hold, const std::string& type, std::int64_t count, const Gathered& gathered,
            bool long_enough, const mig::Catalogue& catalogue) {
  if (!gathered.of_all_steps || type.empty() || mig::profile_of_slurm_type(type) ||
      catalogue.by_slurm_type(type, {}).empty())
    return;
  if (count == 1) hold.memory_peak = gathered.memory_peak;
  if (!gathered.used && long_enough) hold.idle = hold.hours;
  // Of several GPUs it is not told which was used how much.
  if (!gathered.used || count != 1) return;
  hold.most = Percent{static_cast<float>(std::min<std::int64_t>(gathered.most, 100))};
  const mig::Product* product = product_of(type, std::nullopt, catalogue);
  if (!product || !product->memory_gb) return;
  hold.product = product->key;
  hold.memory = Mib{static_cast<std::int64_t>(*product->memory_gb * 1024 * kLeastOfBox)};
}

}  // namespace

void add(Ledger& ledger, const PastJobs& past, const mig::Catalogue& catalogue) {
  ledger.cover(past.cluster, hours_within(past, past.from, past.to));
  const bool gathers = gathers_use(past);
  for (const PastJob& job : past.jobs) {
    const TimePoint ended = job.ended.value_or(past.to);
    const WorkloadId id = workload_of(job);
    if (job.submitted)
      if (const double hours = hours_within(past, *job.submitted, job.started.value_or(ended)); hours > 0)
        ledger.add(Waited{past.cluster, id, job.user, job.account, job.group, hours});
    if (!job.started) continue;
    const double hours = hours_within(past, *job.started, ended);
    if (hours <= 0) continue;
    const bool long_enough = ended - *job.started >= ledger.limits().idle_after;
    for (const auto& [type, count] : job.gpus) {
      const Worth worth = worth_of(type, catalogue);
      Hold one;
      one.cluster = past.cluster, one.workload = id, one.user = job.user;
      one.account = job.account, one.group = job.group;
      one.node = NodeName(job.nodes), one.profile = worth.profile, one.began = job.started;
      one.hours = hours, one.part = worth.part, one.slices = worth.slices;
      std::int64_t rest = count;
      // More figures than GPUs, or GPUs of several types: which is whose is not told.
      if (job.gpus.size() == 1 && static_cast<std::int64_t>(job.figures.size()) <= count)
        for (const GpuFigures& figures : job.figures) {
          Hold measured = one;
          measure(measured, type, figures, ledger.limits(), long_enough, catalogue);
          ledger.add(std::move(measured));
          --rest;
        }
      if (rest <= 0) continue;
      if (gathers && job.gathered && job.gpus.size() == 1 && job.figures.empty())
        gather(one, type, count, *job.gathered, long_enough, catalogue);
      // The others are one of their kind: where each of them was is not told.
      one.part = worth.part * static_cast<double>(rest);
      if (one.slices) *one.slices *= static_cast<double>(rest);
      ledger.add(std::move(one));
    }
  }
}

std::vector<std::string> figures_by(const PastJobs& past) {
  std::vector<std::string> all;
  if (std::any_of(past.jobs.begin(), past.jobs.end(),
                  [](const PastJob& job) { return !job.figures.empty(); }))
    all.emplace_back("jobstats");
  if (gathers_use(past)) all.emplace_back("slurm");
  return all;
}

void add(DemandOverTime& demand, const PastJobs& past, const std::string& group) {
  // By how many the number of each kind changes at a time.
  std::map<TimePoint, std::map<std::string, std::int64_t>> changes;
  for (const PastJob& job : past.jobs) {
    if (!job.started || !(group.empty() || group == job.group)) continue;
    const TimePoint from = std::max(*job.started, past.from);
    const TimePoint to = std::min(job.ended.value_or(past.to), past.to);
    if (from >= to) continue;
    const WorkloadId id = workload_of(job);
    for (const auto& [type, count] : job.gpus) {
      const std::string kind(demand.needed_as(past.cluster, id, kind_of(type)));
      changes[from][kind] += count, changes[to][kind] -= count;
    }
  }
  // Each stretch ends where something changes, or an hour of the clock is over.
  constexpr auto kOneHour = std::chrono::hours(1);
  for (TimePoint hour = std::chrono::floor<std::chrono::hours>(past.from); hour < past.to; hour += kOneHour)
    changes[std::max(hour, past.from)];
  changes[past.to];
  std::map<std::string, std::int64_t> now;
  for (auto it = changes.begin(); std::next(it) != changes.end(); ++it) {
    for (const auto& [kind, by] : it->second) now[kind] += by;
    std::map<std::string, int> held;
    for (const auto& [kind, count] : now)
      if (kind != kUntyped && count > 0) held[kind] = most(count);
    demand.hold(past.cluster, it->first, hours_within(past, it->first, std::next(it)->first), held,
                most(now[kUntyped]));
  }
}

}  // namespace tessera::usage
