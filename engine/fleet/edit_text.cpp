#include "engine/fleet/edit_text.hpp"

#include <algorithm>

namespace tessera::fleet {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kBlanks = " \t";

namespace {

bool blank(std::string_view text) { return text.find_first_not_of(kBlanks) == kNone; }

}  // namespace

std::size_t EditText::at(int line, int column) const {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin != kNone; ++i) {
    begin = text_.find('\n', begin);
    if (begin != kNone) ++begin;
  }
  return begin == kNone ? text_.size() : std::min(text_.size(), begin + static_cast<std::size_t>(column) - 1);
}

std::size_t EditText::line_begin(std::size_t from) const {
  if (from == 0) return 0;
  return text_.rfind('\n', from - 1) + 1;  // npos + 1 is 0
}

std::size_t EditText::line_end(std::size_t from) const {
  const std::size_t end = text_.find('\n', from);
  return end == kNone ? text_.size() : end + 1;
}

bool EditText::is_flow(const Yaml& map_or_list) const {
  const std::size_t begin = at(map_or_list.line, map_or_list.column);
  return begin < text_.size() && (text_[begin] == '{' || text_[begin] == '[');
}

Span EditText::value(const Yaml& scalar, bool flow) const {
  const std::size_t begin = at(scalar.line, scalar.column);
  if (begin >= text_.size()) return {begin, begin};
  const char quote = text_[begin];
  if (scalar.quoted && (quote == '"' || quote == '\'')) {
    const std::size_t end = text_.find(quote, begin + 1);
    return {begin, end == kNone ? text_.size() : end + 1};
  }
  std::size_t end = text_.find_first_of(flow ? ",}]\r\n" : "\r\n", begin);
  if (end == kNone) end = text_.size();
  for (std::size_t i = begin + 1; i < end; ++i)
    if (text_[i] == '#' && kBlanks.find(text_[i - 1]) != kNone) end = i;
  while (end > begin && kBlanks.find(text_[end - 1]) != kNone) --end;
  return {begin, end};
}

// Outside of quotes a comment begins behind a blank. A quote opens where a value or a key may begin: the one
// of "till May's end" does not, nor one behind a dash within a value ("a - 'b").
std::vector<Span> EditText::comments(Span what) const {
  std::vector<Span> found;
  char quote = 0;
  bool opens = true;
  const std::size_t end = std::min(what.end, text_.size());
  for (std::size_t i = what.begin; i < end; ++i) {
    const char c = text_[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;  // what is doubled opens it again
      continue;
    }
    if (c == '#' && (i == 0 || std::string_view(" \t\r\n,[{").find(text_[i - 1]) != kNone)) {
      const std::size_t stop = std::min(text_.find_first_of("\r\n", i), text_.size());
      found.push_back({i, stop});
      i = stop - 1;
    } else if (opens && (c == '"' || c == '\'')) {
      quote = c;
    } else if (kBlanks.find(c) == kNone) {
      opens = std::string_view("\r\n:,[{").find(c) != kNone || (c == '-' && opens);
    }
  }
  return found;
}

std::string EditText::comments_text() const {
  std::string all;
  for (const Span& one : comments({0, text_.size()}))
    all += std::string(text_.substr(one.begin, one.end - one.begin)) + "\n";
  return all;
}

std::size_t EditText::behind(std::size_t from) const {
  for (;;) {
    from = text_.find_first_not_of(" \t\r\n,", from);
    if (from == kNone || text_[from] != '#') return from;
    from = text_.find('\n', from);
  }
}

std::string_view EditText::line_break() const {
  const std::size_t first = text_.find('\n');
  return first != kNone && first > 0 && text_[first - 1] == '\r' ? "\r\n" : "\n";
}

std::optional<std::size_t> EditText::last_end(const Yaml& value, bool flow) const {
  if (value.kind == Yaml::Kind::scalar) return this->value(value, flow).end;
  const bool map = value.kind == Yaml::Kind::map;
  if (map ? value.fields.empty() : value.items.empty()) return std::nullopt;
  const bool inside = flow || is_flow(value);
  const auto end = last_end(map ? value.fields.back().second : value.items.back(), inside);
  if (!end || !is_flow(value)) return end;
  const std::size_t close = behind(*end);
  if (close == kNone || text_[close] != (map ? '}' : ']')) return std::nullopt;
  return close + 1;
}

std::optional<Span> EditText::whole(const Yaml& value, bool flow) const {
  const auto end = last_end(value, flow);
  if (!end) return std::nullopt;
  return Span{at(value.line, value.column), *end};
}

std::optional<std::size_t> EditText::key_at(const std::string& key, const Yaml& value) const {
  const std::size_t begin = at(value.line, value.column), line = at(value.key_line, 1);
  if (value.key_line <= 0 || begin <= line) return std::nullopt;
  std::size_t key_at = kNone;
  if (value.key_line == value.line) {
    key_at = text_.rfind(key, begin - 1);
    if (key_at != kNone && key_at > line && (text_[key_at - 1] == '\'' || text_[key_at - 1] == '"')) --key_at;
  } else {
    key_at = text_.find_first_not_of(" -", line);
    const bool quoted = key_at != kNone && (text_[key_at] == '\'' || text_[key_at] == '"');
    if (key_at != kNone && text_.substr(key_at + (quoted ? 1 : 0), key.size()) != key) return std::nullopt;
  }
  return key_at == kNone || key_at < line ? std::nullopt : std::optional(key_at);
}

