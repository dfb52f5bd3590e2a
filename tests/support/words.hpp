// Threads: pure function.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

// Parted by single blanks: an argument vector as one writes it.
inline std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    all.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

}  // namespace tessera::test
