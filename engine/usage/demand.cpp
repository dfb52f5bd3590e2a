#include "engine/usage/demand.hpp"

#include <algorithm>

#include "engine/model/both_sides.hpp"
#include "engine/number.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/usage/ledger.hpp"

namespace tessera::usage {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kMostWanted = 100'000'000;

TimePoint hour_of(TimePoint at) {
  const auto ms = std::chrono::duration_cast<Duration>(at.time_since_epoch()).count();
  return TimePoint(Duration(ms - ms % kHourMs));
}

// A Slurm job may name several partitions: "gpu,long".
bool is_of(const Workload& workload, const std::string& group) {
  return group.empty() || ("," + workload.group + ",").find("," + group + ",") != std::string::npos;
}

std::string profile_of(std::string_view resource, Scheduler scheduler) {
  const auto name = sharing::parse_resource(resource, scheduler);
  if (!name || name->shared) return {};
  if (name->kind == sharing::ResourceKind::instance) return name->profile ? name->profile->text : "";
  return name->kind == sharing::ResourceKind::gpu ? "whole" : "";
}

int more(int sum, std::int64_t count) {
  return static_cast<int>(std::min(add_times(sum, std::max<std::int64_t>(count, 0), 1), kMostWanted));
}

}  // namespace

// Shares of a GPU are counted by nothing that a layout offers.
std::string_view profile_in_demand(const Slice& slice) {
  if (slice.kind == SliceKind::whole_gpu) return "whole";
  return slice.kind == SliceKind::gpu_instance ? slice.profile.view() : std::string_view();
}

std::string_view DemandOverTime::needed_as(const ClusterName& cluster, const WorkloadId& workload,
                                           std::string_view profile) {
  if (!sizes_) return profile;
  const std::string_view needed = sizes_->instead_of(cluster, workload, profile);
  if (needed != profile) right_sized_[cluster].insert(workload);
  return needed;
}

std::optional<std::size_t> DemandOverTime::right_sized() const {
  if (!sizes_) return std::nullopt;
  std::size_t all = 0;
  for (const auto& [cluster, workloads] : right_sized_) all += workloads.size();
  return all;
}

DemandOverTime::Needs DemandOverTime::held_on(const Cluster& cluster) {
  Needs needs;
  const auto see = [&](const Slice& slice) {
    const std::string_view profile = profile_in_demand(slice);
    if (profile.empty() || !slice.exact) return;
    const auto holder = std::find_if(slice.holders.begin(), slice.holders.end(), [&](const Holder& one) {
      const Workload* workload = cluster.workloads.find(one.workload);
      return workload && keeps_what_it_holds(*workload) && !slinky::stands_for_jobs(cluster, *workload) &&
             is_of(*workload, group_);
    });
    if (holder == slice.holders.end()) return;
    // One that shares it would not have done with less of it.
    const bool alone = slice.holders.size() == 1;
    Need& need = needs[std::string(alone ? needed_as(cluster.name, holder->workload, profile) : profile)];
    need.held = more(need.held, 1);
  };
  for (const Node& node : cluster.nodes.all()) {
    for (const Gpu& gpu : node.gpus)
      if (!sharing::amd::is_amd(gpu))  // none of what NVIDIA's GPUs could be planned for
        std::for_each(gpu.slices.begin(), gpu.slices.end(), see);
    std::for_each(node.pool.begin(), node.pool.end(), see);
  }
  return needs;
}

void DemandOverTime::add_waiting(const Cluster& cluster, Needs& needs) {
  int unplaced = 0;
  for (const Workload& workload : cluster.workloads.all()) {
    if (!is_of(workload, group_)) continue;
    if (keeps_what_it_holds(workload) && !slinky::stands_for_jobs(cluster, workload))
      for (const Allocation& allocation : workload.allocations)
        if (allocation.devices.empty() && allocation.family == Family::gpu)
          unplaced = more(unplaced, allocation.count);
    if (workload.state != WorkloadState::pending || !plan::waits_for_room(workload, cluster.scheduler))
      continue;
    for (const Request& request : workload.requests)
      if (const std::string profile = profile_of(request.resource, cluster.scheduler); !profile.empty()) {
        Need& need = needs[std::string(needed_as(cluster.name, workload.id, profile))];
        need.waiting = more(need.waiting, add_times(0, request.count, workload.tasks));
      }
  }
  unplaced_ = std::max(unplaced_, unplaced);
}

void DemandOverTime::see(const Cluster& cluster, TimePoint at, Duration longest) {
  take(cluster, at, held_on(cluster), longest);
}

void DemandOverTime::see(const Cluster& cluster, TimePoint at,
                         const std::map<std::string, int, std::less<>>& held, Duration longest) {
  Needs needs;
  for (const auto& [profile, number] : held) needs[profile].held = number;
  take(cluster, at, std::move(needs), longest);
}

