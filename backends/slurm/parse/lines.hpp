// Texts of Slurm's commands, line by line. Threads: a pure function.
#pragma once

#include <algorithm>
#include <string_view>

namespace tessera::slurm {

// Takes the first line off, without its end.
inline std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace tessera::slurm
