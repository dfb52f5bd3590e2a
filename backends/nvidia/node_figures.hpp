// What one look at a node's driver measured: figures of GPUs and instances, their UUIDs, and the processes
// that have them open. Threads: pure functions.
#pragma once

#include "backends/nvidia/node_gpus.hpp"
#include "backends/nvidia/parse.hpp"
#include "engine/model/telemetry.hpp"

namespace tessera::nvidia {

// As Source::nvidia_smi tells it; the GPUs keep no figures. Whose the processes are is not known to the
// driver.
Measured take_measured(NodeName node, NodeGpus& looked, TimePoint at);

// Several processes compute on one GPU that is not cut: only then pmon tells more than the GPU's use.
bool shares_a_gpu(const Measured& told);
void put_use(Measured& told, const ProcessUse& use);

}  // namespace tessera::nvidia
