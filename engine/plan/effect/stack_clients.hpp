// Which pods of Kubernetes' GPU stack have a node's GPUs open, where no source tells of processes: known by
// what they are. And what the MIG manager does about each when it makes a layout.
//
// As in mig-parted v0.15.0 (reconfigure-mig.sh), which pauses by the labels nvidia.com/gpu.deploy.*.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera::plan {

struct StackClient {
  std::string part;      // as Component::name: "device plugin"
  bool bounced = false;  // stopped for a new layout, and started again
};
// Those that run there now, in the order in which they depend on each other.
std::vector<StackClient> stack_clients(const Node& node);
// "device plugin: runs on the node and likely has its GPUs open; …"
std::string to_text(const StackClient& client);

}  // namespace tessera::plan
