// What a Kubernetes cluster's plans are written from: the GPU operator's settings and the named layouts and
// sharing configurations that exist.
//
// Read by the backend, used by the step builder (engine/plan/steps/steps_operator.cpp). Threads: plain
// values, shared as const.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/operators/mig_parted.hpp"
#include "engine/operators/reading.hpp"
#include "engine/operators/slinky.hpp"

namespace tessera::operators {

// A MIG manager's configuration file, parsed once however many nodes have the same.
struct MigFile {
  std::string text;
  Result<MigDocument> document;
};
using MigFilePtr = std::shared_ptr<const MigFile>;
MigFilePtr mig_file(std::string text);  // nullptr for an empty one

// What a part says counts only as far as `readings` tells that it was read: an empty value alone proves
// nothing.
struct OperatorSetup {
  Readings readings;
  std::string gpu_cluster;     // the GPUCluster's name; empty: there is none
  std::string ns;              // the operator's namespace
  std::string dra_api;         // "resource.k8s.io/v1": where ResourceSlices are; empty: there are none
  std::string rules_api;       // "resource.k8s.io/v1beta2": where DeviceTaintRules are; empty: there are none
  std::string dra_ns;          // where NVIDIA's DRA driver has its pods; empty: not found
  std::string version;         // of the operator; empty: not reported
  std::string strategy;        // "none" "single" "mixed": ClusterPolicy spec.mig.strategy
  std::string mig_config_map;  // spec.migManager.config.name; empty: the MIG manager's own
  MigFilePtr mig_config;       // its config.yaml, or the static default map's; nullptr: not readable
  std::map<std::string, MigFilePtr> node_config;      // by node: what a recent MIG manager generated there
  std::string plugin_config_map;                      // spec.devicePlugin.config.name; empty: none
  std::string plugin_default;                         // spec.devicePlugin.config.default
  std::map<std::string, std::string> plugin_configs;  // its keys and their YAML
  // When they were last written, by the API server's clock; nullopt: not told.
  std::optional<TimePoint> plugin_configs_written;
  std::map<std::string, std::map<std::string, std::string>>
      labels;                                // by GPU node: those by which it is driven, product and count
  std::string plugin_version;                // spec.devicePlugin.version; empty: not reported
  std::string policy;                        // the ClusterPolicy's name; empty: there is none
  std::optional<bool> vm_nodes;              // spec.sandboxWorkloads.enabled; nullopt: not reported
  std::vector<std::string> owned_by_others;  // "ConfigMap x: managed by Helm": what an edit would fight with
  std::map<std::string, std::string> kept_back;  // by pod, "namespace/name": why it may not be evicted now
  std::map<std::string, SlurmdPod> slurmd_pods;  // by pod, as above: those that run slurmd

  const MigFile* own_config(const std::string& node) const {  // nullptr: the node has none of its own
    auto found = node_config.find(node);
    return found == node_config.end() ? nullptr : found->second.get();
  }
  friend bool operator==(const OperatorSetup&,
                         const OperatorSetup&) = default;  // files that are alike may be two
};

}  // namespace tessera::operators
