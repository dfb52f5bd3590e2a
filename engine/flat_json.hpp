// JSON read without a tree of its own, for files of a hundred thousand items: to build that tree and to free
// it takes longer than all that is done with it.
//
// Only plain text is taken: ASCII without escapes, whole numbers, a few keys a map. Whatever else there is,
// an error included, is parse_json's (engine/json.hpp), which words it: what is taken here, that takes, too,
// and with the same values. Keys and texts point into the text, which has to outlive them. Threads: plain
// values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/json.hpp"

namespace tessera {

// A value, and right behind it in the vector all that it holds, in the order of the text.
struct FlatJson {
  Json::Kind kind = Json::Kind::null;
  bool boolean = false;
  std::uint32_t size = 1;  // values from this one to the last that it holds
  std::string_view key;    // where it stands in a map
  std::string_view text;
  std::int64_t integer = 0;

  // What a list or a map holds: for (auto* one = list.first(); one != list.end(); one = one->end()).
  const FlatJson* first() const { return this + 1; }
  const FlatJson* end() const { return this + size; }
  const FlatJson* find(std::string_view name) const;  // nullptr: absent, or not a map
};

// The root stands first. nullopt: it is not plain, or no JSON.
std::optional<std::vector<FlatJson>> read_flat_json(std::string_view text);

}  // namespace tessera
