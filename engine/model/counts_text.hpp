// How many there are of what, in a line: "2 × 1g.10gb, 1 × whole". What there is none of is left out.
// Threads: pure functions.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera {

// counts: pairs of a name and a whole number, in the order of the line.
template <class Counts>
std::string counts_text(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    if (count > 0) text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", count, name);
  return text;
}

// What one task of a job or a pod asks for.
inline std::string requests_text(const std::vector<Request>& requests) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const Request& one : requests) counts.emplace_back(one.resource, one.count);
  return counts_text(counts);
}

}  // namespace tessera
