// Whether Slurm counts a node's GPUs as its driver does.
//
// Without AutoDetect Slurm's GPU 0 is the first device file that gres.conf names for the node; the driver
// counts GPUs by their place on the bus, and the number of a device file (/dev/nvidiaN) is a third count.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/nvidia/node_gpus.hpp"
#include "engine/model/event.hpp"
#include "engine/slurmconf/config.hpp"

namespace tessera::slurm {

// N of /dev/nvidiaN by the driver's index; nullopt: not told.
using BoardMinors = std::vector<std::optional<int>>;
BoardMinors minors_of(const nvidia::NodeGpus& looked);

// Of the GPUs that gres.conf gives a node, in the order in which Slurm counts them: N of their files.
// nullopt: they are detected, cut, or no files of NVIDIA's.
std::optional<std::vector<int>> counted_files(const slurmconf::Files& files, const NodeName& node);

// nullopt: both count alike, or one of them is not known.
std::optional<Remark> order_remark(const NodeName& node, const BoardMinors& minors,
                                   const slurmconf::Files& files);

}  // namespace tessera::slurm
