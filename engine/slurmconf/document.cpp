#include "engine/slurmconf/document.hpp"

#include <algorithm>

namespace tessera::slurmconf {
namespace {

// Slurm asks the C locale.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_key_part(char c) {
  char low = to_lower(c);
  return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// What is left of one physical line [begin, end) of `raw` for Slurm to read.
struct Content {
  std::size_t end = 0;  // of what counts: comment, joint and what follows them are cut off
  bool joined = false;  // the next line belongs to this one
};

Content content_of(std::string_view raw, std::size_t begin, std::size_t end) {
  std::size_t stop = begin;
  for (std::size_t escapes = 0; stop < end; ++stop) {
    if (raw[stop] == '\0' || (raw[stop] == '#' && escapes % 2 == 0)) break;
    escapes = raw[stop] == '\\' ? escapes + 1 : 0;
  }
  std::size_t last = stop;
  while (last > begin && is_blank(raw[last - 1])) --last;
  std::size_t escapes = 0;
  while (escapes < last - begin && raw[last - 1 - escapes] == '\\') ++escapes;
  if (escapes % 2 == 1) return {last - 1, true};
  return {stop, false};
}

// A line as Slurm sees it, and where its characters stand in the raw line: in runs, since most lines are one.
struct Cooked {
  struct Run {
    std::size_t begin = 0, raw = 0;  // of its first character
  };
  std::string text;
  std::vector<Run> runs;
  bool zero_byte = false;
  bool open = false;

