#include "engine/insight/held_words.hpp"

#include <fmt/core.h>

#include <string_view>

namespace tessera::insight {
namespace {

bool is_memory(std::string_view name, Scheduler scheduler) {
  const std::string_view unit = name.substr(0, name.find(' '));
  return scheduler == Scheduler::kubernetes && (unit == "GiB" || unit == "MiB");
}

}  // namespace

std::string held_text(const UserSum& sum) {
  std::string text;
  for (const auto& [name, count] : held_in_words(sum))
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", count,
                        is_memory(name, sum.scheduler) ? " " : " × ", name);
  return text;
}

}  // namespace tessera::insight
