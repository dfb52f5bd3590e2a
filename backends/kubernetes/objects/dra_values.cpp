#include "backends/kubernetes/objects/dra_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/kubernetes/objects/dra_amd.hpp"
#include "backends/kubernetes/objects/dra_counters.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/operators/claimed_devices.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kNamedDevices = 8;  // in a comment

struct DraBoard {
  const DraDevice* whole = nullptr;
  std::vector<const DraDevice*> instances;  // those that stand there
  std::vector<const DraDevice*> makeable;   // that the driver makes when a claim asks, those that stand too
  const DraDevice& any() const {
    return whole ? *whole : instances.empty() ? *makeable.front() : *instances.front();
  }
};

// What its labels and counts told of GPUs and slices.
void forget_labels(Node& node) {
  node.gpus.clear();
  node.out_of_use.clear();  // counted by a device plugin, not by a DRA driver
  std::erase_if(node.pool, [](const Slice& slice) { return slice.kind != SliceKind::vgpu; });
}

class DeviceLayer {
 public:
  DeviceLayer(Node& node, const DraPool& pool, const std::string& name, const DraClaims& claims,
              std::optional<bool> gate, const mig::Catalogue* catalogue, Origin origin)
      : node_(node),
        pool_(name),
        claims_(claims),
        catalogue_(catalogue),
        origin_(origin),
        on_demand_(cuts_on_demand(pool, gate, catalogue)),
        counters_(pool, claims, name),
        left_told_(counters_.told()) {}

  DraNumbers run(const std::vector<const DraDevice*>& devices) {
    std::map<std::string, DraBoard> boards;
    for (const DraDevice* device : devices) {
      bool mig = device->type == "mig";
      DraBoard& board = boards[board_of(*device)];
      if (mig && device->uuid.empty()) board.makeable.push_back(device);
      if (mig && device->uuid.empty() && !held(*device)) continue;
      if (mig)
        board.instances.push_back(device);
      else if (!board.whole || device->type == "gpu")
        board.whole = device;
    }
    forget_labels(node_);
    for (const auto& [key, board] : boards) add(board);
    using operators::DraWay;
    if (on_demand_)
      operators::say_way(node_, !*on_demand_ ? DraWay::at_start
                                : left_told_ ? DraWay::on_demand
                                             : DraWay::on_demand_dark);
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
    gpu.uuid = board.whole ? first.uuid : first.parent;  // of what could be made, too
    const mig::Product* product = catalogue_ ? catalogue_->by_any(gpu.model) : nullptr;
    if (!product && catalogue_) product = catalogue_->by_gfd_label(node_.model);
    if (product) gpu.product = product->key;
    gpu.origin = origin_;
    if (board.instances.empty() && !board.whole) {
      // Ampere with its MIG mode on: the GPU as a whole cannot be had.
      gpu.strategy = Strategy::mig;
      gpu.mig_mode = MigMode::enabled;
    } else if (board.instances.empty()) {
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
    if (!board.makeable.empty()) left_told_ = left_told_ && agrees(board, gpu, product);
    node_.gpus.push_back(std::move(gpu));
  }

  // What is left of the GPU by its counters, and by the catalogue.
  bool agrees(const DraBoard& board, const Gpu& gpu, const mig::Product* product) const {
    if (!product) return false;
    mig::Layout held;
    for (const Slice& slice : gpu.slices) {
      if (slice.kind != SliceKind::gpu_instance) continue;
      const auto index = product->index_of(slice.profile.text);
      if (!index || !slice.placement) return false;
      held.push_back({*index, slice.placement->start});
    }
    std::sort(held.begin(), held.end());
    if (!mig::is_legal(*product, held)) return false;
    return counters_.agrees(board.makeable, *product, held, board.whole && this->held(*board.whole));
  }

  Node& node_;
  const std::string& pool_;
  const DraClaims& claims_;
  const mig::Catalogue* catalogue_;
  Origin origin_;
  std::optional<bool> on_demand_;
  DraCounters counters_;
  bool left_told_;
  DraNumbers numbers_;
};

std::string type_of_device(const std::string& name, const std::vector<const DraDevice*>& devices) {
  for (const DraDevice* device : devices) {
    if (device->name != name) continue;
    if (device->type == "mig")
      return mig::canonical_profile(device->profile).value_or(ProfileName(device->profile)).text;
    if (is_amd(*device)) return amd_type_of(*device);
  }
  return {};
}

void hold(Workload& work, const PodObject& pod, const ResourceClaimObject& claim, const DraNumbers& numbers,
          const std::vector<const DraDevice*>& devices) {
  for (const auto& result : claim.results) {
    if (!is_gpu_driver(result.driver) || result.admin) continue;
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
    if (!is_gpu_driver(result.driver)) continue;
    if (all++ >= kNamedDevices) continue;
    names += (said++ == 0 ? "" : ", ") + result.device + (result.admin ? " (looks on)" : "");
  }
  if (all > said) names += fmt::format(" and {} more", all - said);
  work.comment += fmt::format("{}claim {}{}{}", work.comment.empty() ? "" : "; ", claim.meta.name,
                              names.empty() ? "" : ": ", names);
}

}  // namespace

DraNumbers lay_devices(Node& node, const DraPool& pool, const std::string& name, const DraClaims& claims,
                       std::optional<bool> gate, const mig::Catalogue* catalogue, Origin origin) {
  DraPool ours = pool;
  std::erase_if(ours.devices, [](const DraDevice* device) { return is_amd(*device); });
  const bool all_amd = ours.devices.empty() && !pool.devices.empty();
  DraNumbers numbers;
  if (all_amd)
    forget_labels(node);
  else
    numbers = DeviceLayer(node, ours, name, claims, gate, catalogue, origin).run(ours.devices);
  if (ours.devices.size() == pool.devices.size()) return numbers;
  std::vector<const DraDevice*> of_amd = pool.devices;
  std::erase_if(of_amd, [](const DraDevice* device) { return !is_amd(*device); });
  lay_amd_devices(node, of_amd, name, claims, numbers, origin);
  return numbers;
}

std::optional<bool> gate_of(std::string_view feature_gates) {
  std::optional<bool> gate;
  while (!feature_gates.empty()) {
    const std::size_t end = std::min(feature_gates.find(','), feature_gates.size());
    std::string_view one = feature_gates.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == "DynamicMIG=true" || one == "DynamicMIG=false") {
      const bool on = one.ends_with("true");
      if (gate && *gate != on) return std::nullopt;
      gate = on;
    }
    feature_gates.remove_prefix(std::min(end + 1, feature_gates.size()));
  }
  return gate;
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
                               [&](const Request& one) { return one.resource == wanted.resource(); });
      if (same == work.requests.end())
        work.requests.push_back({wanted.resource(), wanted.count});
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
