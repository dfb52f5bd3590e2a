// What a site does not count as wasted, by a filter over the rows of waste: its users' own test jobs, a
// partition for interactive work. It is told as left out, and never hidden. Threads: pure functions.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/query/filter.hpp"
#include "engine/usage/report.hpp"

namespace tessera::query {
template <>
std::span<const Column<usage::Waste>> columns<usage::Waste>();
}  // namespace tessera::query

namespace tessera::usage {

struct Exceptions {
  std::string text;  // as it was written
  query::Filter filter;
};

// Errors: no filter over rows of waste; a text that passes everything.
Result<std::shared_ptr<const Exceptions>> exceptions_of(std::string_view text);

// Whether it compares one of these columns: where a source does not tell them, what it would leave out is not
// known.
bool names_any(const Exceptions& exceptions, std::initializer_list<std::string_view> columns);

// Whether it has a word without a column, which is looked for in all of them.
bool has_bare_word(const Exceptions& exceptions);

// Takes what passes out of `all`, and returns it in the same order.
std::vector<Waste> leave_out(std::vector<Waste>& all, const Exceptions& exceptions);

}  // namespace tessera::usage
