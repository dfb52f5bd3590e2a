#include "tui/terminal/canvas.hpp"

#include <algorithm>

#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

constexpr std::string_view kControlPicture = "\u00B7";
// A terminal keeps only a few marks a cell; more would be lost at its whim (or pile up on the screen).
constexpr std::size_t kMaxGlyphBytes = 24;

// The next thing to draw: how many cells it takes (0: belongs to the cell before, or nothing at all).
struct Piece {
  std::string_view glyph;
  int width = 0;
};

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }
// How many characters of ASCII it begins with, each of which takes a cell.
std::size_t plain_start(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_plain(text[count])) ++count;
  return count;
}

Piece take_piece(std::string_view& text) {
  const std::string_view before = text;
  if (is_plain(text[0])) {
    text.remove_prefix(1);
    return {before.substr(0, 1), 1};
  }
  const char32_t c = take_code_point(text);
  const std::string_view bytes = before.substr(0, before.size() - text.size());
  switch (extent(c)) {
    case Extent::control: return {kControlPicture, 1};
    case Extent::dropped: return {{}, 0};
    case Extent::joins: return {bytes, 0};
    case Extent::wide: return {bytes, 2};
    case Extent::narrow: break;
  }
  if (c == 0xFFFD) return {"\uFFFD", 1};  // the bytes themselves may be invalid
  return {bytes, 1};
}

}  // namespace

Canvas::Canvas(Size size)
    : size_{std::max(size.columns, 0), std::max(size.rows, 0)},
      cells_(static_cast<std::size_t>(size_.columns) * static_cast<std::size_t>(size_.rows)) {}

void Canvas::clear() {
  std::fill(cells_.begin(), cells_.end(), Cell{});
  cursor_x_ = cursor_y_ = -1;
}

Cell* Canvas::cell(int x, int y) {
  if (x < 0 || y < 0 || x >= size_.columns || y >= size_.rows) return nullptr;
  return &cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.columns) +
                 static_cast<std::size_t>(x)];
}

// A wide character of which one half is overwritten leaves a blank, never half a picture.
void Canvas::break_wide(int x, int y) {
  Cell* here = cell(x, y);
  if (!here) return;
  if (here->glyph.empty()) {
    if (Cell* left = cell(x - 1, y)) left->glyph = " ";
    here->glyph = " ";
  } else if (Cell* right = cell(x + 1, y); right && right->glyph.empty()) {
    right->glyph = " ";
  }
}

void Canvas::set(int x, int y, std::string_view glyph, int width, Style style) {
  if (width == 2 && (!cell(x, y) || !cell(x + 1, y))) {
    glyph = " ";  // half of it would be outside
    if (!cell(x, y)) ++x;
    width = 1;
  }
  for (int i = 0; i < width; ++i) {
    Cell* target = cell(x + i, y);
    if (!target) continue;
    break_wide(x + i, y);
    if (i == 0)
      target->glyph.assign(glyph);
    else
      target->glyph.clear();
    target->style = style;
  }
}

std::span<Cell> Canvas::run(int x, int y, int width) {
  const int first = std::max(x, 0), end = std::min(x + width, size_.columns);
  if (y < 0 || y >= size_.rows || first >= end) return {};
  break_wide(first, y);
  break_wide(end - 1, y);
  return {cell(first, y), static_cast<std::size_t>(end - first)};
}

void Canvas::join(int x, int y, std::string_view mark) {
  Cell* target = cell(x, y);
  if (target && target->glyph.empty()) target = cell(x - 1, y);
  if (target && target->glyph.size() + mark.size() <= kMaxGlyphBytes) target->glyph.append(mark);
}

int Canvas::put(int x, int y, std::string_view text, Style style, int limit) {
  const int end = limit < 0 ? size_.columns : std::min(limit, size_.columns);
  int at = x;
  while (!text.empty()) {
    if (const int plain = std::min(static_cast<int>(plain_start(text)), end - at); plain > 0) {
      std::size_t next = static_cast<std::size_t>(at < 0 ? std::min(-at, plain) : 0);  // left of the screen
      for (Cell& one : run(at, y, plain)) one.glyph.assign(1, text[next++]), one.style = style;
      text.remove_prefix(static_cast<std::size_t>(plain));
      at += plain;
      continue;
    }
    const Piece piece = take_piece(text);
    if (piece.width == 0) {
      if (at > x && !piece.glyph.empty()) join(at - 1, y, piece.glyph);
      continue;
    }
    if (at + piece.width > end) break;
    set(at, y, piece.glyph, piece.width, style);
    at += piece.width;
  }
  return at - x;
}

void Canvas::fill(int x, int y, int width, int height, std::string_view glyph, Style style) {
  for (int row = std::max(y, 0); row < std::min(y + height, size_.rows); ++row)
    for (Cell& one : run(x, row, width)) one.glyph.assign(glyph), one.style = style;
}

void Canvas::mark_selected(int x, int y, int width) {
  for (int column = x; column < x + width; ++column)
    if (Cell* target = cell(column, y)) target->style.reverse = true;
}

std::string Canvas::text() const {
  std::string out;
  for (int y = 0; y < size_.rows; ++y) {
    std::string line;
    for (int x = 0; x < size_.columns; ++x) line += at(x, y).glyph;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

template <class Letter>
std::string Canvas::grid(Letter letter_of) const {
  std::string out;
  for (int y = 0; y < size_.rows; ++y) {
    for (int x = 0; x < size_.columns; ++x) out += letter_of(at(x, y).style);
    out += '\n';
  }
  return out;
}

std::string Canvas::roles() const {
  return grid([](Style style) { return letter(style.role); });
}

std::string Canvas::attributes() const {
  return grid([](Style style) {
    return style.reverse ? 'r' : style.bold ? 'b' : style.underline ? 'u' : '.';
  });
}

int display_width(std::string_view utf8) {
  int width = 0;
  while (!utf8.empty()) {
    const std::size_t plain = plain_start(utf8);
    utf8.remove_prefix(plain);
    width += static_cast<int>(plain);
    if (!utf8.empty()) width += take_piece(utf8).width;
  }
  return width;
}

std::string shorten(std::string_view utf8, int width, bool ascii) {
  if (width <= 0) return {};
  if (utf8.size() <= static_cast<std::size_t>(width) && plain_start(utf8) == utf8.size())
    return std::string(utf8);
  std::string_view rest = utf8;
  int used = 0;
  std::size_t keep = 0;  // bytes that leave room for the ellipsis
  while (!rest.empty()) {
    const int next = take_piece(rest).width;
    if (used + next > width) {
      return std::string(utf8.substr(0, keep)) + (ascii ? "~" : "\u2026");
    }
    used += next;
    if (used <= width - 1) keep = utf8.size() - rest.size();
  }
  return std::string(utf8);
}

}  // namespace tessera::tui
