#include "backends/kubernetes/objects/dra.hpp"

#include <algorithm>

namespace tessera::kubernetes {
namespace {

bool counts(const ResourceClaimObject::Result& result) {
  return is_gpu_driver(result.driver) && !result.admin;
}

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

}  // namespace

void DraSlices::keep(ResourceSliceObject slice, const std::string&) {
  drop(slice.meta.name);
  if (!is_gpu_driver(slice.driver) || slice.node.empty()) return;
  by_node_[slice.node].insert(slice.meta.name);
  pools_[slice.pool] = slice.node;
  touched_.insert(slice.node);
  rule(slice);
  for (DraCounterSet& set : slice.counters) words_.share(set.counters);
  for (DraDevice& device : slice.devices)
    for (DraDevice::Consumed& one : device.consumes) words_.share(one.counters);
  std::string name = slice.meta.name;
  all_.insert_or_assign(std::move(name), std::move(slice));
}

bool DraSlices::rule(ResourceSliceObject& slice) const {
  bool changed = false;
  for (DraDevice& device : slice.devices) {
    auto about = [&](const DeviceTaintRuleObject& one) {
      return one.selects && !one.partly_known && !one.taint.empty() &&
             (one.driver.empty() || one.driver == slice.driver) &&
             (one.pool.empty() || one.pool == slice.pool) &&
             (one.device.empty() || one.device == device.name);
    };
    auto found = std::find_if(rules_.begin(), rules_.end(), about);
    std::string ruled = found == rules_.end() ? "" : found->taint;
    changed = changed || ruled != device.ruled;
    device.ruled = std::move(ruled);
  }
  return changed;
}

void DraSlices::set_rules(std::vector<DeviceTaintRuleObject> rules) {
  rules_ = std::move(rules);
  for (auto& [name, slice] : all_)
    if (rule(slice)) touched_.insert(slice.node);
}

void DraSlices::drop(const std::string& name) {
  auto found = all_.find(name);
  if (found == all_.end()) return;
  std::string node = found->second.node;
  touched_.insert(node);
  all_.erase(found);
  auto here = by_node_.find(node);
  here->second.erase(name);
  if (!here->second.empty()) return;
  by_node_.erase(here);
  std::erase_if(pools_, [&](const auto& entry) { return entry.second == node; });
}

std::vector<std::string> DraSlices::ids() const { return keys_of(all_); }

DraPool DraSlices::pool_on(const std::string& node) const {
  DraPool pool;
  auto here = by_node_.find(node);
  if (here == by_node_.end()) return pool;
  struct Newest {
    std::int64_t generation, expected, found;
  };
  std::map<std::pair<std::string_view, std::string_view>, Newest> newest;  // by driver and pool
  for (const std::string& name : here->second) {
    const ResourceSliceObject& slice = all_.find(name)->second;
    Newest& one = newest.try_emplace({slice.driver, slice.pool}, Newest{slice.generation, slice.slices, 0})
                      .first->second;
    if (slice.generation > one.generation) one = {slice.generation, slice.slices, 0};
    if (slice.generation == one.generation) ++one.found;
  }
  pool.complete = newest.size() == 1 && newest.begin()->second.found == newest.begin()->second.expected;
  for (const std::string& name : here->second) {
    const ResourceSliceObject& slice = all_.find(name)->second;
    if (slice.generation != newest[{slice.driver, slice.pool}].generation) continue;
    pool.complete = pool.complete && !slice.cut_off;
    for (const DraDevice& device : slice.devices) pool.devices.push_back(&device);
    for (const DraCounterSet& set : slice.counters) pool.counters.push_back(&set);
  }
  return pool;
}

std::string DraSlices::node_of(const std::string& pool) const {
  auto found = pools_.find(pool);
  return found == pools_.end() ? "" : found->second;
}

std::string DraSlices::pool_of(const std::string& node) const {
  auto here = by_node_.find(node);
  return here == by_node_.end() ? "" : all_.find(*here->second.begin())->second.pool;
}

void DraClaims::touch(const ResourceClaimObject& claim) {
  touched_.claims.insert(claim.id());
  for (const auto& result : claim.results)
    if (counts(result)) touched_.pools.insert(result.pool);
}

void DraClaims::keep(ResourceClaimObject claim, const std::string&) {
  std::string id = claim.id();
  drop(id);
  touch(claim);
  for (const auto& result : claim.results)
    if (counts(result)) ++allocated_[{result.pool, result.device}];
  all_.insert_or_assign(std::move(id), std::move(claim));
}

void DraClaims::drop(const std::string& id) {
  auto found = all_.find(id);
  if (found == all_.end()) return;
  touch(found->second);
  for (const auto& result : found->second.results) {
    auto held = allocated_.find({result.pool, result.device});
    if (counts(result) && held != allocated_.end() && --held->second == 0) allocated_.erase(held);
  }
  all_.erase(found);
}

std::vector<std::string> DraClaims::ids() const { return keys_of(all_); }

const ResourceClaimObject* DraClaims::find(const std::string& id) const {
  auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

bool DraClaims::is_allocated(const std::string& pool, const std::string& device) const {
  return allocated_.contains({pool, device});
}

bool is_gpu_claim(const ResourceClaimObject& claim) {
  return std::any_of(claim.results.begin(), claim.results.end(), counts) ||
         std::any_of(claim.wanted.begin(), claim.wanted.end(), [](const auto& wanted) {
           // NVIDIA's others (compute-domain-…) are channels between GPUs, not GPUs.
           return is_gpu_driver(wanted.device_class) || wanted.device_class == "mig.nvidia.com" ||
                  wanted.device_class == "vfio.gpu.nvidia.com";
         });
}

bool is_held_by(const ResourceClaimObject& claim, const std::string& pod_name) {
  return std::find(claim.reserved.begin(), claim.reserved.end(), pod_name) != claim.reserved.end() &&
         std::any_of(claim.results.begin(), claim.results.end(), counts);
}

}  // namespace tessera::kubernetes
