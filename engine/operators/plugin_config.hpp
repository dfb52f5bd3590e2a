// The device plugin's named configurations: read, and one more made from the default by giving it another
// sharing and leaving all its flags alone.
//
// After k8s-device-plugin v0.20 (api/config/v1). A ConfigMap holds one of these texts a key; a node chooses
// by the label nvidia.com/device-plugin.config. Threads: pure functions of values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::operators {

// method: whole (nothing is replicated), time_slicing or mps.
struct PluginSharing {
  Strategy method = Strategy::whole;
  bool rename = false;                  // renameByDefault: nvidia.com/gpu.shared
  std::map<std::string, int> replicas;  // by resource: "nvidia.com/gpu"
  std::optional<bool> fail_multiple;    // failRequestsGreaterThanOne; nullopt: the plugin's own default
  friend bool operator==(const PluginSharing&, const PluginSharing&) = default;
};
// Whether a pod that asks for several shares is refused: MPS does so unless told otherwise (v0.20).
bool refuses_several(const PluginSharing& sharing);

// Whether a device plugin of that version takes pods that ask for several shares of MPS where its
// configuration says so: from 0.20 on. nullopt: the version is not reported, or is no release ("sha256:…").
std::optional<bool> may_take_several_of_mps(std::string_view version);

struct PluginConfig {
  std::optional<sharing::MigStrategy> strategy;  // flags.migStrategy; nullopt: the ClusterPolicy's
  PluginSharing sharing;
  friend bool operator==(const PluginConfig&, const PluginConfig&) = default;
};
// Refuses what the plugin refuses.
Result<PluginConfig> parse_plugin_config(std::string_view text, std::string_view file);

// The text with another sharing; all but its `sharing` stays, comments included. base empty: a new one.
Result<std::string> with_sharing(std::string_view base, const PluginSharing& sharing, std::string_view file);
// Whether two configurations, as texts, are the same but for their `sharing`. One that cannot be read is not.
bool differ_in_sharing_only(std::string_view one, std::string_view other);
// "tessera-ts4-1a2b3c4d": the same text gives the same name.
std::string plugin_config_name(const PluginSharing& sharing, std::string_view text);

// Why a sharing cannot be: 2 or more replicas, MPS 2 to 48 (16 below compute capability 7.5), never MPS where
// MIG is on. One sentence; nullopt: it can. compute_capability empty: not known.
std::optional<std::string> why_not_shared(const PluginSharing& sharing, bool any_mig,
                                          std::string_view compute_capability);

}  // namespace tessera::operators
