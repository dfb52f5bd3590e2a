#include "backends/kubernetes/objects/dra_counters.hpp"

#include <algorithm>

#include "engine/mig/profile_name.hpp"
#include "engine/number.hpp"

namespace tessera::kubernetes {
namespace {

std::optional<int> device_number(std::string_view text) { return whole_number(text, 4095); }

// "gpu-1-mig-1g24gb-14-0" → 0; of older drivers "gpu-1-mig-14-4-1" (profile id, start, size) → 4.
std::optional<int> start_in(std::string_view device) {
  constexpr std::string_view kMig = "-mig-";
  std::size_t at = device.find(kMig);
  if (at == std::string_view::npos) return std::nullopt;
  device.remove_prefix(at + kMig.size());
  std::size_t first = device.find('-'), last = device.rfind('-');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  bool older = device_number(device.substr(0, first)).has_value();
  return device_number(older ? device.substr(first + 1, last - first - 1) : device.substr(last + 1));
}

// "memory-slice-0" and those that follow: how the driver says where a device would stand.
std::optional<Placement> placement_by_counters(const DraDevice& device) {
  constexpr std::string_view kSlice = "memory-slice-";
  int first = 4096, last = -1, count = 0;
  for (const DraDevice::Consumed& one : device.consumes)
    for (const auto& [name, amount] : one.counters) {
      if (!name.starts_with(kSlice) || amount <= 0) continue;
      const auto number = device_number(name.str().substr(kSlice.size()));
      if (!number) return std::nullopt;
      first = std::min(first, *number);
      last = std::max(last, *number);
      ++count;
    }
  if (count == 0 || last - first + 1 != count) return std::nullopt;
  return Placement{first, count};
}

// Generations that switch MIG without a reset: with its gate the driver publishes counters of each.
bool would_be_counted(const mig::Product& product) {
  const auto major = whole_number(
      std::string_view(product.compute_capability).substr(0, product.compute_capability.find('.')), 99);
  return product.mig_capable && major && *major >= 9;
}

}  // namespace

std::optional<int> minor_of(std::string_view device) {
  if (!device.starts_with("gpu-")) return std::nullopt;
  device.remove_prefix(4);
  return device_number(device.substr(0, device.find('-')));
}

std::optional<Placement> placement_of(std::string_view device, const ProfileName& profile,
                                      const mig::Product* product) {
  const mig::Profile* known = product ? product->find(profile.view()) : nullptr;
  if (!known) return std::nullopt;
  auto start = start_in(device);
  if (!start || std::find(known->starts.begin(), known->starts.end(), *start) == known->starts.end())
    return std::nullopt;
  return Placement{*start, known->memory_slices};
}

std::optional<bool> cuts_on_demand(const DraPool& pool, std::optional<bool> gate,
                                   const mig::Catalogue* catalogue) {
  bool stands = false, bare = false;
  for (const DraDevice* device : pool.devices) {
    const bool mig = device->type == "mig";
    if (!device->consumes.empty() || device->uncounted || (mig && device->uuid.empty())) return true;
    stands = stands || mig;
    if (bare || device->type != "gpu" || !catalogue) continue;
    const mig::Product* product = catalogue->by_any(device->product);
    bare = product && would_be_counted(*product);
  }
  if (!pool.counters.empty() || gate == true) return true;
  // Of a pool of which a part is missing only what is there proves something.
  if (!pool.complete || pool.devices.empty()) return std::nullopt;
  if (stands || bare || gate == false) return false;
  return std::nullopt;
}

DraCounters::DraCounters(const DraPool& pool, const DraClaims& claims, const std::string& name)
    : told_(pool.complete && claims.complete()), claims_(claims), pool_(name) {
  for (const DraCounterSet* set : pool.counters)
    told_ = left_.emplace(set->name, set->counters).second && !set->unread && told_;
  for (const DraDevice* device : pool.devices)
    if (claims_.is_allocated(pool_, device->name)) told_ = take(*device) && told_;
}

// What claims have of a device may be more than its counters say: then nothing is left.
bool DraCounters::take(const DraDevice& device) {
  if (device.uncounted) return false;
  for (const DraDevice::Consumed& one : device.consumes) {
    auto set = left_.find(one.set);
    if (set == left_.end()) return false;
    for (const auto& [name, amount] : one.counters) {
      if (!set->second.contains(name)) return false;
      std::int64_t& rest = set->second[name];
      rest = std::max<std::int64_t>(0, rest - amount);
    }
  }
  return true;
}

std::optional<bool> DraCounters::fits(const DraDevice& device) const {
  if (device.uncounted || device.consumes.empty()) return std::nullopt;
  bool all = true;
  for (const DraDevice::Consumed& one : device.consumes) {
    auto set = left_.find(one.set);
    if (set == left_.end()) return std::nullopt;
    for (const auto& [name, amount] : one.counters) {
      auto rest = set->second.find(name);
      if (rest == set->second.end()) return std::nullopt;
      all = all && rest->second >= amount;
    }
  }
  return all;
}

bool DraCounters::agrees(const std::vector<const DraDevice*>& makeable, const mig::Product& product,
                         const mig::Layout& held, bool whole) const {
  if (!told_) return false;
  for (const DraDevice* device : makeable) {
    if (claims_.is_allocated(pool_, device->name)) continue;  // it stands
    const auto counted = fits(*device);
    const ProfileName profile =
        mig::canonical_profile(device->profile).value_or(ProfileName(device->profile));
    const auto index = product.index_of(profile.text);
    const auto place = placement_by_counters(*device);
    if (!counted || !index || !place || place != placement_of(device->name, profile, &product)) return false;
    if (*counted != (!whole && mig::fits(product, held, {*index, place->start}))) return false;
  }
  return true;
}

}  // namespace tessera::kubernetes
