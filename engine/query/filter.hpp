// The filter language, the same after `/` in the console and in --filter.
//
//   alice            some text column contains "alice" (case does not matter)
//   !alice           none does
//   user=alice       that column equals; != is the opposite; user:ali contains; user~^al.*e$ is a regex
//   gpus>=4          numbers compare, with units: since>2h, memory>=40gib, use<10%
//   idle>1h          of what was seen to be ">=12 min" and may be more: matches where that is enough
//   gpus=?           not known (?, unknown) or not told (n/a)
//   a b              both; a | b either (binds weaker); "two words" or user="two words" quotes
// Threads: immutable after parse.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/query/tables.hpp"

namespace tessera::query {

enum class Op : std::uint8_t { contains, equals, differs, less, less_equal, greater, greater_equal, matches };

struct Term {
  bool negated = false;
  int column = -1;  // index into columns<Row>(); -1: any text column
  Op op = Op::contains;
  std::string text;  // folded to lower case, except for a regex
  bool numeric = false;
  double number = 0;     // in the column's own unit: seconds, MiB, percent
  bool unknown = false;  // "?" or "unknown" compared by = or !=
  std::shared_ptr<const class Pattern> pattern;
};

// Either of `any`, each of whose terms must all hold. Empty: everything passes.
struct Filter {
  std::vector<std::vector<Term>> any;
  bool empty() const { return any.empty(); }
};

// Unknown columns are errors that list the known ones. At most 1,000 bytes.
template <class Row>
Result<Filter> parse_filter(std::string_view text);

template <class Row>
bool passes(const Filter& filter, const Row& row, const Context& context);

struct Sort {
  int column = 0;
  bool descending = false;
  friend bool operator==(const Sort&, const Sort&) = default;
};
// "name", "-gpus"; errors list the known columns.
template <class Row>
Result<Sort> parse_sort(std::string_view text);

// Keeps what passes, then sorts; rows that are alike stand in the order of their names and places, so that
// they do not jump when the model's own order changes. What is not known comes last either way round.
template <class Row>
void filter_and_sort(std::vector<Row>& rows, const Filter& filter, const std::vector<Sort>& sorts,
                     const Context& context);

}  // namespace tessera::query
