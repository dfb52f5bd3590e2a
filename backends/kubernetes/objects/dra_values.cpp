#include "backends/kubernetes/objects/dra_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/mig/profile_name.hpp"
#include "engine/number.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kNamedDevices = 8;  // in a comment

std::optional<int> device_number(std::string_view text) { return whole_number(text, 4095); }

// "gpu-1-mig-1g24gb-14-0" → 1
std::optional<int> minor_of(std::string_view device) {
  if (!device.starts_with("gpu-")) return std::nullopt;
  device.remove_prefix(4);
  return device_number(device.substr(0, device.find('-')));
}

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

// Where the product has that profile there.
std::optional<Placement> placement_of(std::string_view device, const ProfileName& profile,
                                      const mig::Product* product) {
  const mig::Profile* known = product ? product->find(profile.view()) : nullptr;
  if (!known) return std::nullopt;
  auto start = start_in(device);
  if (!start || std::find(known->starts.begin(), known->starts.end(), *start) == known->starts.end())
    return std::nullopt;
  return Placement{*start, known->memory_slices};
}

struct DraBoard {
  const DraDevice* whole = nullptr;
  std::vector<const DraDevice*> instances;  // those that stand there
  const DraDevice& any() const { return whole ? *whole : *instances.front(); }
};

class DeviceLayer {
 public:
  DeviceLayer(Node& node, const std::string& pool, const DraClaims& claims, const mig::Catalogue* catalogue,
              Origin origin)
      : node_(node), pool_(pool), claims_(claims), catalogue_(catalogue), origin_(origin) {}

  DraNumbers run(const std::vector<const DraDevice*>& devices) {
    std::map<std::string, DraBoard> boards;
    for (const DraDevice* device : devices) {
      bool mig = device->type == "mig";
      if (mig && device->uuid.empty() && !held(*device)) continue;
      DraBoard& board = boards[board_of(*device)];
      if (mig)
        board.instances.push_back(device);
      else if (!board.whole || device->type == "gpu")
        board.whole = device;
    }
    node_.gpus.clear();
    node_.out_of_use.clear();  // counted by a device plugin, not by this driver
    std::erase_if(node_.pool, [](const Slice& slice) { return slice.kind != SliceKind::vgpu; });
    for (const auto& [key, board] : boards) add(board);
    std::stable_sort(node_.gpus.begin(), node_.gpus.end(),
                     [](const Gpu& a, const Gpu& b) { return a.index.value < b.index.value; });
    if (!node_.gpus.empty() && node_.model.empty()) node_.model = node_.gpus.front().model;
    return std::move(numbers_);
  }

 private:
  bool held(const DraDevice& device) const { return claims_.is_allocated(pool_, device.name); }

  static std::string board_of(const DraDevice& device) {
    if (auto minor = minor_of(device.name)) return fmt::format("{:06}", *minor);
    return !device.parent.empty() ? device.parent : device.uuid.empty() ? device.name : device.uuid;
  }

  Slice slice_of(const DraDevice& device) {
    Slice slice;
    slice.device = numbers_.emplace(device.name, static_cast<int>(numbers_.size())).first->second;
    slice.told_held = held(device);
    slice.told_out = !device.closed_by().empty();
    return slice;
  }

  void add(const DraBoard& board) {
    const DraDevice& first = board.any();
    Gpu gpu;
    gpu.index = GpuIndex{minor_of(first.name).value_or(static_cast<int>(node_.gpus.size()))};
    gpu.model = first.product.empty() ? node_.model : first.product;
    gpu.uuid = board.whole ? first.uuid : first.parent;
    const mig::Product* product = catalogue_ ? catalogue_->by_any(gpu.model) : nullptr;
    if (!product && catalogue_) product = catalogue_->by_gfd_label(node_.model);
    if (product) gpu.product = product->key;
    gpu.origin = origin_;
    if (board.instances.empty()) {
      gpu.strategy = Strategy::whole;
      gpu.memory = first.memory;
      gpu.slices.push_back(slice_of(first));
    } else {
      gpu.strategy = Strategy::mig;
      gpu.mig_mode = MigMode::enabled;
      for (const DraDevice* device : board.instances) {
        Slice slice = slice_of(*device);
        slice.kind = SliceKind::gpu_instance;
        slice.profile = mig::canonical_profile(device->profile).value_or(ProfileName(device->profile));
        slice.placement = placement_of(device->name, slice.profile, product);
        slice.uuid = device->uuid;
        gpu.slices.push_back(std::move(slice));
      }
      auto start = [](const Slice& slice) { return slice.placement ? slice.placement->start : 1 << 16; };
      std::stable_sort(gpu.slices.begin(), gpu.slices.end(),
                       [&](const Slice& a, const Slice& b) { return start(a) < start(b); });
    }
    node_.gpus.push_back(std::move(gpu));
  }

