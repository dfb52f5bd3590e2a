// A grid of cells: what every view draws on and what golden tests read.
//
// Text goes in as UTF-8; wide characters take two cells, combining marks join the cell before them, and
// control characters never get in (they become U+00B7). Drawing outside is clipped, never an error.
// Threads: plain value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/terminal/style.hpp"

namespace tessera::tui {

struct Size {
  int columns = 0;
  int rows = 0;
  friend bool operator==(Size, Size) = default;
};

struct Cell {
  std::string glyph = " ";  // one UTF-8 grapheme; empty: right half of a wide one
  Style style;
  friend bool operator==(const Cell&, const Cell&) = default;
};

class Canvas {
 public:
  explicit Canvas(Size size);
  Size size() const { return size_; }
  void clear();

  // Writes text and returns the cells it took; stops before column `limit` (the width when negative).
  int put(int x, int y, std::string_view text, Style style = {}, int limit = -1);
  void fill(int x, int y, int width, int height, std::string_view glyph, Style style = {});
  // Adds reverse to what stands there, keeping roles: the selected row.
  void mark_selected(int x, int y, int width);

  const Cell& at(int x, int y) const { return cells_[static_cast<std::size_t>(y * size_.columns + x)]; }

  // For tests: rows of text without trailing blanks, and the same grid as role letters
  // (bold and reverse are shown by attributes() instead, so that letters stay unique).
  std::string text() const;
  std::string roles() const;
  // One letter per cell: "." plain, "b" bold, "r" reverse, "u" underline (the first that holds, in that order
  // r b u).
  std::string attributes() const;

  void show_cursor(int x, int y) {
    cursor_x_ = x;
    cursor_y_ = y;
  }
  int cursor_x() const { return cursor_x_; }  // -1: hidden
  int cursor_y() const { return cursor_y_; }

 private:
  Cell* cell(int x, int y);  // nullptr outside
  void break_wide(int x, int y);
  // Those of a line that are about to be written, clipped; nothing is left of a wide one at either end.
  std::span<Cell> run(int x, int y, int width);
  void set(int x, int y, std::string_view glyph, int width, Style style);
  void join(int x, int y, std::string_view mark);
  template <class Letter>
  std::string grid(Letter letter_of) const;

  Size size_;
  std::vector<Cell> cells_;
  int cursor_x_ = -1, cursor_y_ = -1;
};

// Cells that text takes on a terminal.
int display_width(std::string_view utf8);
// The longest start of text that takes at most `width` cells; with an ellipsis when cut.
std::string shorten(std::string_view utf8, int width, bool ascii = false);

}  // namespace tessera::tui
