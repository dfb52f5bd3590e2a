// JSON in both directions for what tessera keeps: plan files and journal lines.
//
// The only reader of JSON in the engine (but for flat_json.hpp, which takes a part of it), and strict: one
// value, no duplicate keys, no nesting deeper than 64, valid UTF-8, no more than 64 MiB, numbers that fit.
// The writer keeps the order of the fields and never puts a raw control character or a newline into a line.
// Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.hpp"

namespace tessera {

struct Json {
  enum class Kind : std::uint8_t { null, boolean, integer, real, text, list, map };
  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> fields;  // in order, keys unique

  Json() = default;
  static Json of(bool value);
  static Json of(std::int64_t value);
  static Json of(double value);  // not finite becomes null
  static Json of(std::string value);
  static Json list();
  static Json map();

  const Json* find(std::string_view key) const;  // nullptr: absent, or not a map
  bool is_null() const { return kind == Kind::null; }
  Json& add(std::string key, Json value) {  // precondition: a map without that key
    return fields.emplace_back(std::move(key), std::move(value)).second;
  }
  friend bool operator==(const Json&, const Json&) = default;
};

// `file` is used in messages only. Errors read "file: line 3, column 7: why".
Result<Json> parse_json(std::string_view text, std::string_view file);

// On one line; or indented by two blanks a level, with a newline at the end.
std::string to_line(const Json& value);
std::string to_document(const Json& value);

}  // namespace tessera
