// gzip, as other programs write it. Home of zlib. Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

// What one gzip file of one member holds. nullopt: it is damaged or cut, something stands behind it, or it
// holds more than `most` bytes, of which no more than that are ever unpacked.
std::optional<std::string> gunzip(std::string_view bytes, std::size_t most);

}  // namespace tessera
