// The version of this build, as CMakeLists.txt and CHANGELOG.md have it, and where it comes from.
// Threads: constant data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::tui {

std::string_view version();       // "0.2.0"
std::string_view commit();        // "3a56391e"; "unknown" where it was built from no repository
std::int64_t commit_time();       // seconds since 1970; 0: unknown
std::string_view compiler();      // "g++ 12.2.0"
std::string_view linkage();       // "static" or "dynamic"
std::string_view architecture();  // "x86_64"

// What --version prints after the program's name: "0.2.0 (commit 3a56391e, g++ 12.2.0, static)".
std::string version_line();

}  // namespace tessera::tui
