#include "engine/hostlist.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/number.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"

namespace tessera {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kMostDigits = 20;

struct Range {
  std::uint64_t first = 0, last = 0;
  std::size_t width = 1;  // "01": names keep their leading zeros
};

std::optional<Range> read_range(std::string_view text) {
  std::size_t dash = text.find('-');
  std::string_view low = text.substr(0, dash);
  std::string_view high = dash == std::string_view::npos ? low : text.substr(dash + 1);
  // Leading zeros are copied into every name: a few bytes must not become many.
  if (low.size() > kMostDigits || high.size() > kMostDigits) return std::nullopt;
  auto first = whole_number<std::uint64_t>(low), last = whole_number<std::uint64_t>(high);
  if (!first || !last || *last < *first) return std::nullopt;
  return Range{*first, *last, low.size()};
}

// Calls with each comma-separated part; false from the call ends it.
template <class Call>
bool each_part(std::string_view list, Call call) {
  while (true) {
    std::size_t comma = list.find(',');
    if (!call(list.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

std::string padded(std::uint64_t value, std::size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

Error bad_list(std::string_view list, const char* why) {
  return {"cannot read a list of hosts", clean(list, 80) + ": " + why, ""};
}

// One name with any number of brackets; `starts` holds what stands before the rest, in all its variants.
Result<std::vector<std::string>> expand_one(std::string_view pattern, std::size_t room) {
  std::vector<std::string> names{""};
  for (std::string_view rest = pattern; !rest.empty();) {
    std::size_t open = rest.find('[');
    std::string_view literal = rest.substr(0, open);
    if (names.front().size() + literal.size() > kLongestName) return bad_list(pattern, "a name is too long");
    for (std::string& name : names) name += literal;
    if (open == std::string_view::npos) break;
    std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos) return bad_list(pattern, "a bracket does not close");
    std::vector<std::string> longer;
    bool fits = true;
    bool read = each_part(rest.substr(open + 1, close - open - 1), [&](std::string_view part) {
      auto range = read_range(part);
      if (!range) return false;
      fits = range->last - range->first < room &&
             names.size() * (range->last - range->first + 1) + longer.size() <= room;
      if (!fits) return false;
      for (const std::string& name : names)
        for (std::uint64_t i = range->first; i <= range->last; ++i)
          longer.push_back(name + padded(i, range->width));
      return true;
    });
    if (!fits) return bad_list(pattern, "too many hosts");
    if (!read) return bad_list(pattern, "a range is not one");
    names = std::move(longer);
    rest.remove_prefix(close + 1);
  }
  return names;
}

constexpr std::size_t kDigitsFolded = 18;

// A name as Slurm's own lists keep it: what stands before its last digits, and these as a range.
struct Run {
  std::string_view start;
  Range range;
  bool counts = false;  // it ends in digits
};

Run run_of(std::string_view name) {
  std::size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9')
    ++digits;
  if (digits == 0 || digits > kDigitsFolded) return {name, {}, false};
  std::string_view tail = name.substr(name.size() - digits);
  std::uint64_t value = *whole_number<std::uint64_t>(tail);
  return {name.substr(0, name.size() - digits), {value, value, digits}, true};
}

// Whether a range written with its own width also writes `next` as it is.
bool writes(const Range& range, const Range& next) {
  return padded(next.first, range.width).size() == next.width;
}

void append_range(std::string& text, const Range& range) {
  text += padded(range.first, range.width);
  if (range.last > range.first) text += '-' + padded(range.last, range.width);
}

}  // namespace

std::string fold_hosts(const std::vector<std::string>& names) {
  std::vector<Run> runs;
  for (const std::string& name : names) {
    Run run = run_of(name);
    Run* last = runs.empty() ? nullptr : &runs.back();
    if (run.counts && last && last->counts && last->start == run.start &&
        last->range.last + 1 == run.range.first && writes(last->range, run.range))
      last->range.last = run.range.last;
    else
      runs.push_back(run);
  }
  std::string text;
  for (std::size_t i = 0; i < runs.size();) {
    std::size_t end = i + 1;
    while (end < runs.size() && runs[i].counts && runs[end].counts && runs[end].start == runs[i].start) ++end;
    if (!text.empty()) text += ',';
    text += runs[i].start;
    bool bracket = runs[i].counts && (end > i + 1 || runs[i].range.last > runs[i].range.first);
    if (bracket) text += '[';
    for (std::size_t at = i; runs[i].counts && at < end; ++at) {
      if (at > i) text += ',';
      append_range(text, runs[at].range);
    }
    if (bracket) text += ']';
    i = end;
  }
  return text;
}

std::string fold_for_reading(std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return query::natural_compare(a, b) < 0;
  });
  return fold_hosts(names);
}

Result<std::vector<std::string>> expand_hosts(std::string_view list, std::size_t most) {
  std::vector<std::string> names;
  while (!list.empty()) {
    // A comma inside brackets belongs to the name.
    std::size_t end = 0;
    int depth = 0;
    for (; end < list.size() && (list[end] != ',' || depth > 0); ++end) {
      if (list[end] == '[') ++depth;
      if (list[end] == ']' && depth > 0) --depth;
    }
    std::string_view pattern = list.substr(0, end);
    list.remove_prefix(end < list.size() ? end + 1 : end);
    if (pattern.empty()) continue;
    if (names.size() >= most) return bad_list(pattern, "too many hosts");
    auto some = expand_one(pattern, most - names.size());
    if (!some) return some.error();
    for (std::string& name : *some) names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::vector<int>> expand_numbers(std::string_view list, std::size_t most) {
  std::vector<int> numbers;
  bool read = each_part(list, [&](std::string_view part) {
    auto range = read_range(part);
    if (!range || range->last > 1'000'000'000 || range->last - range->first >= most - numbers.size())
      return false;
    for (std::uint64_t i = range->first; i <= range->last; ++i) numbers.push_back(static_cast<int>(i));
    return true;
  });
  if (!read) return std::nullopt;
  return numbers;
}

}  // namespace tessera
