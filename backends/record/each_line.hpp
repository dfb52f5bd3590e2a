// A text line by line. Threads: a pure function.
#pragma once

#include <algorithm>
#include <string_view>

namespace tessera::record {

// Each line without its newline, while `see` wants more.
template <class See>
void each_line(std::string_view text, See see) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!see(line)) return;
  }
}

}  // namespace tessera::record
