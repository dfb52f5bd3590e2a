// Machines that are a Slurm node and a Kubernetes node (Slinky, slurm-bridge): counted once, and their two
// sides held against each other. Threads: pure functions.
#pragma once

#include <vector>

#include "engine/insight/attention.hpp"
#include "engine/insight/totals.hpp"
#include "engine/model/both_sides.hpp"

namespace tessera::insight {

// As totals(), but GPUs of machines that a Kubernetes cluster counts are not counted in Slurm's, too.
Totals totals(const Model& model, const Cluster& cluster);

// What the two sides say that cannot both hold, and what of them is not known. Most severe first.
std::vector<Finding> sides_attention(const Model& model, const Cluster& slurm);

}  // namespace tessera::insight
