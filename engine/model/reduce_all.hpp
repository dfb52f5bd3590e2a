// reduce() for many events at once: of a recording, whose rounds are read one behind the other and looked at
// where they end. Each is logged as reduce() logs it; the nodes that they touch are linked once, at the end.
// Threads: the model's owner only.
#pragma once

#include <span>

#include "engine/model/reduce.hpp"

namespace tessera {

// In their order; what they hold is taken. What is told of one object more than once may be named so often.
Changes reduce_all(Model& model, std::span<Event> events);

}  // namespace tessera
