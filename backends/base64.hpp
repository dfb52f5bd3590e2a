// Base64 as RFC 4648 has it. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera {

// The standard alphabet, padded, with nothing between its letters. nullopt: anything else.
std::optional<std::string> base64_bytes(std::string_view text);

}  // namespace tessera
