// A node as Slurm and the node's own driver tell it together: the driver knows GPUs and instances, Slurm
// who may use them and how whole GPUs are shared. Threads: pure function.
#pragma once

#include <vector>

#include "engine/model/values.hpp"

namespace tessera::slurm {

// `node` as scontrol told it gets the driver's GPUs, and its pool goes: its slices stand on GPUs now.
// Whether a slice is in use is Slurm's word: of one type all, none, or it is not known; a program that the
// driver sees counts as use in any case.
void lay_boards(Node& node, std::vector<Gpu> boards);

}  // namespace tessera::slurm
