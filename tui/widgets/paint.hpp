// Small things that every widget draws with: areas, a pen that writes along a line, and the shapes.
// Threads: plain values; a Pen writes on the canvas that it was given.
#pragma once

#include <string>
#include <string_view>

#include "tui/terminal/canvas.hpp"

namespace tessera::tui {

struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  int right() const { return x + width; }
  int bottom() const { return y + height; }
  // The area without its first `lines` lines.
  Rect below(int lines) const {
    int cut = lines < height ? lines : height;
    return {x, y + cut, width, height - cut};
  }
};

// Every shape that carries meaning, in both alphabets. The same shape means the same on every screen.
struct Glyphs {
  std::string_view held;
  std::string_view free;
  std::string_view stranded;
  std::string_view unknown;
  std::string_view created;
  std::string_view rule;
  std::string_view wall;     // between two tiles
  std::string_view pointer;  // the row under the cursor
  std::string_view mark;     // a marked row
  std::string_view crumb;    // between breadcrumbs
  std::string_view dot;      // between facts on a line
  std::string_view ascending;
  std::string_view descending;
  std::string_view more_left;
  std::string_view more_right;
  std::string_view at_most;
  std::string_view closed;  // not held, and not available
};
const Glyphs& glyphs(bool ascii);

// Writes pieces one after the other on a line, never past its end; what does not fit ends in an ellipsis.
class Pen {
 public:
  Pen(Canvas& canvas, int x, int y, int end, bool ascii = false)
      : canvas_(canvas), x_(x), y_(y), end_(end), ascii_(ascii) {}
  Pen& put(std::string_view text, Style style = {});
  Pen& skip(int cells);
  // Moves to column x unless the pen is beyond it already.
  Pen& to(int x);
  int x() const { return x_; }
  int left() const { return end_ - x_; }

 private:
  Canvas& canvas_;
  int x_, y_, end_;
  bool ascii_;
};

// Text that ends at column `end` (exclusive). Returns where it starts.
int put_right(Canvas& canvas, int end, int y, std::string_view text, Style style = {});
// Left-aligned in exactly `width` cells, cut in the alphabet that is in use.
void put_cell(Canvas& canvas, int x, int y, int width, std::string_view text, Style style, bool ascii,
              bool right = false);
void draw_rule(Canvas& canvas, int x, int y, int width, bool ascii);

// A meter of `width` cells for 0..100, in eighths where the alphabet has them: "▇▇▇▆    ".
std::string meter(double percent, int width, bool ascii);

}  // namespace tessera::tui
