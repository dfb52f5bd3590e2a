#include "engine/insight/users.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "engine/insight/named_allocations.hpp"
#include "engine/insight/worth.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/model/bridged.hpp"
#include "engine/model/held_by.hpp"
#include "engine/model/tell.hpp"
#include "engine/number.hpp"
#include "engine/sharing/units.hpp"

namespace tessera::insight {
namespace {

using Sums = std::map<std::string, UserSum>;

// Eight GiB of a GPU's memory and eight shares of GPUs are not the same.
std::string counted_as(const Workload& workload, const Allocation& held) {
  const std::string_view unit = sharing::memory_unit(workload, held.family);
  if (unit.empty()) return held_name(held);
  return std::string(unit) + (held.type.empty() ? "" : " " + held.type);
}

void add_held(UserSum& sum, const Cluster& cluster, const Workload& workload,
              const mig::Catalogue& catalogue) {
  ++(workload.state == WorkloadState::suspended ? sum.suspended : sum.running);
  if (const std::optional<double> worth = gpus_worth(cluster, workload, catalogue))
    sum.gpus += *worth;
  else
    ++sum.unknown;
  for (const Allocation& one : named_allocations(cluster, workload)) {
    const int count = one.count > 0 ? one.count : static_cast<int>(one.devices.size());
    if (count > 0) sum.holds[counted_as(workload, one)] += count;
  }
}

const std::string& account_of(const Workload& workload) {
  return workload.kind == WorkloadKind::pod ? workload.group : workload.account;
}

const std::string& key_of(const Workload& workload, SumBy by) {
  return by == SumBy::user ? workload.user : account_of(workload);
}

// Whose it is, and the other way round who is in it.
void name(UserSum& sum, const Workload& workload, SumBy by) {
  const std::string& account = account_of(workload);
  if (by == SumBy::user) {
    sum.user = workload.user;
    if (!account.empty()) sum.accounts.insert(account);
  } else {
    sum.account = account;
    if (!workload.user.empty()) sum.users.insert(workload.user);
  }
}

void add_workload(Sums& sums, const Cluster& cluster, const Workload& workload,
                  const mig::Catalogue& catalogue, SumBy by) {
  const bool waits = workload.state == WorkloadState::pending && !workload.requests.empty();
  const bool holds = workload.state != WorkloadState::ended && holds_any(workload);
  if ((!waits && !holds) || slinky::stands_for_jobs(cluster, workload)) return;
  UserSum& sum = sums[key_of(workload, by)];
  name(sum, workload, by);
  sum.cluster = cluster.name, sum.scheduler = cluster.scheduler;
  if (sum.work.size() < UserSum::kMostWork) sum.work.push_back(workload.id);
  if (holds) add_held(sum, cluster, workload, catalogue);
  if (!waits) return;
  ++sum.waiting;
  for (const Request& request : workload.requests)
    sum.asks[request.resource] = add_times(sum.asks[request.resource], request.count, workload.tasks);
}

// A slice that several hold says nothing of each of them.
void add_use(Sums& sums, const Cluster& cluster, const Slice& slice, const std::optional<Percent>& use,
             SumBy by) {
  if (!use || !slice.exact || slice.holders.size() != 1) return;
  const Workload* holder = cluster.workloads.find(slice.holders.front().workload);
  if (!holder) return;
  auto sum = sums.find(key_of(*holder, by));
  if (sum == sums.end()) return;
  ++sum->second.measured;
  if (use->value < kIdleBelow) ++sum->second.idle;
}

void add_uses(Sums& sums, const Cluster& cluster, const Node& node, SumBy by) {
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      add_use(sums, cluster, slice,
              slice.kind == SliceKind::whole_gpu && !slice.use ? gpu.telemetry.use : slice.use, by);
  for (const Slice& slice : node.pool) add_use(sums, cluster, slice, slice.use, by);
}

}  // namespace

std::map<std::string, int> held_in_words(const UserSum& sum) {
  std::map<std::string, int> named;
  for (const auto& [name, count] : sum.holds) named[sharing::unit_name(name, sum.scheduler)] += count;
  return named;
}

std::vector<UserSum> users_of(const Model& model, const mig::Catalogue& catalogue, SumBy by) {
  std::vector<UserSum> users;
  for (const Cluster& cluster : model.clusters) {
    Sums sums;
    for (const bool pending : {false, true})  // what runs first
      for (const Workload& workload : cluster.workloads.all())
        if ((workload.state == WorkloadState::pending) == pending &&
            !slinky::is_told_by_pods(model, cluster, workload))
          add_workload(sums, cluster, workload, catalogue, by);
    for (const Node& node : cluster.nodes.all()) add_uses(sums, cluster, node, by);
    for (auto& [name, sum] : sums) users.push_back(std::move(sum));
  }
  std::stable_sort(users.begin(), users.end(), [](const UserSum& a, const UserSum& b) {
    return std::tuple(-a.gpus, -a.running, -a.waiting) < std::tuple(-b.gpus, -b.running, -b.waiting);
  });
  return users;
}

}  // namespace tessera::insight
