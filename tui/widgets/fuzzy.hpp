// How well a name fits what was typed, letter by letter. Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

namespace tessera::tui {

// Higher is better; nullopt: not all letters of `typed` are in `name` in their order. ASCII case is folded.
// The name itself comes first, then names that begin with it, words that do, then letters that stand
// together; of two that fit alike the shorter one. An empty `typed` fits everything with 0.
std::optional<int> fuzzy_score(std::string_view typed, std::string_view name);

}  // namespace tessera::tui
