// How much of a text is kept where a bound of a line would do harm. Threads: constant data.
#pragma once

#include <cstddef>

namespace tessera {

// Of what may hold commands no byte is cut off: without its end one may do more than as a whole.
inline constexpr std::size_t kWholeText = std::size_t{1} << 24U;

}  // namespace tessera
