#include "engine/usage/exceptions.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::usage {

namespace {

// "user=ci or user=bob" is three words of which no row has all: it would leave out nothing, and nobody would
// see why.
bool is_english(const query::Term& term) {
  return term.column < 0 && !term.negated && (term.text == "or" || term.text == "and");
}

template <class Is>
bool any_term(const Exceptions& exceptions, const Is& is) {
  return std::any_of(exceptions.filter.any.begin(), exceptions.filter.any.end(),
                     [&](const auto& terms) { return std::any_of(terms.begin(), terms.end(), is); });
}

}  // namespace

Result<std::shared_ptr<const Exceptions>> exceptions_of(std::string_view text) {
  auto filter = query::parse_filter<Waste>(text);
  if (!filter) return filter.error();
  if (filter->empty())
    return Error{"cannot read the filter", "it names nothing, so that everything would be left out",
                 "example: user=ci | partition=interactive"};
  for (const auto& all : filter->any)
    if (std::any_of(all.begin(), all.end(), is_english))
      return Error{"cannot read the filter", "\"or\" and \"and\" are no operators",
                   "write | for or, and nothing for and: user=ci | partition=interactive"};
  return std::make_shared<const Exceptions>(Exceptions{std::string(text), std::move(*filter)});
}

bool names_any(const Exceptions& exceptions, std::initializer_list<std::string_view> columns) {
  const auto all = query::columns<Waste>();
  return any_term(exceptions, [&](const query::Term& term) {
    return term.column >= 0 && std::find(columns.begin(), columns.end(),
                                         all[static_cast<std::size_t>(term.column)].key) != columns.end();
  });
}

bool has_bare_word(const Exceptions& exceptions) {
  return any_term(exceptions, [](const query::Term& term) { return term.column < 0; });
}

std::vector<Waste> leave_out(std::vector<Waste>& all, const Exceptions& exceptions) {
  const auto from = std::stable_partition(all.begin(), all.end(), [&](const Waste& one) {
    return !query::passes(exceptions.filter, one, query::Context{});
  });
  std::vector<Waste> left_out(std::make_move_iterator(from), std::make_move_iterator(all.end()));
  all.erase(from, all.end());
  return left_out;
}

}  // namespace tessera::usage
