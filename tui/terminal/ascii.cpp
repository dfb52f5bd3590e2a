#include "tui/terminal/ascii.hpp"

#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

struct Likeness {
  std::u32string_view from;
  char to;
};

constexpr Likeness kLikenesses[] = {
    {U"─═╌╍┄┅┈┉╴╶╸╺‐‑‒–—−", '-'},
    {U"│┃║╎╏┆┇┊┋╵╷╹╻", '|'},
    {U"▌▐▶▸►›→❯»", '>'},
    {U"◀◂◄‹←❮«", '<'},
    {U"▲▴↑", '^'},
    {U"▼▾↓", 'v'},
    {U"█▉▓▒▊▋▍▎▏■▪", '#'},
    {U"·•∙⋅", '.'},
    {U"░", ':'},
    {U"━", '='},
    {U"╳✕✗✘×", 'x'},
    {U"…", '~'},
    {U"✓✔", 'Y'},
    {U"‘’′", '\''},
    {U"“”″", '"'},
    {U"°", 'o'},
    {U"±", '+'},
    {U"µμ", 'u'},
    {U"\u00A0\u2007\u202F", ' '},
};

}  // namespace

char ascii_glyph(std::string_view glyph) {
  if (glyph.empty()) return ' ';
  const char32_t c = take_code_point(glyph);
  if (c < 0x80) return c < 0x20 || c == 0x7F ? '?' : static_cast<char>(c);
  for (const Likeness& row : kLikenesses)
    if (row.from.find(c) != std::u32string_view::npos) return row.to;
  if (c >= 0x2500 && c <= 0x257F) return '+';                                    // corners and crossings
  if (c >= 0x2460 && c <= 0x2468) return static_cast<char>('1' + (c - 0x2460));  // digits in rings
  // Eighths of a block tell a height: shown as the digit 1 to 7 (the full block is above).
  if (c >= 0x2581 && c <= 0x2587) return static_cast<char>('1' + (c - 0x2581));
  return '?';
}

}  // namespace tessera::tui
