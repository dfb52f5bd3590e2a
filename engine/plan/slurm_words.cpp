#include "engine/plan/slurm_words.hpp"

#include <fmt/format.h>

namespace tessera::plan::slurm {

std::string gres_text(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [resource, count] : counts)
    if (count > 0) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", resource, count);
  return text;
}

std::string digest(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (unsigned char byte : text) hash = (hash ^ byte) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace tessera::plan::slurm