void DemandOverTime::take(const Cluster& cluster, TimePoint at, Needs needs, Duration longest) {
  add_waiting(cluster, needs);
  auto [before, first] = before_.try_emplace(cluster.name, at);
  const Duration passed = std::clamp<Duration>(at - before->second, Duration{0}, longest);
  const double hours = static_cast<double>(passed.count()) / static_cast<double>(kHourMs);
  before->second = at;
  if (first) began_.emplace(cluster.name, at);
  ++rounds_;
  count(cluster.name, at, hours, needs);
}

void DemandOverTime::hold(const ClusterName& cluster, TimePoint at, double hours,
                          const std::map<std::string, int>& held, int unplaced) {
  Needs needs;
  for (const auto& [profile, number] : held) needs[profile].held = number;
  unplaced_ = std::max(unplaced_, unplaced);
  count(cluster, at, hours, needs);
}

void DemandOverTime::count(const ClusterName& cluster, TimePoint at, double hours, const Needs& needs) {
  const TimePoint hour = hour_of(at);
  covered_[cluster][hour] += hours;
  const double of_cluster = covered_in_all_[cluster] += hours;
  hours_ = std::max(hours_, of_cluster);  // of the cluster of which most is known
  for (const auto& [profile, need] : needs) {
    DemandHour& one = all_[{cluster, profile}][hour];
    const int both = more(need.held, need.waiting);
    one.sum += both * hours;
    spread_[{cluster, profile}][both] += hours;
    if (both <= one.peak) continue;
    one.peak = both, one.held = need.held, one.waiting = need.waiting, one.at = at;
  }
}

void DemandOverTime::forget(const ClusterName& cluster) {
  began_.erase(cluster), before_.erase(cluster), right_sized_.erase(cluster);
  covered_.erase(cluster), covered_in_all_.erase(cluster);
  std::erase_if(all_, [&](const auto& one) { return one.first.first == cluster; });
  std::erase_if(spread_, [&](const auto& one) { return one.first.first == cluster; });
  hours_ = 0;
  for (const auto& [other, hours] : covered_in_all_) hours_ = std::max(hours_, hours);
}

void DemandOverTime::go_on_with(const DemandOverTime& later) {
  for (const auto& [cluster, begin] : later.began_)
    if (const auto ends = before_.find(cluster); ends != before_.end() && ends->second == begin) --rounds_;
  for (const auto& [cluster, at] : later.before_) before_.insert_or_assign(cluster, at);
  for (const auto& [cluster, workloads] : later.right_sized_)
    right_sized_[cluster].insert(workloads.begin(), workloads.end());
  began_.insert(later.began_.begin(), later.began_.end());
  for (const auto& [cluster, hours] : later.covered_) {
    double& of_cluster = covered_in_all_[cluster];
    for (const auto& [hour, part] : hours) covered_[cluster][hour] += part, of_cluster += part;
    hours_ = std::max(hours_, of_cluster);
  }
  for (const auto& [key, hours] : later.all_)
    for (const auto& [hour, more] : hours) {
      DemandHour& one = all_[key][hour];
      const double sum = one.sum + more.sum;
      if (more.peak > one.peak) one = more;
      one.sum = sum;
    }
  for (const auto& [key, numbers] : later.spread_)
    for (const auto& [number, hours] : numbers) spread_[key][number] += hours;
  rounds_ += later.rounds_;
  unplaced_ = std::max(unplaced_, later.unplaced_);
}

std::vector<DemandHour> DemandOverTime::by_hour() const {
  std::vector<DemandHour> list;
  for (const auto& [key, hours] : all_)
    // Every hour that is recorded: one in which nobody needed any is a zero that is known.
    for (const auto& [hour, covered] : covered_.at(key.first)) {
      const auto found = hours.find(hour);
      DemandHour one = found == hours.end() ? DemandHour{} : found->second;
      one.cluster = key.first, one.profile = key.second, one.hour = hour, one.hours = covered;
      list.push_back(std::move(one));
    }
  return list;
}

std::map<int, double> DemandOverTime::spread(const ClusterName& cluster, const std::string& profile) const {
  const auto found = spread_.find({cluster, profile});
  return found == spread_.end() ? std::map<int, double>() : found->second;
}

std::vector<DemandPeak> DemandOverTime::peaks() const {
  std::vector<DemandPeak> list;
  for (const auto& [key, hours] : all_) {
    DemandPeak peak{key.first, key.second};
    double sum = 0, covered = 0;
    for (const auto& [hour, one] : hours) {
      sum += one.sum;
      if (one.peak <= peak.peak) continue;
      peak.peak = one.peak, peak.held = one.held, peak.waiting = one.waiting, peak.at = one.at;
    }
    for (const auto& [hour, part] : covered_.at(key.first)) covered += part;
    if (covered > 0) peak.mean = sum / covered;
    if (peak.peak > 0) list.push_back(std::move(peak));
  }
  return list;
}

}  // namespace tessera::usage
