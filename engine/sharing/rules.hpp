// What a platform forbids: each rule a named check with a message that says what to change.
//
// The managed platform's five rules carry the names fpt-a to fpt-e. Rules that hold everywhere (the plugin's,
// Slurm's) begin with "plugin-" and "slurm-".
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/sharing/platform.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::sharing {

struct Violation {
  std::string rule;  // "fpt-a"
  std::string message;
  friend bool operator==(const Violation&, const Violation&) = default;
};
using Violations = std::vector<Violation>;

// One container as far as rules look at it.
struct ContainerShape {
  std::string name;
  std::vector<Request> requests;
  int processes = 1;  // that use the GPU at once
};
struct PodShape {
  std::string name;
  bool host_ipc = false;
  std::vector<ContainerShape> containers;
};

inline constexpr int kMinClients = 2;
inline constexpr int kMaxClients = 48;

// (a) A layout applies to every card of a worker.
Violations fpt_one_layout(const NodeShape& node);
// (b) The worker groups of a cluster share one type: single, mixed, none, none with operator.
Violations fpt_one_strategy(std::span<const NodeShape> nodes);
// (c) MPS: 2 to 48 clients, not with MIG; each container asks for exactly one, runs one process, hostIPC.
Violations fpt_mps(const NodeShape& node);
Violations fpt_mps_pod(const NodeShape& node, const PodShape& pod);
// (d) Time-slicing: 2 to 48 clients, with a single layout or none with operator; asking for more gives no
// more.
Violations fpt_time_slicing(const NodeShape& node);
Violations fpt_time_slicing_pod(const NodeShape& node, const PodShape& pod);
// (e) None with operator: one container a GPU.
Violations fpt_whole_gpu(const NodeShape& node);
Violations fpt_whole_gpu_pod(const NodeShape& node, const PodShape& pod);

// The device plugin's own limits: replicas, MPS not on MIG, the cap by compute capability; a single strategy
// whose GPUs are not all alike.
Violations plugin_rules(const NodeShape& node);

// Alibaba ACK. A pool is changed as a whole; MPS there shares memory only.
struct AckFacts {
  std::string kubernetes;  // "1.28.3"; empty: not reported
  std::string component;   // sharing component, "1.9.13"
  bool pro = true;
  bool label_deleted = false;  // the schedule label was removed instead of being set to default
};
Violations ack_rules(std::span<const NodeShape> pool, const AckFacts& facts);

// What a change itself breaks. before, after: the nodes in one order, those that it leaves alone as well. A
// rule that is broken already is not its doing; and what all nodes of a cluster or pool have in common may be
// reached step by step from a half-done state, and left again: only a kind that no other node has is refused.
struct Judged {
  Violations broken;
  Violations standing;  // broken before and after
};
Judged broken_by_change(Platform platform, std::span<const NodeShape> before,
                        std::span<const NodeShape> after);

// Everything that a platform has to say about nodes as they would be.
Violations check(Platform platform, std::span<const NodeShape> nodes);
// ... and about a pod on one of them.
Violations check_pod(Platform platform, const NodeShape& node, const PodShape& pod);

}  // namespace tessera::sharing
