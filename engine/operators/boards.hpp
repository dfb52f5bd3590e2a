// Which instances stand on which GPU, where the API only counts them: the MIG configuration that the
// manager has made says it. Threads: pure function.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"
#include "engine/operators/operator_setup.hpp"

namespace tessera::operators {

// Moves the slices of a node's pool to GPUs, without places, when the configuration that its label names
// has been applied and asks for just these slices; the GPUs say that this is concluded (Source::inferred).
// false: nothing was done.
bool give_boards(Node& node, const OperatorSetup& site, const mig::Catalogue& catalogue);

// The configuration that the node's label names is told to be applied, and the node offers something else:
// "2 whole GPUs, not 14 of 1g.10gb". nullopt: it does, or that cannot be told.
std::optional<std::string> not_made(const Node& node, const OperatorSetup& site,
                                    const mig::Catalogue& catalogue);

// The configuration that the node's label names is told to be applied, and the node offers just that. false:
// it does not, or that cannot be told.
bool is_made(const Node& node, const OperatorSetup& site, const mig::Catalogue& catalogue);

}  // namespace tessera::operators
