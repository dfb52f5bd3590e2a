// What a node advertises, by the names that the schedulers use, and those names taken apart again.
//
//   Kubernetes  nvidia.com/gpu  nvidia.com/gpu.shared  nvidia.com/mig-1g.10gb.me
//   ... claims  gpu.nvidia.com  mig.nvidia.com/1g.10gb
//   Slurm       gpu:h100  gpu:1g.10gb  mps  shard
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sharing/shape.hpp"

namespace tessera::sharing {

inline constexpr int kMpsPercent = 100;  // Slurm counts MPS in percent of a GPU

struct Advertised {
  std::map<std::string, std::int64_t> counts;  // resource → how many; a name that is left at 0 is listed
  std::vector<std::string> notes;              // why something is 0 or odd, as sentences
};
Advertised advertise(const NodeShape& node, Scheduler scheduler);

// Names. A profile keeps '+' in Slurm and gets '.' in Kubernetes; '-' stays in both.
std::string kubernetes_gpu(bool shared = false);
std::string kubernetes_instance(const ProfileName& profile, bool shared = false);
// Whether a DRA driver hands out the node's GPUs.
bool by_claims(const Node& node);
// What a claim asks its driver for: "mig.nvidia.com/1g.10gb"; without a profile "gpu.nvidia.com".
std::string claimed_as(const ProfileName& profile);
std::string slurm_gpu(std::string_view type);  // "gpu" without one
std::string slurm_instance(const ProfileName& profile, std::string_view prefix = {});
// A profile as labels and resource names spell it: "1g.10gb.me".
std::string kubernetes_spelling(const ProfileName& profile);

enum class ResourceKind : std::uint8_t { gpu, instance, mps, shard, vgpu, gpu_memory, other_gpu };

struct ResourceName {
  ResourceKind kind = ResourceKind::gpu;
  std::optional<ProfileName> profile;  // instance
  std::string type;                    // Slurm's type of a whole GPU, or the vGPU's type: "A10-12Q"
  bool shared = false;                 // ".shared"
  bool claimed = false;                // a device class of a DRA driver, for which claims ask
  friend bool operator==(const ResourceName&, const ResourceName&) = default;
};
// nullopt: not a GPU resource; NVIDIA's network cards (nvidia.com/hostdev) are none. Slurm's "gres/gpu:h100",
// "gres:gpu:h100" and "gpu:h100" are one.
std::optional<ResourceName> parse_resource(std::string_view text, Scheduler scheduler);
// Whether a Kubernetes resource is one of those whose number follows from how a node's GPUs are cut and
// shared: whole GPUs, instances, vGPUs, ACK's memory. GPUs handed through to virtual machines are not.
bool hands_out_gpus(std::string_view resource);
// The name without ".shared", and whether it had it.
std::pair<std::string, bool> without_shared(std::string_view resource);
// "nvidia.com/NVIDIA_A10-12Q": as KubeVirt's plugin offers a type of vGPU.
std::string kubernetes_vgpu(std::string_view type);

// Whether the node names its shares "….shared" (renameByDefault), by what it allocates; nullopt: it hands out
// no shares, or does not say.
std::optional<bool> renames_shares(const Node& node);

}  // namespace tessera::sharing
