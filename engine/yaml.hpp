// YAML read strictly, with a place for every value: catalogue, scenarios, themes, keymaps, settings.
//
// The only user of yaml-cpp for reading. Rejects what silently goes wrong elsewhere: duplicate keys,
// aliases, anchors, tags, keys that are not text, several documents, nesting deeper than 32, invalid UTF-8,
// raw control characters, text over 16 MiB or with over a million values.
// A scalar may hold control characters by way of an escape ("\e"): who shows one cleans it.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera {

struct Yaml {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;  // a quoted scalar is text even when it looks like a number
  int line = 1;         // counted from 1
  int column = 1;       // in bytes
  int key_line = 0;     // where the key of this value stands; 0: it has none
  std::string scalar;
  std::vector<Yaml> items;
  struct Field;
  std::vector<Field> fields;  // in file order, keys unique

  const Yaml* find(std::string_view key) const;  // nullptr when absent or not a map
  bool is_null() const { return kind == Kind::null; }
  std::optional<std::int64_t> as_int() const;  // decimal only: "010" is no number
  std::optional<double> as_number() const;     // finite only
  std::optional<bool> as_bool() const;         // true, false only
};

struct Yaml::Field {  // no std::pair: clang rejects one of an incomplete type
  std::string first;
  Yaml second;
};

// file is used in messages only. Errors read "file:line:column: why".
Result<Yaml> parse_yaml(std::string_view text, std::string_view file);

// An error at a node's place: reason "file:line: message".
Error yaml_error(std::string_view what, std::string_view file, const Yaml& at, std::string_view message);

}  // namespace tessera
