// A Pod object → the model's workload: what it asks for, what it holds and where, why it waits, and whether
// it reaches GPUs that it never asked for.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "backends/kubernetes/objects/sharing_of.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

bool has_ended(const PodObject& pod);

// Worth a row: it asks for GPUs by its resources, or reaches them unasked. Pods of the GPU stack itself and
// pods that have ended are not.
bool is_gpu_work(const PodObject& pod, bool on_gpu_node);

// on: how its node shares its GPUs; nullptr: it has no node, or one that we do not know.
Workload workload_of(const PodObject& pod, const NodeSharing* on, Origin origin);

// Slices that the device plugin has found unhealthy: it keeps them in capacity and takes them out of
// allocatable.
std::vector<OutOfUse> out_of_use(const NodeObject& node, const NodeSharing& sharing);

// A claim answers this request, not the device plugin.
bool is_by_claim(const PodObject& pod, std::string_view resource);

// It is one of a DaemonSet, or of the kubelet's own files: evicted, it is started there again at once.
bool stays_with_node(const PodObject& pod);

// "privileged", "NVIDIA_VISIBLE_DEVICES=all", "runtimeClassName nvidia", "mounts its node's devices"; empty:
// it asks for GPUs, or does not reach any.
std::string unasked_way(const PodObject& pod);

}  // namespace tessera::kubernetes
