#include "engine/sharing/amd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ascii.hpp"
#include "engine/shell.hpp"

namespace tessera::sharing::amd {
namespace {

constexpr std::string_view kVendor = "amd.com/";

bool is_word(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Its accelerators by the word in their names, and how many dies of each compute on their own (XCDs; AMD's
// documents on partitioning, and the products' data sheets). 0: it has no modes.
struct Accelerator {
  std::string_view word;
  int dies;
};
constexpr std::array kAccelerators = {
    Accelerator{"MI300X", 8}, Accelerator{"MI300A", 6}, Accelerator{"MI325X", 8}, Accelerator{"MI350X", 8},
    Accelerator{"MI355X", 8}, Accelerator{"MI250X", 0}, Accelerator{"MI250", 0},  Accelerator{"MI210", 0},
    Accelerator{"MI100", 0},  Accelerator{"MI60", 0},   Accelerator{"MI50", 0},
};

// "AMD_Instinct_MI300X_OAM" → "MI300X": MI and a number of two or three digits, a word of its own.
std::string accelerator_word(std::string_view model) {
  const std::string name = upper(model.substr(0, 256));
  for (std::size_t at = name.find("MI"); at != std::string::npos; at = name.find("MI", at + 1)) {
    if (at > 0 && is_word(name[at - 1])) continue;
    std::size_t digits = at + 2;
    while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
    std::size_t end = digits;
    while (end < name.size() && is_word(name[end])) ++end;
    if (digits - at - 2 >= 2 && digits - at - 2 <= 3 && end - digits <= 1) return name.substr(at, end - at);
  }
  return {};
}

const Accelerator* find(std::string_view model) {
  const std::string word = accelerator_word(model);
  const auto found = std::find_if(kAccelerators.begin(), kAccelerators.end(),
                                  [&](const Accelerator& one) { return one.word == word; });
  return found == kAccelerators.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string> parse_mode(std::string_view text) {
  constexpr std::array<std::string_view, 5> kCompute = {"SPX", "DPX", "TPX", "QPX", "CPX"};
  constexpr std::array<std::string_view, 4> kMemory = {"NPS1", "NPS2", "NPS4", "NPS8"};
  if (text.size() != 8 || (text[3] != '_' && text[3] != '/')) return std::nullopt;
  std::string mode = upper(text);
  mode[3] = '/';
  const std::string_view told = mode;
  const bool known = std::find(kCompute.begin(), kCompute.end(), told.substr(0, 3)) != kCompute.end() &&
                     std::find(kMemory.begin(), kMemory.end(), told.substr(4)) != kMemory.end();
  return known ? std::optional(std::move(mode)) : std::nullopt;
}

bool is_whole(std::string_view mode) { return mode.starts_with("SPX"); }

std::optional<std::string> mode_of_resource(std::string_view resource) {
  if (!resource.starts_with(kVendor) || resource.find('/', kVendor.size()) != std::string_view::npos)
    return std::nullopt;
  return parse_mode(resource.substr(kVendor.size()));
}

bool is_resource(std::string_view resource) { return resource == kGpu || mode_of_resource(resource); }

std::optional<int> partitions(std::string_view mode, std::string_view model) {
  if (is_whole(mode)) return 1;
  const Accelerator* known = find(model);
  if (!known || known->dies == 0) return std::nullopt;
  const int parts = mode.starts_with("DPX")   ? 2
                    : mode.starts_with("TPX") ? 3
                    : mode.starts_with("QPX") ? 4
                    : mode.starts_with("CPX") ? known->dies
                                              : 0;
  return parts > 0 && known->dies % parts == 0 ? std::optional(parts) : std::nullopt;
}

std::optional<bool> has_modes(std::string_view model) {
  const Accelerator* known = find(model);
  return known ? std::optional(known->dies > 0) : std::nullopt;
}

bool is_partition(const Slice& slice) {
  return slice.kind == SliceKind::gpu_instance &&
         (slice.profile.text == kUntold || parse_mode(slice.profile.text).has_value());
}

bool is_amd_model(std::string_view model) {
  if (model.starts_with("NVIDIA")) return false;  // nearly all there are
  const std::string name = upper(model.substr(0, 256));
  return name == "AMD" || name.starts_with("AMD ") || name.starts_with("AMD_") || name.starts_with("AMD-") ||
         name.find("INSTINCT") != std::string::npos || name.find("RADEON") != std::string::npos ||
         !accelerator_word(model).empty();
}

bool is_amd(const Gpu& gpu) { return !gpu.partition_mode.empty() || is_amd_model(gpu.model); }

bool is_amd(const Node& node) {
  if (std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) { return is_amd(gpu); }))
    return true;
  if (is_amd_model(node.model)) return true;
  if (!node.gpus.empty() || !node.allocatable) return false;
  return std::any_of(node.allocatable->begin(), node.allocatable->end(),
                     [](const auto& one) { return is_resource(one.first); });
}

std::optional<Error> why_not_planned(const Node& node, Scheduler scheduler) {
  if (!is_amd(node)) return std::nullopt;
  const std::string name = shell_word(node.name.text);
  const std::string by_hand =
      "amd-smi set --gpu all --compute-partition CPX --memory-partition NPS4 on the node, once no work is on "
      "it";
  Error error{"cannot plan " + node.name.text, "it has GPUs of AMD: " + std::string(kNotPlanned), ""};
  error.hint = scheduler == Scheduler::kubernetes
                   ? fmt::format(
                         "AMD's config manager changes them: kubectl drain {0}, kubectl label node {0} "
                         "{1}=PROFILE (a profile of its ConfigMap), {2} says how it went; or {3}",
                         name, kProfile, kProfileState, by_hand)
                   : fmt::format(
                         "close the node (scontrol update NodeName={} State=DRAIN Reason=...), then {}; "
                         "Gres= and gres.conf have to follow",
                         name, by_hand);
  return error;
}

}  // namespace tessera::sharing::amd
