// One named configuration of the NVIDIA device plugin: how a node names its parts and shares them.
//
// Read the way the plugin reads it, and refused with its words (k8s-device-plugin v0.20, api/config/v1).
// Threads: pure functions of values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::sim::kube {

struct PluginConfig {
  std::optional<sharing::MigStrategy> strategy;  // flags.migStrategy; nullopt: the ClusterPolicy's
  Strategy method = Strategy::whole;             // whole, time_slicing or mps
  std::map<std::string, int> replicas;           // by resource: "nvidia.com/gpu"
  bool rename = false;                           // renameByDefault
  bool refuses_several = false;                  // failRequestsGreaterThanOne; MPS: unless told otherwise
  std::vector<std::string> warnings;             // what the plugin logs and then ignores

  // 1: the resource is not shared.
  int replicas_of(const std::string& resource) const;
  friend bool operator==(const PluginConfig&, const PluginConfig&) = default;
};

// `key` is the ConfigMap's, for messages. Errors carry the plugin's own words as their reason.
Result<PluginConfig> parse_plugin_config(std::string_view yaml, std::string_view key);

}  // namespace tessera::sim::kube
