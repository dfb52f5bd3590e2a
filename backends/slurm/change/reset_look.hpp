// What a node's driver tells of GPUs after a reset. Threads: the worker's thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backends/slurm/change/start_action.hpp"
#include "engine/plan/node_reset.hpp"

namespace tessera::slurm {

// answer: of nvidia-smi -q -x. gpus: as plan::gpu_numbers(). nullopt: they are all there and need no further
// reset. seen: the node as it was looked at, which tells a GPU by its UUID where that is known.
std::optional<Error> why_unsound(const Node& seen, const std::string& gpus, const NodeAnswer& answer);

// "0=GPU-5d3f… 1=…", as far as they are known.
std::string uuids_of(const Node& node);

// Judges the driver's answer to a reset of so many GPUs: it must say of each that it was reset.
std::function<std::optional<Error>(const NodeAnswer&)> reset_judge(std::size_t gpus, const std::string& node);

// Precondition: plan::is_reset_look(act). Asks the driver on the node. Errors: a GPU does not answer, or asks
// for more; then it is forgotten that it was reset, so that whoever carries on resets it once more.
void read_reset_back(Hands& hands, const plan::Order& order, const plan::Special& act,
                     std::function<void(Status)> done);

}  // namespace tessera::slurm
