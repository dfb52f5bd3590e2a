// What a DRA driver with dynamic MIG could still cut out of a GPU, in numbers and in words. Threads: pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/mig/could_be.hpp"

namespace tessera::insight {

// nullopt: no such driver hands it out, or what is left is not told, or the catalogue does not know the GPU.
std::optional<std::vector<mig::CouldBe>> could_be(const Node& node, const Gpu& gpu,
                                                  const mig::Catalogue& catalogue);
// "could be 4g.40gb to 6×1g.10gb": the largest and the smallest, each alone; "nothing more can be cut";
// empty: nothing is known of it.
std::string could_be_text(const Node& node, const Gpu& gpu, const mig::Catalogue& catalogue);
// What is in the way of an instance there: "3g.40gb@0 (team/train)"; empty: no memory is.
std::string in_way_text(const Gpu& gpu, const mig::CouldBe::Blocked& place);

}  // namespace tessera::insight
