// The placement map: one GPU as a row of tiles, left to right by memory slice.
//
// The shape says what a tile is, in any colour and in none: held is a solid bar, a free slice is dots around
// its name, room that nothing is cut from is plain dots, what is not held on a node that takes no work is a
// light shade, stranded room is crosses, unknown is question marks, and what is only wanted is a double line.
// Threads: pure drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/widgets/paint.hpp"

namespace tessera::tui {

enum class TileKind : std::uint8_t { held, free, room, stranded, unknown, created, closed };
Role role_of(TileKind kind);

struct Tile {
  TileKind kind = TileKind::unknown;
  double from = 0;  // in the GPU's units
  double to = 1;
  std::string id;                  // what the cursor holds on to; empty: cannot be selected
  std::string label;               // "2g.20gb", "free", "stranded"
  std::vector<std::string> lines;  // below the bar: holder, its work, since when; most important first
  std::optional<Role> words;       // of the label, where it is not that of the kind: kept, destroyed
  std::string use;                 // "88%", at the right end of the last line; empty: not reported
  bool changed = false;            // what it is or who holds it, a moment ago
};

struct TileRow {
  std::vector<Tile> tiles;
  double units = 8;
  int text_lines = 1;    // lines below the bar; 0: the holder stands in the bar itself
  std::string selected;  // id of the tile under the cursor
  bool ascii = false;
};

// Cells from wall to wall for `units` memory slices in at most `width` cells, both walls included, so that
// every slice is equally wide; the whole width when they do not fit at all.
int tile_row_width(int units, int width);
// Draws walls, bars and texts; 1 + text_lines lines high.
void draw_tiles(Canvas& canvas, int x, int y, int width, const TileRow& row);
// "0   1   2" above the units.
void draw_ruler(Canvas& canvas, int x, int y, int width, int units);

}  // namespace tessera::tui
