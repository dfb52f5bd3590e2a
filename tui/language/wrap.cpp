#include "tui/language/wrap.hpp"

#include <algorithm>
#include <array>

#include "tui/terminal/canvas.hpp"
#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

// By the Japanese rules of line breaking (kinsoku): what closes, small kana and the mark of length follow
// something, what opens precedes something.
constexpr std::u32string_view kNeverFirst =
    U"、。，．・：；？！）」』】〉》〕］｝〟’”ー々ゝヽ〜…‥％ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ)]},."
    U":;!?%/";
constexpr std::u32string_view kNeverLast = U"（「『【〈《〔［｛〝‘“([{";

bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != std::u32string_view::npos; }

bool may_break(char32_t before, char32_t after) {
  if (extent(before) != Extent::wide && extent(after) != Extent::wide) return false;
  return !is_in(kNeverLast, before) && !is_in(kNeverFirst, after);
}

// "done in 0.1 s", "12 GiB", "64 °C": a figure stays with its unit.
bool unit_follows(char32_t before, std::string_view blank) {
  if (before < U'0' || before > U'9') return false;
  constexpr std::array<std::string_view, 11> kUnits{"ms",  "s",  "min", "h", "d", "GiB",
                                                    "MiB", "GB", "W",   "%", "°C"};
  const std::string_view rest = blank.substr(1);
  return std::any_of(kUnits.begin(), kUnits.end(), [&](std::string_view unit) {
    if (!rest.starts_with(unit)) return false;
    const unsigned char next =
        rest.size() > unit.size() ? static_cast<unsigned char>(rest[unit.size()]) : ' ';
    const char lower = static_cast<char>(next | 0x20);
    return (lower < 'a' || lower > 'z') && next != '-';
  });
}

struct Line {
  std::size_t length = 0;  // bytes
  bool whole = true;       // the text ends with it
};

// Walks until the width is used up, and remembers where the line may end.
Line take_line(std::string_view text, int width, LongWord longer) {
  std::size_t soft = 0, comma = 0, at = 0, fits = 0;
  char32_t before = 0;
  int used = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const char32_t c = take_code_point(rest);
    const std::size_t end = text.size() - rest.size();
    const Extent takes = extent(c);
    const bool joined = takes == Extent::joins || takes == Extent::dropped;
    const bool blank = c == U' ' && !unit_follows(before, text.substr(at));
    if (at > 0 && (blank || (!joined && before != U' ' && may_break(before, c)))) soft = at;
    used += joined ? 0 : takes == Extent::wide ? 2 : 1;
    if (used > width && at > 0 && fits == 0) fits = at;
    if (fits > 0) {
      if (soft > 0) return {soft, false};
      if (longer == LongWord::broken) return {comma > 0 ? comma : fits, false};
    } else if (c == U',') {
      comma = end;
    }
    at = end;
    if (!joined) before = c;
  }
  return {text.size(), true};
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, int width, LongWord longer) {
  std::vector<std::string> lines;
  width = std::max(width, 1);
  // No text takes more cells than bytes.
  if (text.size() <= static_cast<std::size_t>(width)) return {std::string(text)};
  while (!text.empty()) {
    const Line line = take_line(text, width, longer);
    lines.emplace_back(text.substr(0, line.length));
    text.remove_prefix(line.length);
    while (!line.whole && text.starts_with(' ')) text.remove_prefix(1);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

void keep_lines(std::vector<std::string>& lines, std::size_t most) {
  if (lines.size() <= most) return;
  lines[most - 1] += " " + lines[most];
  lines.resize(most);
}

int longest_word(std::string_view text) {
  int longest = 0;
  for (const std::string& one : wrap(text, 1, LongWord::kept))
    longest = std::max(longest, display_width(one));
  return longest;
}

}  // namespace tessera::tui
