#include "tui/widgets/paint.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::tui {
namespace {

constexpr Glyphs kUnicode{"█", "·", "╳", "?", "═", "─", "│", "▌", "•",
                          "›", "·", "▲", "▼", "‹", "›", "≤", "░"};
constexpr Glyphs kAscii{"#", ".", "x", "?", "-", "-", "|", ">", "*", ">", "-", "^", "v", "<", ">", "<", ":"};

}  // namespace

const Glyphs& glyphs(bool ascii) { return ascii ? kAscii : kUnicode; }

Pen& Pen::put(std::string_view text, Style style) {
  if (x_ >= end_ || text.empty()) return *this;
  x_ += canvas_.put(x_, y_, shorten(text, end_ - x_, ascii_), style, end_);
  return *this;
}

Pen& Pen::skip(int cells) {
  x_ = std::min(end_, x_ + cells);
  return *this;
}

Pen& Pen::to(int x) {
  x_ = std::min(end_, std::max(x, x_));
  return *this;
}

int put_right(Canvas& canvas, int end, int y, std::string_view text, Style style) {
  int start = end - display_width(text);
  canvas.put(start, y, text, style, end);
  return start;
}

void put_cell(Canvas& canvas, int x, int y, int width, std::string_view text, Style style, bool ascii,
              bool right) {
  if (width <= 0) return;
  std::string fitted = shorten(text, width, ascii);
  int pad = right ? std::max(0, width - display_width(fitted)) : 0;
  canvas.put(x + pad, y, fitted, style, x + width);
}

void draw_rule(Canvas& canvas, int x, int y, int width, bool ascii) {
  canvas.fill(x, y, width, 1, glyphs(ascii).rule, Role::rule);
}

std::string meter(double percent, int width, bool ascii) {
  static constexpr std::array<std::string_view, 8> kParts{"", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};
  if (width <= 0) return {};
  double share = std::clamp(percent, 0.0, 100.0) / 100 * width;
  int full = static_cast<int>(share);
  std::string out;
  for (int i = 0; i < full; ++i) out += ascii ? "=" : "▇";
  int cells = full;
  // A little is never shown as nothing: 1 % and 0 % must look different.
  int eighths = static_cast<int>(std::ceil((share - full) * 7));
  if (cells < width && eighths > 0) {
    out += ascii ? "-" : kParts[static_cast<std::size_t>(eighths)];
    ++cells;
  }
  out.append(static_cast<std::size_t>(width - cells), ' ');
  return out;
}

}  // namespace tessera::tui
