// Hostile text made safe: the only door through which a cluster's words reach a screen or a terminal.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// Valid UTF-8 without control characters (C0, DEL, C1, bidi overrides, line separators) and at most
// `limit` bytes long; invalid bytes become U+FFFD, controls become U+00B7, a cut ends in U+2026.
std::string clean(std::string_view text, std::size_t limit = 4096);

// ASCII case folding only: names of nodes, users and resources are ASCII.
std::string lower(std::string_view text);
bool contains_folded(std::string_view text, std::string_view folded_needle);

}  // namespace tessera
