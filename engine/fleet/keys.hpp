// Lists of the keys that a part of a fleet file may have. Threads: pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace tessera::fleet {

template <std::size_t N>
bool is_one_of(const std::string_view (&keys)[N], std::string_view key) {
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

}  // namespace tessera::fleet
