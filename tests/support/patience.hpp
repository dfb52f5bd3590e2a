// How long a test waits for what must come before it says that it did not come. It finds what hangs and
// measures nothing: a machine with five other tests on each core takes a minute for what takes one second
// alone. Threads: a constant.
#pragma once

#include <chrono>

namespace tessera::test {

inline constexpr std::chrono::seconds kPatience{300};

}  // namespace tessera::test
