// Components of heterogeneous Slurm jobs: "30+0" and "30+1" are one job, and start together.
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace tessera {

// The job of which this id is a component: "30" of "30+1"; nullopt: it is none.
inline std::optional<std::string_view> het_job_of(std::string_view id) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t plus = id.find('+');
  if (plus == std::string_view::npos) return std::nullopt;
  if (!is_number(id.substr(0, plus)) || !is_number(id.substr(plus + 1))) return std::nullopt;
  return id.substr(0, plus);
}

}  // namespace tessera
