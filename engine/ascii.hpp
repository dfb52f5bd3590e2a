// Words of other programs and of people, which are ASCII: without the blanks around them or what stands in
// front, and in capitals. text.hpp has lower(). Threads: pure functions.
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

// Whether the text begins with it; then it is taken off.
inline bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

inline std::string upper(std::string_view text) {
  std::string all(text);
  for (char& c : all)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return all;
}

}  // namespace tessera
