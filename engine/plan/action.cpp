#include "engine/plan/action.hpp"

#include <array>

namespace tessera::plan {

std::string_view word(const Action& action) {
  static constexpr std::array<std::string_view, std::variant_size_v<Action>> kWords = {
      "set-mark",         "clear-mark", "close-node", "open-node", "evict",     "destroy-instances",
      "create-instances", "set-mode",   "reset-gpus", "configure", "look-only", "special"};
  return kWords[action.index()];
}

}  // namespace tessera::plan
