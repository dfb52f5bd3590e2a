// The chart's boxes and lines as cells.
#include <algorithm>
#include <array>

#include "engine/guide/chart/chart.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

enum : unsigned { kUp = 1, kDown = 2, kLeft = 4, kRight = 8 };

// By the sum of the directions in which a cell's line goes on.
constexpr std::array<const char*, 16> kLines{" ", "│", "│", "│", "─", "╯", "╮", "┤",
                                             "─", "╰", "╭", "├", "─", "┴", "┬", "┼"};
constexpr std::array<const char*, 16> kPlain{" ", "|", "|", "|", "-", "+", "+", "+",
                                             "-", "+", "+", "+", "-", "+", "+", "+"};

class Painter {
 public:
  Painter(const Chart& chart, bool ascii)
      : chart_(chart),
        ascii_(ascii),
        grid_(static_cast<std::size_t>(std::max(chart.height, 0)),
              std::vector<ChartCell>(static_cast<std::size_t>(std::max(chart.width, 0)))),
        ways_(grid_.size(), std::vector<unsigned>(static_cast<std::size_t>(std::max(chart.width, 0)), 0)) {}

  ChartGrid run() {
    // Dim lines first, so that a lit one is seen where two meet.
    for (Glow glow : {Glow::dim, Glow::lit, Glow::current}) {
      for (const ChartLine& line : chart_.lines) {
        if (line.glow == glow) trace(line);
      }
    }
    for (std::size_t y = 0; y < grid_.size(); ++y) {
      for (std::size_t x = 0; x < grid_[y].size(); ++x) {
        if (ways_[y][x] != 0) grid_[y][x].glyph = ascii_ ? kPlain[ways_[y][x]] : kLines[ways_[y][x]];
      }
    }
    for (const ChartBox& box : chart_.boxes) draw(box);
    for (const ChartLine& line : chart_.lines) joints(line);
    for (const ChartLine& line : chart_.lines) {
      if (!line.label.empty()) write(line.label_at.x, line.label_at.y, line.label, line.glow);
    }
    return std::move(grid_);
  }

 private:
  bool inside(int x, int y) const { return y >= 0 && y < chart_.height && x >= 0 && x < chart_.width; }
  ChartCell& cell(int x, int y) { return grid_[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]; }

  void put(int x, int y, const char* glyph, Glow glow) {
    if (inside(x, y)) cell(x, y) = {glyph, glow, false};
  }

  void mark(int x, int y, unsigned ways, Glow glow) {
    if (!inside(x, y)) return;
    ways_[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] |= ways;
    cell(x, y).glow = std::max(cell(x, y).glow, glow);
  }

