#include "backends/kubernetes/objects/amd_values.hpp"

#include <algorithm>
#include <array>

#include "engine/number.hpp"
#include "engine/sharing/amd.hpp"

namespace tessera::kubernetes {
namespace {

namespace amd = sharing::amd;

constexpr int kMostAmdDevices = 1024;  // more is a broken count, not a node
constexpr int kMostWhole = 16;  // GPUs in one machine; more devices are partitions, whatever a label says
constexpr std::string_view kMode = "amd.com/gpu.compute-memory-partition";

std::string_view label(const NodeObject& node, std::string_view name) {
  const std::string_view now = node.label("amd.com/gpu." + std::string(name));
  return now.empty() ? node.label("beta.amd.com/gpu." + std::string(name)) : now;
}

// PCI devices, where the name is not told (pci.ids).
std::string_view model_of_device(std::string_view id) {
  struct Device {
    std::string_view id, model;
  };
  constexpr std::array kDevices = {
      Device{"74a0", "AMD Instinct MI300A"}, Device{"74a1", "AMD Instinct MI300X"},
      Device{"74a5", "AMD Instinct MI325X"}, Device{"75a0", "AMD Instinct MI350X"},
      Device{"75a3", "AMD Instinct MI355X"}, Device{"740f", "AMD Instinct MI210"},
      Device{"738c", "AMD Instinct MI100"},
  };
  const auto found =
      std::find_if(kDevices.begin(), kDevices.end(), [&](const Device& one) { return one.id == id; });
  return found == kDevices.end() ? std::string_view() : found->model;
}

// "AMD_Instinct_MI300X_OAM": blanks are written as underscores in a label.
std::string model_of(const NodeObject& node) {
  std::string model(label(node, "product-name"));
  std::replace(model.begin(), model.end(), '_', ' ');
  if (model.empty()) model = model_of_device(label(node, "device-id"));
  if (model.empty()) return "AMD GPU";
  return amd::is_amd_model(model) ? model : "AMD " + model;
}

// "192G", of one device.
std::optional<Mib> memory_of(const NodeObject& node) {
  std::string_view text = label(node, "vram");
  if (!text.ends_with('G')) return std::nullopt;
  text.remove_suffix(1);
  const auto gib = whole_number(text, 4096);
  return gib && *gib > 0 ? std::optional(Mib{static_cast<std::int64_t>(*gib) * 1024}) : std::nullopt;
}

// How many of these devices are one GPU.
std::optional<int> each_of(const AmdPart& part, const std::string& model) {
  std::optional<int> each;
  if (!part.mode.empty())
    each = amd::partitions(part.mode, model);
  else
    each = 1;
  if (!each || part.count % *each != 0) return std::nullopt;
  const bool could_be_parts = amd::has_modes(model).value_or(true);
  if (could_be_parts && part.count / *each > kMostWhole) return std::nullopt;
  return each;
}

Slice slice_of(const AmdPart& part) {
  Slice slice;
  if (part.each == 1) return slice;
  slice.kind = SliceKind::gpu_instance;
  slice.profile = ProfileName(part.mode.empty() ? std::string(amd::kUntold) : part.mode);
  return slice;
}

}  // namespace

bool has_amd_labels(const NodeObject& node) {
  return !label(node, "product-name").empty() || !label(node, "device-id").empty() ||
         !node.label(kMode).empty();
}

// Beside what is read: not the versions of the firmware, of which there are dozens.
bool is_kept_amd_label(std::string_view key) {
  if (key == amd::kProfile || key == amd::kProfileState) return true;
  if (key.starts_with("beta.")) key.remove_prefix(5);
  constexpr std::string_view kPrefix = "amd.com/gpu.";
  if (!key.starts_with(kPrefix)) return false;
  key.remove_prefix(kPrefix.size());
  constexpr std::array<std::string_view, 8> kRead = {"product-name",
                                                     "device-id",
                                                     "vram",
                                                     "compute-memory-partition",
                                                     "compute-partitioning-supported",
                                                     "family",
                                                     "driver-version",
                                                     "memory-partitioning-supported"};
  return std::find(kRead.begin(), kRead.end(), key) != kRead.end();
}

std::optional<AmdSharing> amd_sharing_of(const NodeObject& node) {
  AmdSharing found;
  found.model = model_of(node);
  found.device_memory = memory_of(node);
  const auto told = amd::parse_mode(node.label(kMode));
  for (const auto& [resource, count] : node.capacity) {
    if (count <= 0 || !amd::is_resource(resource)) continue;
    AmdPart part;
    part.resource = resource.str();
    part.mode = amd::mode_of_resource(resource).value_or(told.value_or(""));
    part.count = static_cast<int>(std::min<std::int64_t>(count, kMostAmdDevices));
    part.each = each_of(part, found.model);
    found.parts.push_back(std::move(part));
  }
  if (found.parts.empty() && !has_amd_labels(node)) return std::nullopt;
  return found;
}

void add_amd_boards(Node& node, const AmdSharing& sharing, Origin origin) {
  for (const AmdPart& part : sharing.parts) {
    if (!part.each) {
      node.pool.insert(node.pool.end(), static_cast<std::size_t>(part.count), slice_of(part));
      continue;
    }
    const bool cut = *part.each > 1;
    Gpu gpu;
    gpu.model = sharing.model;
    gpu.partition_mode = part.mode;
    gpu.strategy = cut ? Strategy::unknown : Strategy::whole;
    // Of a partition only its own memory is told.
    if (sharing.device_memory) gpu.memory = Mib{sharing.device_memory->value * *part.each};
    gpu.slices.assign(static_cast<std::size_t>(*part.each), slice_of(part));
    gpu.origin = origin;
    // It follows from what is told, and is not told itself.
    const bool untold = part.mode.empty() && amd::has_modes(sharing.model).value_or(true);
    if (cut || untold) gpu.origin.source = Source::inferred;
    for (int i = 0; i < part.count / *part.each; ++i) {
      gpu.index = GpuIndex{static_cast<int>(node.gpus.size())};
      node.gpus.push_back(gpu);
    }
  }
}

std::optional<std::string> amd_type(std::string_view resource, const AmdSharing* sharing) {
  if (!amd::is_resource(resource)) return std::nullopt;
  bool others = false;  // devices of another mode are there, which it must not match
  for (const AmdPart& part : sharing ? sharing->parts : std::vector<AmdPart>{}) {
    others = others || part.resource != resource;
    if (part.resource == resource && part.each != 1) return slice_of(part).profile.text;
  }
  return others && sharing ? std::optional(sharing->model) : std::optional<std::string>("");
}

}  // namespace tessera::kubernetes
