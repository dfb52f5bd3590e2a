#include "engine/fleet/edit_text.hpp"

#include <algorithm>

namespace tessera::fleet {

constexpr std::size_t kNone = std::string_view::npos;

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
  if (const std::size_t comment = text_.substr(0, end).find(" #", begin); comment != kNone) end = comment;
  while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
  return {begin, end};
}

std::optional<std::size_t> EditText::last_end(const Yaml& value, bool flow) const {
  if (value.kind == Yaml::Kind::scalar) return this->value(value, flow).end;
  const bool map = value.kind == Yaml::Kind::map;
  if (map ? value.fields.empty() : value.items.empty()) return std::nullopt;
  const bool inside = flow || is_flow(value);
  const auto end = last_end(map ? value.fields.back().second : value.items.back(), inside);
  if (!end || !is_flow(value)) return end;
  const std::size_t close = text_.find_first_not_of(" \t\r\n,", *end);
  if (close == kNone || text_[close] != (map ? '}' : ']')) return std::nullopt;
  return close + 1;
}

std::optional<Span> EditText::whole(const Yaml& value, bool flow) const {
  const auto end = last_end(value, flow);
  if (!end) return std::nullopt;
  return Span{at(value.line, value.column), *end};
}

std::optional<Span> EditText::field(const std::string& key, const Yaml& value, bool flow) const {
  auto all = whole(value, flow);
  if (!all) return std::nullopt;
  const std::size_t line = line_begin(all->begin);
  const std::size_t begin = text_.rfind(key, all->begin);
  if (begin == kNone || begin < line) return std::nullopt;
  const bool quoted = begin > line && (text_[begin - 1] == '\'' || text_[begin - 1] == '"');
  all->begin = quoted ? begin - 1 : begin;
  return all;
}

std::string EditText::with(Span what, std::string_view instead) const {
  return std::string(text_.substr(0, what.begin)) + std::string(instead) +
         std::string(text_.substr(what.end));
}

std::string EditText::without(Span what, bool flow) const {
  std::size_t begin = what.begin, end = what.end;
  if (flow) {
    const std::size_t next = text_.find_first_not_of(' ', end);
    if (next != kNone && text_[next] == ',') {
      end = text_.find_first_not_of(' ', next + 1);
    } else {
      while (begin > 0 && text_[begin - 1] == ' ') --begin;
      if (begin > 0 && text_[begin - 1] == ',') --begin;
    }
    return with({begin, end}, "");
  }
  const std::size_t rest = text_.find_first_not_of(" \t\r", end);
  const bool alone = rest == kNone || text_[rest] == '\n';
  return with(alone ? Span{line_begin(begin), line_end(end)} : what, "");
}

std::optional<std::string> EditText::without_lines(std::size_t begin, std::size_t end) const {
  const Span lines{line_begin(begin), line_end(end)};
  if (text_.substr(lines.begin, lines.end - lines.begin).find('#') != kNone) return std::nullopt;
  return with(lines, "");
}

std::optional<std::string> EditText::without_whole(const std::string& key, const Yaml& value,
                                                   bool flow) const {
  const auto all = whole(value, flow);
  if (!all) return std::nullopt;
  if (is_flow(value)) {
    const auto entry = field(key, value, flow);
    if (!entry || text_.substr(entry->begin, entry->end - entry->begin).find('#') != kNone)
      return std::nullopt;
    return without(*entry, flow);
  }
  const std::size_t above = text_.rfind(key, all->begin);  // on a line before it
  return above == kNone ? std::nullopt : without_lines(above, all->end);
}

std::optional<std::string> EditText::without_item(const Yaml& list, const Yaml& item, bool flow) const {
  const bool inside = flow || is_flow(list);
  const auto all = whole(item, inside);
  if (!all) return std::nullopt;
  return inside ? std::optional(without(*all, true)) : without_lines(all->begin, all->end);
}

std::optional<std::string> EditText::with_field(const Yaml& map, bool flow, const std::string& field) const {
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
  const std::string pad(static_cast<std::size_t>(map.column) - 1, ' ');
  return with({end, end}, (ends_line(end) ? "" : "\n") + pad + field + "\n");
}

std::optional<std::string> EditText::with_item(const Yaml& list, bool flow, const std::string& item) const {
  if (list.items.empty()) return std::nullopt;
  const auto last = whole(list.items.back(), flow || is_flow(list));
  if (!last) return std::nullopt;
  if (flow || is_flow(list)) return with({last->end, last->end}, ", " + item);
  const std::size_t end = line_end(last->end);
  const std::string pad(static_cast<std::size_t>(list.column) - 1, ' ');
  return with({end, end}, (ends_line(end) ? "" : "\n") + pad + "- " + item + "\n");
}

}  // namespace tessera::fleet
