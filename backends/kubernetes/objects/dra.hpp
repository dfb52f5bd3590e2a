// What a DRA driver hands out: the devices that it tells of (ResourceSlices), and who has which of them
// (ResourceClaims).
//
// By resource.k8s.io/v1 (kubernetes.io "Dynamic Resource Allocation", v1.34); of drivers those of NVIDIA
// (gpu.nvidia.com, dra-driver-nvidia-gpu v0.5) and AMD (gpu.amd.com, k8s-gpu-dra-driver) count. Of a pool,
// slices of an older generation are out of date. Threads: plain values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"

namespace tessera::kubernetes {

inline constexpr std::string_view kDraDriver = "gpu.nvidia.com";
inline constexpr std::string_view kAmdDraDriver = "gpu.amd.com";
inline bool is_gpu_driver(std::string_view driver) { return driver == kDraDriver || driver == kAmdDraDriver; }

// What a node's driver hands out: the newest generation of its pool.
struct DraPool {
  std::vector<const DraDevice*> devices;
  std::vector<const DraCounterSet*> counters;
  bool complete = false;  // none of its slices is missing, and none holds more than is kept
};

class DraSlices {
 public:
  // api: that of the list; both versions read alike.
  void keep(ResourceSliceObject slice, const std::string& api = "");
  void drop(const std::string& name);
  std::vector<std::string> ids() const;
  // All DeviceTaintRules: they count for every device that is known now or comes later.
  void set_rules(std::vector<DeviceTaintRuleObject> rules);
  const std::vector<DeviceTaintRuleObject>& rules() const { return rules_; }

  bool has(const std::string& node) const { return by_node_.contains(node); }
  std::vector<const DraDevice*> devices_of(const std::string& node) const { return pool_on(node).devices; }
  DraPool pool_on(const std::string& node) const;
  // The driver has one pool a node, and calls it as the node; empty: there is none.
  std::string node_of(const std::string& pool) const;
  std::string pool_of(const std::string& node) const;
  // Nodes of which something changed since this was asked last.
  std::set<std::string> take_touched() { return std::exchange(touched_, {}); }

 private:
  std::map<std::string, ResourceSliceObject, std::less<>> all_;  // of these drivers, with a node
  std::map<std::string, std::set<std::string>> by_node_;         // names of slices
  std::map<std::string, std::string, std::less<>> pools_;        // pool → node
  std::set<std::string> touched_;
  std::vector<DeviceTaintRuleObject> rules_;
  TextPool words_;  // counters are called alike on every GPU
  // Whether that changed anything.
  bool rule(ResourceSliceObject& slice) const;
};

class DraClaims {
 public:
  void keep(ResourceClaimObject claim, const std::string& api = "");
  void drop(const std::string& id);
  std::vector<std::string> ids() const;

  // Whether all of them were listed: else one that is not known may have a device.
  bool complete() const { return complete_; }
  void set_complete(bool complete) { complete_ = complete; }

  const ResourceClaimObject* find(const std::string& id) const;
  bool is_allocated(const std::string& pool, const std::string& device) const;
  // What changed since this was asked last: claims by id, and the pools in which they have devices.
  struct Touched {
    std::set<std::string> claims, pools;
  };
  Touched take_touched() { return std::exchange(touched_, {}); }

 private:
  void touch(const ResourceClaimObject& claim);
  std::map<std::string, ResourceClaimObject, std::less<>> all_;
  std::map<std::pair<std::string, std::string>, int> allocated_;  // by how many claims
  Touched touched_;
  bool complete_ = false;
};

// It asks for GPUs: by the name of a device class, or by what it was given.
bool is_gpu_claim(const ResourceClaimObject& claim);
// It was given devices, and this pod may use them.
bool is_held_by(const ResourceClaimObject& claim, const std::string& pod_name);

}  // namespace tessera::kubernetes
