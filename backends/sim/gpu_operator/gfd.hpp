// What a node's GPUs come to for Kubernetes: the resources that the device plugin offers, and the labels that
// GPU feature discovery writes about the same GPUs.
//
// After k8s-device-plugin v0.20 (internal/rm, internal/lm): strategies none, single and mixed, sharing by
// time-slices and MPS, and what each refuses. Threads: pure functions of values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/gpu_operator/plugin_config.hpp"
#include "backends/sim/world.hpp"

namespace tessera::sim::kube {

using Labels = std::map<std::string, std::string>;

struct Offer {
  std::map<std::string, std::int64_t> resources;  // "nvidia.com/gpu" → how many; may hold zeroes
  std::vector<std::string> notes;                 // what the plugin logs about it
  std::optional<std::string> refuses;             // it ends with these words and offers nothing
};

// The GPUs of one node, and what is known of their kind.
struct GpuNode {
  const NodeGroup& group;
  const std::vector<Board>& boards;
  const mig::Product* product = nullptr;  // of the catalogue, also when it cannot be cut; nullptr: unknown
};
GpuNode gpu_node(const World& world, std::uint32_t node);

// strategy: of the ClusterPolicy; the configuration's own wins.
Offer offer_of(const GpuNode& node, const PluginConfig& config, sharing::MigStrategy strategy);

struct Discovered {
  Labels labels;                       // complete: a label of ours that is not in here is to be removed
  std::optional<std::string> refuses;  // feature discovery ends with these words
};
// at: becomes nvidia.com/gfd.timestamp.
Discovered discover(const GpuNode& node, const PluginConfig& config, sharing::MigStrategy strategy,
                    TimePoint at);
// Whether feature discovery writes this key, so that it removes it when it no longer holds.
bool is_discovered(std::string_view key);

// "nvidia.com/mig-1g.10gb.me" of a profile.
std::string resource_of(const mig::Profile& profile);

}  // namespace tessera::sim::kube
