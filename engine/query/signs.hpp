// Signs of the pictures of GPUs that the screens explain, too. Threads: constants.
#pragma once

#include <string_view>

namespace tessera::query {

// Room of a MIG GPU that is in no slice: no job or pod can have it before it is cut.
inline constexpr std::string_view kNotCut = "_";

}  // namespace tessera::query
