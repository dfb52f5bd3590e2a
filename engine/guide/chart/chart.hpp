// The flowchart as a drawing: boxes and lines on a grid of characters, without colours.
//
// By the flowchart's picture with framed boxes for wide terminals, with one-line boxes for 80 columns; as an
// indented list where it has no picture, or no room for it. Every element says whether it is on the walked
// path. A console paints what paint() gives, cell by cell. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/guide/walk.hpp"

namespace tessera::guide {

enum class Glow : std::uint8_t { dim, lit, current };
enum class ChartStyle : std::uint8_t { automatic, framed, compact, list };

struct ChartBox {
  std::string id;  // question or leaf; empty: the title, or in a list a place that stands above already
  bool leaf = false;
  int x = 0, y = 0, width = 0, height = 1;
  std::string text;  // one line, fits the box
  std::string mark;  // "yes" "no" "?" or empty; stands right-aligned in the box
  Glow glow = Glow::dim;
};

struct ChartLine {
  std::string from, to;  // ids
  bool yes = false;
  std::vector<ChartPoint> points;  // corners, both ends included; each part is level or upright
  Glow glow = Glow::dim;
  std::string label;  // "yes" or "no"; in a list it is part of the box's text and empty here
  ChartPoint label_at;
};

// One of the boxes is the flowchart's title, where it starts.
struct Chart {
  ChartStyle style = ChartStyle::list;
  int width = 0, height = 0;
  std::vector<ChartBox> boxes;
  std::vector<ChartLine> lines;
  const ChartBox* box(std::string_view id) const;
};

// The most generous style that fits the width; the height is what it is, for scrolling. A style that is asked
// for but does not fit falls to the next smaller one. width: at least 20 is useful.
// words: the same tree in another language (Texts::in_language); null: the walk's own.
Chart layout_chart(const Walk& walk, int width, ChartStyle style = ChartStyle::automatic,
                   const Flowchart* words = nullptr);

struct ChartCell {
  std::string glyph = " ";  // empty: the right half of a wide character
  Glow glow = Glow::dim;
  bool text = false;  // part of a word, not of a line or a frame
};
using ChartGrid = std::vector<std::vector<ChartCell>>;  // rows of equal length
ChartGrid paint(const Chart& chart, bool ascii);

}  // namespace tessera::guide
