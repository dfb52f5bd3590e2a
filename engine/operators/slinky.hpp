// Pods that run slurmd (Slinky), as plans see them, and the name by which slurm-operator is told why it
// drains.
//
// After slurm-operator 1.2. Threads: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tessera::operators {

struct SlurmdPod {
  std::string slurm_node;
  std::string node;                              // of Kubernetes; empty: it waits for one
  std::string node_set;                          // the NodeSet that makes it again
  bool stays = true;                             // made again on that node (scalingMode DaemonSet)
  std::map<std::string, std::int64_t> requests;  // GPU resources
  friend bool operator==(const SlurmdPod&, const SlurmdPod&) = default;
};

// Annotation of a node: the reason with which slurm-operator drains its Slurm nodes once it is cordoned.
inline constexpr std::string_view kCordonReason = "nodeset.slinky.slurm.net/node-cordon-reason";
// Label of a node: NVSentinel leaves it alone where it says "false".
inline constexpr std::string_view kSentinelManaged = "nvsentinel.dgxc.nvidia.com/managed";

}  // namespace tessera::operators
