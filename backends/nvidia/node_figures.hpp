// What one look at a node's driver measured: figures of GPUs and instances, their UUIDs, and the processes
// that have them open. Threads: pure functions.
#pragma once

#include "backends/nvidia/node_gpus.hpp"
#include "backends/nvidia/parse.hpp"
#include "engine/model/telemetry.hpp"

namespace tessera::nvidia {

// As Source::nvidia_smi tells it; the GPUs keep no figures. Whose the processes are is not known to the
// driver. Of a GPU that keeps memory for no listed process (below) they are not told: a driver lists those of
// the PID namespace that asks it, and none of others (recorded on 580.159.04), so that "none" from a
// container says nothing.
Measured take_measured(NodeName node, NodeGpus& looked, TimePoint at);

// Several processes compute on one GPU that is not cut: only then pmon tells more than the GPU's use.
bool shares_a_gpu(const Measured& told);
// A process without a sample used nothing where those of the others make up the GPU's use: NVML has samples
// of those processes alone that used the GPU in its last period (nvmlDeviceGetProcessUtilization; recorded on
// an H200 with 580.159.04). Else its use is not told.
void put_use(Measured& told, const ProcessUse& use);

// Memory in use on a GPU that is not cut and of which the driver lists no process at all: more than it keeps
// for itself. nullopt: none, or processes are listed.
std::optional<Mib> memory_of_none(const GpuFigures& gpu, bool cut);

}  // namespace tessera::nvidia