  void clear() {
    text.clear();
    runs.clear();
    zero_byte = open = false;
  }
  void add(std::string_view raw, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    runs.push_back({text.size(), begin});
    text += raw.substr(begin, end - begin);
  }
  // An escaped character stands where its `\` does.
  void add_escaped(char c, std::size_t at) {
    runs.push_back({text.size(), at});
    text += c;
  }
  std::size_t from(std::size_t at) const {
    auto run = std::upper_bound(runs.begin(), runs.end(), at,
                                [](std::size_t place, const Run& one) { return place < one.begin; });
    --run;
    return run->raw + (at - run->begin);
  }
};

// Appends the content of one physical line; true: the next one belongs to it.
bool cook(std::string_view raw, std::size_t begin, std::size_t end, Cooked& into) {
  Content content = content_of(raw, begin, end);
  if (raw.substr(begin, end - begin).find('\0') != std::string_view::npos) into.zero_byte = true;
  raw = raw.substr(0, content.end);
  while (begin < content.end) {
    std::size_t escape = std::min(raw.find('\\', begin), content.end);
    into.add(raw, begin, escape);
    if (escape + 1 < content.end) into.add_escaped(raw[escape + 1], escape);
    begin = escape + 2;
  }
  return content.joined;
}

std::size_t raw_end(std::string_view raw, const Cooked& cooked, std::size_t last) {
  std::size_t at = cooked.from(last);
  return at + (raw[at] == '\\' ? 2 : 1);
}

std::size_t past_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// The key=value pair that starts at `at`, which moves behind it; false: there is none.
bool read_pair(std::string_view raw, const Cooked& cooked, std::size_t& at, Pair& pair) {
  std::string_view text = cooked.text;
  std::size_t key = past_blanks(text, at), key_end = key;
  while (key_end < text.size() && is_key_part(text[key_end])) ++key_end;
  if (key_end == key) return false;
  std::size_t equals = past_blanks(text, key_end);
  // Slurm's lines may say `+=`, `-=`, `*=` and `/=`.
  if (equals < text.size() && std::string_view("-*+/").find(text[equals]) != std::string_view::npos) ++equals;
  if (equals >= text.size() || text[equals] != '=') return false;
  std::size_t value = past_blanks(text, equals + 1), end = value;
  if (value >= text.size()) return false;
  if (text[value] == '"') {
    std::size_t quote = text.find('"', value + 1);
    if (quote != std::string_view::npos && (quote + 1 == text.size() || is_blank(text[quote + 1]))) {
      pair.quoted = true;
      end = quote + 1;
    }
  }
  while (!pair.quoted && end < text.size() && !is_blank(text[end])) ++end;
  pair.key = text.substr(key, key_end - key);
  pair.value = pair.quoted ? text.substr(value + 1, end - value - 2) : text.substr(value, end - value);
  pair.begin = cooked.from(key);
  pair.value_begin = cooked.from(value);
  pair.end = raw_end(raw, cooked, end - 1);
  at = end;
  return true;
}

// "Include FILE" at the very start of a line.
bool read_include(std::string_view text, Line& line) {
  constexpr std::string_view kWord = "include";
  if (text.size() <= kWord.size() || !same_key(text.substr(0, kWord.size()), kWord) ||
      !is_blank(text[kWord.size()]))
    return false;
  std::size_t begin = past_blanks(text, kWord.size()), end = begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  line.include = text.substr(begin, end - begin);
  if (line.include.empty())
    line.odd = "Include names no file";
  else if (past_blanks(text, end) != text.size())
    line.odd = "more than one file after Include";
  return true;
}

// Records take pairs after their first; a setting has a line of its own.
bool is_record(std::string_view key) {
  for (std::string_view one : {"NodeName", "PartitionName", "NodeSet", "DownNodes", "FrontendName", "Name"})
    if (same_key(key, one)) return true;
  return false;
}

void read_line(Line& line, const Cooked& cooked) {
  line.open = cooked.open;
  if (!read_include(cooked.text, line)) {
    std::size_t at = 0;
    line.pairs.reserve(static_cast<std::size_t>(std::count(cooked.text.begin(), cooked.text.end(), '=')));
    for (Pair pair; read_pair(line.raw, cooked, at, pair); pair = {}) line.pairs.push_back(std::move(pair));
    at = past_blanks(cooked.text, at);
    // Without its words: an Include may name any file, and this is shown.
    if (at < cooked.text.size())
      line.odd =
          line.pairs.empty() ? "is no Key=Value" : "cannot be read behind " + line.pairs.back().key + '=';
    else if (line.pairs.size() > 1 && !is_record(line.pairs.front().key))
      line.odd = "more than one setting on a line";
  }
  if (cooked.zero_byte && line.odd.empty()) line.odd = "has a zero byte";
}

// The logical line that starts at `at`, which moves behind it.
Line next_line(std::string_view text, std::size_t& at, int& number, Cooked& scratch) {
  scratch.clear();
  Line line;
  line.number = number;
  std::size_t begin = at;
  for (bool more = true; more;) {
    if (at >= text.size()) {
      scratch.open = true;
      break;
    }
    std::size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end + 1;
    more = cook(text.substr(begin), at - begin, end - begin, scratch);
    at = end;
    ++number;
  }
  line.raw = text.substr(begin, at - begin);
  read_line(line, scratch);
  return line;
}

}  // namespace

bool same_key(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return to_lower(a) == to_lower(b); });
}

const Pair* Line::find(std::string_view key) const {
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair)
    if (same_key(pair->key, key)) return &*pair;
  return nullptr;
}

bool Line::is(std::string_view key) const { return !pairs.empty() && same_key(pairs.front().key, key); }

Document parse(const File& file) {
  Document document{file.path, {}};
  document.lines.reserve(static_cast<std::size_t>(std::count(file.text.begin(), file.text.end(), '\n')) + 1);
  Cooked scratch;
  int number = 1;
  for (std::size_t at = 0; at < file.text.size();)
    document.lines.push_back(next_line(file.text, at, number, scratch));
  return document;
}

std::string write(const Document& document) {
  std::size_t size = 0;
  for (const Line& line : document.lines) size += line.raw.size();
  std::string text;
  text.reserve(size);
  for (const Line& line : document.lines) text += line.raw;
  return text;
}

Line parse_line(std::string raw, int number) {
  Cooked scratch;
  std::size_t at = 0;
  Line line = next_line(raw, at, number, scratch);
  line.raw = std::move(raw);
  return line;
}

std::string written(std::string_view value, bool quoted) {
  quoted = quoted || value.empty() || std::any_of(value.begin(), value.end(), is_blank);
  std::string text;
  if (quoted) text += '"';
  for (char c : value) {
    if (c == '#' || c == '\\') text += '\\';
    text += c;
  }
  if (quoted) text += '"';
  return text;
}

}  // namespace tessera::slurmconf
