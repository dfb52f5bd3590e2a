#include "engine/query/filter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "engine/query/filter_text.hpp"
#include "engine/query/finders.hpp"
#include "engine/text.hpp"
#include "engine/usage/exceptions.hpp"

namespace tessera::query {
namespace {

template <class Row>
int column_index(std::string_view key) {
  std::span<const Column<Row>> all = columns<Row>();
  std::string folded = lower(key);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].key == folded) return static_cast<int>(i);
  return -1;
}

template <class Row>
Error unknown_column(std::string_view what, std::string_view key) {
  std::string known;
  for (const Column<Row>& column : columns<Row>()) {
    if (!known.empty()) known += " ";
    known += column.key;
  }
  return {std::string(what), fmt::format("there is no column \"{}\"", clean(key, 60)), "columns: " + known};
}

// What an ordered comparison of such a column takes.
std::string_view kind_of(Format format) {
  switch (format) {
    case Format::duration: return "a time (2h, 30min, 1d)";
    case Format::mib: return "an amount of memory (40gib, 512mib)";
    default: return "a number";
  }
}

bool orders(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal;
}

template <class Row>
Result<Term> to_term(const RawTerm& raw) {
  Term term;
  term.negated = raw.negated;
  term.op = raw.op;
  term.text = lower(raw.text);
  if (raw.key.empty()) return term;
  term.column = column_index<Row>(raw.key);
  if (term.column < 0) return unknown_column<Row>("cannot read the filter", raw.key);
  const Column<Row>& column = columns<Row>()[static_cast<std::size_t>(term.column)];
  if (raw.op == Op::matches) {
    Result<std::shared_ptr<const Pattern>> pattern = Pattern::compile(raw.text);
    if (!pattern) return pattern.error();
    term.pattern = *pattern;
    return term;
  }
  term.unknown = term.text == "?" || term.text == "unknown" || term.text == "n/a";
  if (std::optional<double> number = parse_quantity(raw.text, column.format)) {
    term.numeric = true;
    term.number = *number;
  } else if (orders(raw.op)) {
    return Error{"cannot read the filter",
                 fmt::format("{}: \"{}\" is not {}", column.key, clean(raw.text, 60), kind_of(column.format)),
                 "examples: gpus>=4   since>2h   memory>=40gib   use<10%"};
  }
  return term;
}

bool compare(Op op, double left, double right) {
  switch (op) {
    case Op::less: return left < right;
    case Op::less_equal: return left <= right;
    case Op::greater: return left > right;
    case Op::greater_equal: return left >= right;
    case Op::differs: return left != right;
    default: return left == right;
  }
}

// Of a number that may be larger. What may be, and is not known, does not match.
bool least_passes(Op op, double least, double asked) {
  switch (op) {
    case Op::greater: return least > asked;
    case Op::greater_equal: return least >= asked;
    case Op::differs: return true;
    default: return false;
  }
}

bool value_passes(const Term& term, const Value& value, Format format) {
  bool known = !std::holds_alternative<Unknown>(value) && !std::holds_alternative<NotTold>(value);
  if (term.unknown && (term.op == Op::equals || term.op == Op::differs))
    return known == (term.op == Op::differs);
  if (!known) return term.op == Op::differs;
  const auto* text = std::get_if<std::string>(&value);
  if (!text && term.numeric && term.op != Op::contains && term.op != Op::matches) {
    if (const auto* least = std::get_if<AtLeast>(&value))
      return least_passes(term.op, static_cast<double>(least->number), term.number);
    const auto* integer = std::get_if<std::int64_t>(&value);
    double number = integer ? static_cast<double>(*integer) : std::get<double>(value);
    // A percentage is compared as it reads: 31.4 shows as 31 and equals 31.
    if (format == Format::percent && !orders(term.op))
      number = static_cast<double>(static_cast<int>(number + 0.5));
    return compare(term.op, number, term.number);
  }
  if (orders(term.op)) return false;
  const std::string made = text ? std::string() : to_text(value, format);
  const std::string& shown = text ? *text : made;
  if (term.op == Op::matches) return term.pattern->matches(shown);
  if (term.op == Op::contains) return contains_folded(shown, term.text);
  const bool same = shown.size() == term.text.size() && contains_folded(shown, term.text);
  return same == (term.op == Op::equals);
}

// Columns that are pictures made of signs: a word is never found in them, and they are the dearest to make.
bool is_picture(std::string_view key) { return key == "boards" || key == "strip" || key == "trend"; }

// Whether any of a row's texts has the word in it.
template <class Row>
bool any_has(std::string_view word, const Row& row, const Context& context) {
  const std::span<const Column<Row>> all = columns<Row>();
  const std::span<const Finder<Row>> finders = query::finders<Row>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Column<Row>& column = all[i];
    if (column.format != Format::text || is_picture(column.key)) continue;
    std::optional<bool> found = finders[i] ? finders[i](row, word) : std::nullopt;
    if (!found) {
      const Value value = column.value(row, context);
      const auto* text = std::get_if<std::string>(&value);
      found = text && contains_folded(*text, word);
    }
    if (*found) return true;
  }
  return false;
}

template <class Row>
bool term_passes(const Term& term, const Row& row, const Context& context) {
  bool passed = false;
  if (term.column >= 0) {
    const Column<Row>& column = columns<Row>()[static_cast<std::size_t>(term.column)];
    passed = value_passes(term, column.value(row, context), column.format);
  } else {
    passed = any_has(term.text, row, context);
  }
  return passed != term.negated;
}

