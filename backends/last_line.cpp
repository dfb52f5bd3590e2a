#include "backends/last_line.hpp"

#include "engine/text.hpp"

namespace tessera {

std::string last_line(std::string_view text, std::size_t limit) {
  constexpr std::string_view kBlank = " \r\t";
  while (!text.empty()) {
    const std::size_t end = text.rfind('\n');
    std::string_view line = text.substr(end == std::string_view::npos ? 0 : end + 1);
    text = text.substr(0, end == std::string_view::npos ? 0 : end);
    if (line.find_first_not_of(" *\r\t") == std::string_view::npos) continue;
    line.remove_prefix(line.find_first_not_of(kBlank));
    return clean(line.substr(0, line.find_last_not_of(kBlank) + 1), limit);
  }
  return {};
}

}  // namespace tessera
