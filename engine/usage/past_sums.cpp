#include "engine/usage/past_sums.hpp"

#include <algorithm>

#include "engine/mig/profile_name.hpp"

namespace tessera::usage {
namespace {

double hours_within(const PastJobs& past, TimePoint from, TimePoint to) {
  const TimePoint begin = std::max(from, past.from), end = std::min(to, past.to);
  return begin < end ? std::chrono::duration<double, std::ratio<3600>>(end - begin).count() : 0;
}

// What one GRES type is worth, as far as all products that it may mean agree.
struct Worth {
  std::string profile;
  double part = 1;
  std::optional<double> slices;
};
Worth worth_of(const std::string& type, const mig::Catalogue& catalogue) {
  const auto profile = mig::profile_of_slurm_type(type);
  Worth worth{profile ? profile->text : type.empty() ? "untyped" : "whole"};
  if (type.empty()) return worth;
  bool first = true;
  const auto see = [&](const mig::Product& product, const mig::Profile* of) {
    if (product.units <= 0 || product.compute_slices <= 0) return;
    const double part = of ? static_cast<double>(of->compute_slices) / product.compute_slices : 1;
    const double slices = of ? of->memory_slices : product.units;
    if (first) worth.part = part, worth.slices = slices;
    if (!first && worth.slices != slices) worth.slices.reset();
    // Products that disagree: the larger part, so that nothing is counted as less than it was.
    worth.part = first ? part : std::max(worth.part, part);
    first = false;
  };
  if (!profile) {
    for (const mig::Product* product : catalogue.by_slurm_type(type, {})) see(*product, nullptr);
    return worth;
  }
  auto meant = catalogue.by_slurm_type(type, {});
  if (meant.empty())
    for (const mig::Product& product : catalogue.products()) meant.push_back(&product);
  for (const mig::Product* product : meant)
    if (const mig::Profile* of = product->find(profile->text)) see(*product, of);
  return worth;
}

}  // namespace

void add(Ledger& ledger, const PastJobs& past, const mig::Catalogue& catalogue) {
  ledger.cover(hours_within(past, past.from, past.to));
  for (const PastJob& job : past.jobs) {
    const TimePoint ended = job.ended.value_or(past.to);
    if (job.submitted)
      if (const double hours = hours_within(past, *job.submitted, job.started.value_or(ended)); hours > 0)
        ledger.add(Waited{past.cluster, job.id, job.user, job.account, job.group, hours});
    if (!job.started) continue;
    const double hours = hours_within(past, *job.started, ended);
    if (hours <= 0) continue;
    for (const auto& [type, count] : job.gpus) {
      const Worth worth = worth_of(type, catalogue);
      Hold hold;
      hold.cluster = past.cluster, hold.workload = job.id, hold.user = job.user;
      hold.account = job.account, hold.group = job.group;
      hold.node = NodeName(job.nodes), hold.profile = worth.profile, hold.began = job.started;
      // One for all of its kind: where each of them was is not told.
      hold.hours = hours, hold.part = worth.part * static_cast<double>(count);
      if (worth.slices) hold.slices = *worth.slices * static_cast<double>(count);
      ledger.add(std::move(hold));
    }
  }
}

}  // namespace tessera::usage