  Node& node_;
  const std::string& pool_;
  const DraClaims& claims_;
  const mig::Catalogue* catalogue_;
  Origin origin_;
  DraNumbers numbers_;
};

std::string type_of_device(const std::string& name, const std::vector<const DraDevice*>& devices) {
  for (const DraDevice* device : devices)
    if (device->name == name && device->type == "mig")
      return mig::canonical_profile(device->profile).value_or(ProfileName(device->profile)).text;
  return {};
}

void hold(Workload& work, const PodObject& pod, const ResourceClaimObject& claim, const DraNumbers& numbers,
          const std::vector<const DraDevice*>& devices) {
  for (const auto& result : claim.results) {
    if (result.driver != kDraDriver || result.admin) continue;
    std::string type = type_of_device(result.device, devices);
    auto number = numbers.find(result.device);
    auto same = std::find_if(work.allocations.begin(), work.allocations.end(), [&](const Allocation& one) {
      return one.family == Family::gpu && one.type == type &&
             one.devices.empty() == (number == numbers.end());
    });
    if (same == work.allocations.end())
      same = work.allocations.insert(same, {NodeName(pod.node), Family::gpu, type, 0, {}});
    ++same->count;
    if (number != numbers.end()) same->devices.push_back({number->second, 1});
  }
}

void comment_on(Workload& work, const ResourceClaimObject& claim) {
  std::string names;
  std::size_t said = 0, all = 0;
  for (const auto& result : claim.results) {
    if (result.driver != kDraDriver) continue;
    if (all++ >= kNamedDevices) continue;
    names += (said++ == 0 ? "" : ", ") + result.device + (result.admin ? " (looks on)" : "");
  }
  if (all > said) names += fmt::format(" and {} more", all - said);
  work.comment += fmt::format("{}claim {}{}{}", work.comment.empty() ? "" : "; ", claim.meta.name,
                              names.empty() ? "" : ": ", names);
}

}  // namespace

DraNumbers lay_devices(Node& node, const std::vector<const DraDevice*>& devices, const std::string& pool,
                       const DraClaims& claims, const mig::Catalogue* catalogue, Origin origin) {
  return DeviceLayer(node, pool, claims, catalogue, origin).run(devices);
}

void add_claims(Workload& work, const PodObject& pod, const std::vector<const ResourceClaimObject*>& claims,
                const DraNumbers& numbers, const std::vector<const DraDevice*>& devices) {
  if (claims.empty()) return;
  // It reaches its GPUs by claims, not unasked.
  if (pod.requests.size() <= pod.by_claim.size()) work.allocations.clear();
  for (const ResourceClaimObject* claim : claims) {
    const bool told = claim->meta.name == pod.extended_claim;  // as requests of the pod's own
    for (const auto& wanted : claim->wanted) {
      if (told) break;
      auto same = std::find_if(work.requests.begin(), work.requests.end(),
                               [&](const Request& one) { return one.resource == wanted.device_class; });
      if (same == work.requests.end())
        work.requests.push_back({wanted.device_class, wanted.count});
      else
        same->count += wanted.count;
    }
    comment_on(work, *claim);
    bool held = is_held_by(*claim, pod.meta.name);
    if (held && !pod.node.empty()) hold(work, pod, *claim, numbers, devices);
    if (!held && work.state == WorkloadState::pending && work.reason.empty())
      work.reason = fmt::format("waits for claim {}: {}", claim->meta.name,
                                claim->results.empty() ? "no device is allocated to it"
                                                       : "its devices are not reserved for this pod");
  }
}

}  // namespace tessera::kubernetes
