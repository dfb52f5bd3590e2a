// The version of this build, as CMakeLists.txt and CHANGELOG.md have it.
// Threads: constant data.
#pragma once

#include <string_view>

namespace tessera::tui {

std::string_view version();  // "0.1.0"

}  // namespace tessera::tui
