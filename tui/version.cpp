#include "tui/version.hpp"

#include <fmt/format.h>

// Set by CMake for this file alone.
#ifndef TESSERA_COMMIT
#define TESSERA_COMMIT "unknown"
#define TESSERA_COMMIT_TIME 0
#endif

namespace tessera::tui {

std::string_view version() { return TESSERA_VERSION; }
std::string_view commit() { return TESSERA_COMMIT; }
std::int64_t commit_time() { return TESSERA_COMMIT_TIME; }
std::string_view compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}
std::string_view linkage() {
#ifdef TESSERA_LINKED_STATICALLY
  return "static";
#else
  return "dynamic";
#endif
}
std::string_view architecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

std::string version_line() {
  return fmt::format("{} (commit {}, {}, {})", version(), commit(), compiler(), linkage());
}

}  // namespace tessera::tui
