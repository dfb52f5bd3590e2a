// Words of other programs and of people, which are ASCII: without the blanks around them, and in capitals.
// text.hpp has lower(). Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// Looks into the text. blanks: each of these characters is one.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

inline std::string upper(std::string_view text) {
  std::string all(text);
  for (char& c : all)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return all;
}

}  // namespace tessera
