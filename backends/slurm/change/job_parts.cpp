#include "backends/slurm/change/job_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/mig/profile_name.hpp"

namespace tessera::slurm {
namespace {

Slice* find_part(Node& node, const NamedPart& part) {
  for (Gpu& gpu : node.gpus)
    for (Slice& slice : gpu.slices)
      if (gpu.index.value == part.gpu && slice.instance_id == part.instance && slice.profile == part.profile)
        return &slice;
  return nullptr;
}

// Slurm's numbers of the devices of that profile that the job holds on the node.
std::vector<int> devices_of(const Workload& job, const NodeName& node, const ProfileName& profile) {
  std::vector<int> devices;
  for (const Allocation& one : job.allocations) {
    if (one.node != node || one.family != Family::gpu) continue;
    if (mig::profile_of_slurm_type(one.type) != profile) continue;
    for (const DeviceShare& device : one.devices) devices.push_back(device.device);
  }
  return devices;
}

bool is_taken(const Node& node, int device) {
  return std::any_of(node.gpus.begin(), node.gpus.end(), [&](const Gpu& gpu) {
    return std::any_of(gpu.slices.begin(), gpu.slices.end(),
                       [&](const Slice& slice) { return slice.device == device; });
  });
}

}  // namespace

std::vector<NamedPart> named_parts(const figures::DcgmReadings& readings) {
  std::vector<NamedPart> parts;
  for (const figures::DcgmPart& part : readings.parts)
    if (part.instance && part.jobs.size() == 1 && !part.doubtful)
      parts.push_back({part.gpu, *part.instance, part.profile, part.jobs.front()});
  return parts;
}

void NamedJobs::keep(const NodeName& node, const figures::DcgmReadings& readings, Steady now) {
  std::vector<NamedPart> named = named_parts(readings);
  const std::lock_guard lock(mutex_);
  if (named.empty())
    told_.erase(node);
  else
    told_[node] = {now, std::move(named)};
}

std::vector<NamedPart> NamedJobs::of(const NodeName& node, Steady now, Duration stand) const {
  const std::lock_guard lock(mutex_);
  const auto found = told_.find(node);
  if (found == told_.end() || now - found->second.at > stand) return {};
  return found->second.parts;
}

void NamedJobs::forget_older(Steady now, Duration stand) {
  const std::lock_guard lock(mutex_);
  std::erase_if(told_, [&](const auto& one) { return now - one.second.at > stand; });
}

bool NamedJobs::any() const {
  const std::lock_guard lock(mutex_);
  return !told_.empty();
}

void number_parts(Node& node, const std::vector<NamedPart>& parts, const std::vector<Workload>& jobs,
                  const JobNumbers& numbers) {
  std::map<std::pair<std::string, ProfileName>, std::vector<Slice*>> named;
  for (const NamedPart& part : parts)
    if (Slice* slice = find_part(node, part); slice && !slice->device)
      named[{part.job, part.profile}].push_back(slice);
  for (const auto& [key, slices] : named) {
    const auto other = numbers.find(key.first);
    const WorkloadId id = other == numbers.end() ? WorkloadId(key.first) : other->second;
    const auto job =
        std::find_if(jobs.begin(), jobs.end(), [&id = id](const Workload& one) { return one.id == id; });
    if (job == jobs.end() || job->state != WorkloadState::running) continue;
    const std::vector<int> devices = devices_of(*job, node.name, key.second);
    const bool free =
        std::none_of(devices.begin(), devices.end(), [&](int device) { return is_taken(node, device); });
    if (devices.size() != slices.size() || !free) continue;
    for (std::size_t i = 0; i < devices.size(); ++i) slices[i]->device = devices[i];
  }
}

}  // namespace tessera::slurm