std::optional<Span> EditText::field(const std::string& key, const Yaml& value, bool flow) const {
  const auto all = whole(value, flow);
  const auto begin = key_at(key, value);
  if (!all || !begin || *begin > all->begin) return std::nullopt;
  return Span{*begin, all->end};
}

std::string EditText::with(Span what, std::string_view instead) const {
  return std::string(text_.substr(0, what.begin)) + std::string(instead) +
         std::string(text_.substr(what.end));
}

std::optional<std::string> EditText::with_other(Span what, bool flow, std::string text) const {
  for (const Span& one : comments(what)) {
    if (flow) return std::nullopt;  // what follows on the line would become part of it
    text += " " + std::string(text_.substr(one.begin, one.end - one.begin));
  }
  return with(what, text);
}

std::string EditText::without(Span what, bool flow) const {
  return flow ? without_in_brackets(what) : without_lines(what);
}

std::string EditText::without_in_brackets(Span what) const {
  std::string kept;
  for (const Span& one : comments(what))
    kept += " " + std::string(text_.substr(one.begin, one.end - one.begin)) + std::string(line_break());
  std::size_t begin = what.begin, end = what.end;
  const std::size_t next = std::min(text_.find_first_not_of(kBlanks, end), text_.size());
  const bool comma = next < text_.size() && text_[next] == ',';
  if (comma) {
    end = std::min(text_.find_first_not_of(kBlanks, next + 1), text_.size());
    const bool apart = begin > 0 && kBlanks.find(text_[begin - 1]) != kNone;
    if (end < text_.size() && text_[end] == '#' && !apart && kept.empty()) kept = " ";
  }
  const std::size_t line = line_begin(begin),
                    rest = std::min(text_.find_first_not_of(" \t\r", end), text_.size());
  const bool line_ends = rest == text_.size() || text_[rest] == '\n';
  if (kept.empty() && line > 0 && line_ends && blank(text_.substr(line, begin - line)))
    return with({line, line_end(end)}, "");  // a comma above may stay: nothing need follow it
  if (!comma) {
    while (begin > 0 && text_[begin - 1] == ' ') --begin;
    if (begin > 0 && text_[begin - 1] == ',') --begin;
  }
  return with({begin, end}, kept);
}

std::string EditText::without_lines(Span what) const {
  const std::size_t first = line_begin(what.begin), last = line_end(what.end);
  const bool from_begin = blank(text_.substr(first, what.begin - first));  // no "- " before it
  std::string kept;
  for (const Span& one : comments({what.begin, last})) {
    const std::size_t line = line_begin(one.begin);
    const std::size_t pad = text_.find_first_not_of(kBlanks, line) - line;
    const std::string comment(text_.substr(one.begin, one.end - one.begin));
    if (from_begin || !kept.empty())
      kept += std::string(text_.substr(line, pad)) + comment + std::string(line_break());
    else
      kept += " " + comment + std::string(line_break());
  }
  if (from_begin) return with({first, last}, kept);
  std::size_t begin = what.begin;
  while (begin > first && kBlanks.find(text_[begin - 1]) != kNone) --begin;
  return with({begin, last}, kept.empty() ? line_break() : std::string_view(kept));
}

std::optional<std::string> EditText::without_whole(const std::string& key, const Yaml& value,
                                                   bool flow) const {
  const auto entry = field(key, value, flow);
  return entry ? std::optional(without(*entry, flow)) : std::nullopt;
}

std::optional<std::string> EditText::without_item(const Yaml& list, const Yaml& item, bool flow) const {
  const bool inside = flow || is_flow(list);
  auto all = whole(item, inside);
  if (!all) return std::nullopt;
  if (inside) return without(*all, true);
  const std::size_t dash = text_.rfind('-', all->begin - 1);
  if (dash == kNone || !blank(text_.substr(dash + 1, all->begin - dash - 1))) return std::nullopt;
  return without({dash, all->end}, false);
}

std::optional<std::string> EditText::with_field(const Yaml& map, bool flow, const std::string& field) const {
  if (map.fields.empty() && is_flow(map)) {
    const std::size_t inside = at(map.line, map.column) + 1;
    return with({inside, inside}, field);
  }
  const auto last = std::find_if(map.fields.rbegin(), map.fields.rend(), [](const Yaml::Field& one) {
    return one.second.kind == Yaml::Kind::scalar;
  });
  if (last == map.fields.rend()) return std::nullopt;
  return with_field(map, last->second, flow, field);
}

std::string EditText::with_field(const Yaml& map, const Yaml& after, bool flow,
                                 const std::string& field) const {
  const Span value = this->value(after, flow);
  if (flow) return with({value.end, value.end}, ", " + field);
  const std::size_t end = line_end(value.end);
  const std::string pad(static_cast<std::size_t>(map.column) - 1, ' '), eol(line_break());
  return with({end, end}, (ends_line(end) ? "" : eol) + pad + field + eol);
}

std::optional<std::string> EditText::with_item(const Yaml& list, bool flow, const std::string& item) const {
  if (list.items.empty()) return std::nullopt;
  const auto last = whole(list.items.back(), flow || is_flow(list));
  if (!last) return std::nullopt;
  if (flow || is_flow(list)) return with({last->end, last->end}, ", " + item);
  const std::size_t end = line_end(last->end);
  const std::string pad(static_cast<std::size_t>(list.column) - 1, ' '), eol(line_break());
  return with({end, end}, (ends_line(end) ? "" : eol) + pad + "- " + item + eol);
}

}  // namespace tessera::fleet
