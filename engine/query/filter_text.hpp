// The grammar of filters, apart from any table: text in, words and operators out.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/query/filter.hpp"

namespace tessera::query {

// A regular expression with bounded cost: POSIX extended, case folded, patterns up to 200 bytes.
class Pattern {
 public:
  static Result<std::shared_ptr<const Pattern>> compile(const std::string& text);
  ~Pattern();
  bool matches(const std::string& text) const;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

 private:
  Pattern();
  struct State;
  std::unique_ptr<State> state_;
};

struct RawTerm {
  bool negated = false;
  std::string key;  // empty: any column
  Op op = Op::contains;
  std::string text;
  std::size_t at = 0;  // byte offset, for errors
};

Result<std::vector<std::vector<RawTerm>>> split_filter(std::string_view text);

// "2h" → 7200 (seconds), "40gib" or "40" → 40960 (MiB), "10%" → 10; nullopt: not a number.
std::optional<double> parse_quantity(std::string_view text, Format format);

}  // namespace tessera::query
