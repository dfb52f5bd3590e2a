// What a user holds, in one line. Threads: pure functions.
#pragma once

#include <string>

#include "engine/insight/users.hpp"

namespace tessera::insight {

// As people read it on that cluster, the largest first: "1 × whole, 2 × 3g.40gb, 8 GiB"; empty: nothing.
std::string held_text(const UserSum& sum);

}  // namespace tessera::insight
