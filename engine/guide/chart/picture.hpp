// The flowchart's picture: where each question and leaf stands, and how the lines between them run.
//
// It is drawn in the data file, so that a person decides how it looks. Rows of boxes and rows of lines take
// turns. A box is "[id   ]", as wide as on the screen; below a question "y" and "n" are where its lines
// leave, and the lines run down from there to the top of another box. The text in a box comes from the
// flowchart. Threads: immutable after load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::guide {

struct ChartPoint {
  int x = 0;
  int y = 0;
  friend bool operator==(const ChartPoint&, const ChartPoint&) = default;
};

// Columns that a frame and the mark ("yes") take of a box.
inline constexpr int kFrameWidth = 4, kMarkWidth = 4;

struct Picture {
  enum class Row : std::uint8_t { boxes, ports, lines };
  struct Box {
    std::string id;
    int x = 0, row = 0, width = 0;
  };
  struct Line {
    std::string from, to;
    bool yes = false;
    std::vector<ChartPoint> points;  // corners from the port to above the other box; y counts rows
  };
  std::vector<Row> rows;
  std::vector<Box> boxes;
  std::vector<Line> lines;
  int width = 0;
};

// Columns that a text takes.
int text_width(std::string_view text);

// Errors: what is no picture, with its row (from 1) and column.
Result<Picture> parse_picture(std::string_view text);

}  // namespace tessera::guide
