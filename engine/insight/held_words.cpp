#include "engine/insight/held_words.hpp"

#include <fmt/core.h>

#include "engine/sharing/units.hpp"

namespace tessera::insight {
std::string held_text(const UserSum& sum) {
  std::string text;
  for (const auto& [name, count] : held_in_words(sum))
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", count,
                        sharing::is_memory(name, sum.scheduler) ? " " : " × ", name);
  return text;
}

}  // namespace tessera::insight
