#include "engine/plan/words/slurm_words.hpp"

#include <fmt/format.h>

namespace tessera::plan::slurm {

std::string gres_text(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [resource, count] : counts)
    if (count > 0) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", resource, count);
  return text;
}

}  // namespace tessera::plan::slurm