// Where a row stands by one sort key: the smaller rank comes first, then the smaller number. A sort looks at
// each a dozen times: numbers are taken out of their cells once.
struct Place {
  double number = 0;
  std::uint32_t row = 0;
  std::uint8_t rank = 0;
};
constexpr std::uint8_t kUnknown = 2;  // and above: last, whichever way it is sorted

Place sort_place(const Value& value, bool descending) {
  Place place;
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    place.number = static_cast<double>(*integer);
  else if (const auto* number = std::get_if<double>(&value))
    place.number = *number;
  else if (const auto* least = std::get_if<AtLeast>(&value))
    place.number = static_cast<double>(least->number);
  else
    place.rank = std::holds_alternative<std::string>(value) ? 1
                 : std::holds_alternative<NotTold>(value)   ? kUnknown
                                                            : kUnknown + 1;
  if (!descending) return place;
  place.number = -place.number;
  // Numbers and texts, and both kinds of unknown, the other way round.
  place.rank = static_cast<std::uint8_t>(place.rank ^ 1);
  return place;
}

struct SortKey {
  std::vector<Place> places;       // of each row
  std::vector<std::string> texts;  // the same, of those that have one; empty: none has
  bool descending = false;

  // Negative, 0 or positive, of two places that are its own.
  int order(const Place& a, const Place& b) const {
    if (a.rank != b.rank) return a.rank < b.rank ? -1 : 1;
    if (a.number < b.number) return -1;
    if (b.number < a.number) return 1;
    if (a.rank != (descending ? 0 : 1) || texts.empty()) return 0;
    const int order = natural_compare(texts[a.row], texts[b.row]);
    return descending ? -order : order;
  }
};

template <class Row>
SortKey sort_key(const std::vector<Row>& rows, const Sort& sort, const Context& context) {
  SortKey key;
  key.descending = sort.descending;
  key.places.reserve(rows.size());
  const Column<Row>& column = columns<Row>()[static_cast<std::size_t>(sort.column)];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Value value = column.value(rows[i], context);
    Place place = sort_place(value, sort.descending);
    place.row = static_cast<std::uint32_t>(i);
    key.places.push_back(place);
    if (auto* text = std::get_if<std::string>(&value)) {
      key.texts.resize(rows.size());
      key.texts[i] = std::move(*text);
    }
  }
  return key;
}

}  // namespace

template <class Row>
Result<Filter> parse_filter(std::string_view text) {
  auto raw = split_filter(text);
  if (!raw) return raw.error();
  Filter filter;
  for (const std::vector<RawTerm>& all : *raw) {
    filter.any.emplace_back();
    for (const RawTerm& one : all) {
      Result<Term> term = to_term<Row>(one);
      if (!term) return term.error();
      filter.any.back().push_back(std::move(*term));
    }
  }
  return filter;
}

template <class Row>
bool passes(const Filter& filter, const Row& row, const Context& context) {
  if (filter.empty()) return true;
  for (const std::vector<Term>& all : filter.any) {
    bool every = true;
    for (const Term& term : all)
      if (!term_passes(term, row, context)) {
        every = false;
        break;
      }
    if (every) return true;
  }
  return false;
}

template <class Row>
Result<Sort> parse_sort(std::string_view text) {
  Sort sort;
  if (text.starts_with('-')) {
    sort.descending = true;
    text.remove_prefix(1);
  }
  sort.column = column_index<Row>(text);
  if (sort.column < 0) return unknown_column<Row>("cannot sort", text);
  return sort;
}

template <class Row>
void filter_and_sort(std::vector<Row>& rows, const Filter& filter, const std::vector<Sort>& sorts,
                     const Context& context) {
  if (!filter.empty()) std::erase_if(rows, [&](const Row& row) { return !passes(filter, row, context); });
  std::vector<SortKey> keys;
  for (const Sort& sort : sorts) keys.push_back(sort_key(rows, sort, context));
  // Schedulers list in order of name: then the place says which of two that are alike comes first.
  const bool in_order =
      std::is_sorted(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return comes_first(a, b); });
  std::vector<Place> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i].row = static_cast<std::uint32_t>(i);
  if (!keys.empty()) order = keys.front().places;
  auto before = [&](const Place& a, const Place& b) {
    if (!keys.empty())
      if (const int by_first = keys.front().order(a, b)) return by_first < 0;
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (const int by_key = keys[i].order(keys[i].places[a.row], keys[i].places[b.row])) return by_key < 0;
    return in_order ? a.row < b.row : comes_first(rows[a.row], rows[b.row]);
  };
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::sort(order.begin(), order.end(), before);
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const Place& place : order) sorted.push_back(std::move(rows[place.row]));
  rows = std::move(sorted);
}

#define TESSERA_INSTANTIATE(Row)                                                                 \
  template Result<Filter> parse_filter<Row>(std::string_view);                                   \
  template bool passes<Row>(const Filter&, const Row&, const Context&);                          \
  template Result<Sort> parse_sort<Row>(std::string_view);                                       \
  template void filter_and_sort<Row>(std::vector<Row>&, const Filter&, const std::vector<Sort>&, \
                                     const Context&);
TESSERA_INSTANTIATE(NodeRow)
TESSERA_INSTANTIATE(GpuRow)
TESSERA_INSTANTIATE(SliceRow)
TESSERA_INSTANTIATE(WorkloadRow)
#undef TESSERA_INSTANTIATE
template Result<Filter> parse_filter<usage::Waste>(std::string_view);
template bool passes<usage::Waste>(const Filter&, const usage::Waste&, const Context&);

}  // namespace tessera::query