  void trace(const ChartLine& line) {
    const bool list = chart_.style == ChartStyle::list;
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      if (i + 1 == line.points.size()) break;
      ChartPoint from = line.points[i];
      const ChartPoint to = line.points[i + 1];
      while (!(from == to)) {
        const bool level = from.y == to.y;
        const int step = level ? (to.x > from.x ? 1 : -1) : (to.y > from.y ? 1 : -1);
        const unsigned out = level ? (step > 0 ? kRight : kLeft) : (step > 0 ? kDown : kUp);
        const unsigned back = level ? (step > 0 ? kLeft : kRight) : (step > 0 ? kUp : kDown);
        mark(from.x, from.y, out, line.glow);
        (level ? from.x : from.y) += step;
        mark(from.x, from.y, back, line.glow);
      }
    }
    // Both ends run on into the boxes.
    mark(line.points.front().x, line.points.front().y, kUp, line.glow);
    mark(line.points.back().x, line.points.back().y, list ? kRight : kDown, line.glow);
  }

  void write(int x, int y, std::string_view text, Glow glow) {
    for (std::size_t at = 0; at < text.size();) {
      const Decoded one = decode_utf8(text, at);
      const std::string glyph(text.substr(at, one.length));
      const int width = text_width(glyph);
      at += one.length;
      if (width == 0) {
        if (inside(x - 1, y)) cell(x - 1, y).glyph += glyph;
        continue;
      }
      if (inside(x, y)) cell(x, y) = {ascii_ && glyph == "…" ? "~" : glyph, glow, true};
      if (width == 2 && inside(x + 1, y)) cell(x + 1, y) = {"", glow, true};
      x += width;
    }
  }

  void frame(const ChartBox& box) {
    const bool strong = box.glow == Glow::current;
    const int right = box.x + box.width - 1, bottom = box.y + box.height - 1;
    const char* level = ascii_ ? (strong ? "=" : "-") : (strong ? "═" : "─");
    const char* upright = ascii_ ? "|" : (strong ? "║" : "│");
    for (int x = box.x; x <= right; ++x) {
      put(x, box.y, level, box.glow);
      put(x, bottom, level, box.glow);
    }
    for (int y = box.y + 1; y < bottom; ++y) {
      put(box.x, y, upright, box.glow);
      put(right, y, upright, box.glow);
    }
    put(box.x, box.y, ascii_ ? "+" : strong ? "╔" : "╭", box.glow);
    put(right, box.y, ascii_ ? "+" : strong ? "╗" : "╮", box.glow);
    put(box.x, bottom, ascii_ ? "+" : strong ? "╚" : "╰", box.glow);
    put(right, bottom, ascii_ ? "+" : strong ? "╝" : "╯", box.glow);
  }

  void draw(const ChartBox& box) {
    const bool framed = chart_.style == ChartStyle::framed;
    const bool list = chart_.style == ChartStyle::list;
    const int y = box.y + box.height / 2;
    const int pad = framed ? 2 : list ? 0 : 1;
    if (box.id.empty() && !list) return title(box, framed);
    if (framed) frame(box);
    if (!framed && !list) {
      put(box.x, y, box.glow == Glow::current ? ">" : "[", box.glow);
      put(box.x + box.width - 1, y, box.glow == Glow::current ? "<" : "]", box.glow);
    }
    write(box.x + pad, y, box.text, box.glow);
    if (!box.mark.empty()) write(box.x + box.width - pad - text_width(box.mark), y, box.mark, box.glow);
  }

  // It rests on the first question, into whose frame it points.
  void title(const ChartBox& box, bool framed) {
    write(box.x, box.y, "(", box.glow);
    write(box.x + 2, box.y, box.text, box.glow);
    write(box.x + box.width - 1, box.y, ")", box.glow);
    const int x = box.x + box.width / 2, below = box.y + 1;
    const bool on_frame = framed && inside(x, below) &&
                          (cell(x, below).glyph == "─" || cell(x, below).glyph == "═" ||
                           cell(x, below).glyph == "-" || cell(x, below).glyph == "=");
    if (on_frame) put(x, below, ascii_ ? "v" : "▼", cell(x, below).glow);
  }

  // Where a line leaves and enters a frame.
  void joints(const ChartLine& line) {
    if (chart_.style != ChartStyle::framed) return;
    const ChartBox* from = chart_.box(line.from);
    const ChartBox* to = chart_.box(line.to);
    const ChartPoint out{line.points.front().x, line.points.front().y - 1};
    const ChartPoint in{line.points.back().x, line.points.back().y + 1};
    const bool strong = from != nullptr && from->glow == Glow::current;
    put(out.x, out.y, ascii_ ? "+" : strong ? "╤" : "┬", from != nullptr ? from->glow : line.glow);
    const Glow glow = std::max(line.glow, inside(in.x, in.y) && to != nullptr ? to->glow : Glow::dim);
    put(in.x, in.y, ascii_ ? "v" : "▼", glow);
  }

  const Chart& chart_;
  bool ascii_;
  ChartGrid grid_;
  std::vector<std::vector<unsigned>> ways_;
};

}  // namespace

ChartGrid paint(const Chart& chart, bool ascii) { return Painter(chart, ascii).run(); }

}  // namespace tessera::guide
