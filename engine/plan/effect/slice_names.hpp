// The names by which a scheduler hands out what a node has, for who asks for names and not for slices.
// Threads: pure function.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::plan {

// As each_named_slice() does; of slices that stand side by side and are alike only the first is seen, with
// the place of its GPU in Node::gpus; past their end: it is in the pool.
void each_slice_name(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue,
                     const std::function<void(const Slice&, std::size_t, const std::string&)>& see);

}  // namespace tessera::plan
