#include "backends/kubernetes/objects/dra_amd.hpp"

#include <algorithm>
#include <map>

#include "engine/sharing/amd.hpp"

namespace tessera::kubernetes {
namespace {

namespace amd = sharing::amd;

constexpr std::string_view kWhole = "amdgpu", kPartition = "amdgpu-partition";

// Every mode of a GPU takes the one counter that they share, so that one of them stands at a time.
bool is_possible_only(const DraDevice& device) { return !device.consumes.empty() || device.uncounted; }

// "AMD_Instinct_MI300X": blanks are written as underscores.
std::string model_of(const DraDevice& device) {
  std::string model = device.product;
  std::replace(model.begin(), model.end(), '_', ' ');
  if (model.empty()) return "AMD GPU";
  return amd::is_amd_model(model) ? model : "AMD " + model;
}

class AmdLayer {
 public:
  AmdLayer(const std::string& pool, const DraClaims& claims, DraNumbers& numbers, Origin origin)
      : pool_(pool), claims_(claims), numbers_(numbers), origin_(origin) {}

  Gpu gpu_of(const std::vector<const DraDevice*>& devices, int index) {
    Gpu gpu;
    gpu.index = GpuIndex{index};
    gpu.model = model_of(*devices.front());
    gpu.origin = origin_;
    if (std::any_of(devices.begin(), devices.end(), [](const auto* one) { return is_possible_only(*one); }))
      return any_mode(std::move(gpu), devices);
    const DraDevice& first = *devices.front();
    gpu.partition_mode = amd::parse_mode(first.profile).value_or("");
    const bool cut = first.type == kPartition;
    gpu.strategy = cut ? Strategy::unknown : Strategy::whole;
    std::int64_t memory = 0;
    for (const DraDevice* device : devices) {
      gpu.slices.push_back(slice_of(*device));
      const std::int64_t own = device->memory ? device->memory->value : 0;  // 0: the driver cannot read it
      memory = own == 0 || memory < 0 ? -1 : memory + own;
    }
    if (memory > 0) gpu.memory = Mib{memory};
    return gpu;
  }

 private:
  // One thing that can be had, of which it is not told what it is. A claim on any of its modes has it.
  Gpu any_mode(Gpu gpu, const std::vector<const DraDevice*>& devices) {
    gpu.strategy = Strategy::unknown;
    Slice slice;
    slice.kind = SliceKind::gpu_instance;
    slice.profile = ProfileName(std::string(amd::kUntold));
    const int number = next();
    slice.device = number;
    slice.told_held = false;
    bool open = false;
    for (const DraDevice* device : devices) {
      numbers_.emplace(device->name, number);
      if (claims_.is_allocated(pool_, device->name)) slice.told_held = true;
      open = open || device->closed_by().empty();
    }
    slice.told_out = !open;
    gpu.slices.push_back(std::move(slice));
    return gpu;
  }

  Slice slice_of(const DraDevice& device) {
    Slice slice;
    slice.device = numbers_.emplace(device.name, next()).first->second;
    slice.told_held = claims_.is_allocated(pool_, device.name);
    slice.told_out = !device.closed_by().empty();
    if (device.type != kPartition) return slice;
    slice.kind = SliceKind::gpu_instance;
    slice.profile = ProfileName(amd_type_of(device));
    return slice;
  }
  int next() const {
    int highest = -1;
    for (const auto& [name, number] : numbers_) highest = std::max(highest, number);
    return highest + 1;
  }

  const std::string& pool_;
  const DraClaims& claims_;
  DraNumbers& numbers_;
  Origin origin_;
};

}  // namespace

bool is_amd(const DraDevice& device) { return device.type == kWhole || device.type == kPartition; }

std::string amd_type_of(const DraDevice& device) {
  if (is_possible_only(device)) return std::string(amd::kUntold);
  if (device.type != kPartition) return {};
  return amd::parse_mode(device.profile).value_or(std::string(amd::kUntold));
}

void lay_amd_devices(Node& node, const std::vector<const DraDevice*>& devices, const std::string& pool,
                     const DraClaims& claims, DraNumbers& numbers, Origin origin) {
  // By the address of the GPU; a device without one stands alone.
  std::map<std::string, std::vector<const DraDevice*>> boards;
  for (const DraDevice* device : devices)
    boards[device->parent.empty() ? "~" + device->name : device->parent].push_back(device);
  AmdLayer layer(pool, claims, numbers, origin);
  for (const auto& [address, of_one] : boards)
    node.gpus.push_back(layer.gpu_of(of_one, static_cast<int>(node.gpus.size())));
  if (!node.gpus.empty() && node.model.empty()) node.model = node.gpus.front().model;
}

}  // namespace tessera::kubernetes
