// Nodes with GPUs of AMD: what their labels and counts say, and the GPUs and partitions that follow.
//
// By AMD's device plugin and node labeller (k8s-device-plugin, 2026-08). Each partition of a GPU is a device
// of the plugin: eight GPUs in the mode CPX are 64 of amd.com/gpu, or, with the naming strategy mixed, of
// amd.com/cpx_nps4. How many GPUs these are is not told; it follows from the mode and the model.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// One resource of AMD's.
struct AmdPart {
  std::string resource;
  std::string mode;  // "CPX/NPS4"; empty: not told
  int count = 0;     // devices
  // Of one GPU; nullopt: how many devices a GPU is cannot be told.
  std::optional<int> each;
  friend bool operator==(const AmdPart&, const AmdPart&) = default;
};

struct AmdSharing {
  std::string model;  // "AMD Instinct MI300X OAM"; "AMD GPU": not told
  std::vector<AmdPart> parts;
  std::optional<Mib> device_memory;  // of one device, in whole GiB
  friend bool operator==(const AmdSharing&, const AmdSharing&) = default;
};

// nullopt: none of its labels and counts is AMD's.
std::optional<AmdSharing> amd_sharing_of(const NodeObject& node);
// Whether its labels say that there are GPUs of AMD.
bool has_amd_labels(const NodeObject& node);
bool is_kept_amd_label(std::string_view key);

// The GPUs, and in the pool the devices of which it is not known what GPU they are of.
void add_amd_boards(Node& node, const AmdSharing& amd, Origin origin);
// By which the model finds the slices that a resource means; nullopt: it is not AMD's.
std::optional<std::string> amd_type(std::string_view resource, const AmdSharing* amd);

}  // namespace tessera::kubernetes
