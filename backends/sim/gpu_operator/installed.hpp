// The GPU operator installed in a simulated cluster: joined to its objects, its clock, its logs and metrics.
//
// Threads: one thread, that of the cluster. Cluster and API outlive what is installed.
#pragma once

#include <memory>

#include "backends/sim/apiserver/api.hpp"
#include "backends/sim/gpu_operator/cluster.hpp"
#include "backends/sim/gpu_operator/operator.hpp"

namespace tessera::sim::kube {

// Labels and resources of GPUs, DaemonSets and their pods are the operator's from now on.
std::unique_ptr<Operator> install_operator(Cluster& cluster);
// `kubectl logs` of its pods, and the exporter behind pods/proxy.
void answer_for(const Operator& installed, Cluster& cluster, Api& api);

}  // namespace tessera::sim::kube
