#include "tui/widgets/tiles.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::tui {
namespace {

constexpr Style kJustChanged = Style(Role::changed).with_bold();
constexpr int kShortName = 5;  // cells from which on a name that is cut short still tells something

std::string_view fill_of(TileKind kind, const Glyphs& shapes) {
  switch (kind) {
    case TileKind::held: return shapes.held;
    case TileKind::free: return shapes.free;
    case TileKind::room: return "_";
    case TileKind::stranded: return shapes.stranded;
    case TileKind::created: return shapes.created;
    case TileKind::closed: return shapes.closed;
    case TileKind::unknown: break;
  }
  return shapes.unknown;
}

// The bar of a tile: its shape from wall to wall, with a text in the middle where there is room for both.
void draw_bar(Canvas& canvas, int x, int y, int width, const Tile& tile, const std::string& text,
              bool selected, bool ascii) {
  Style style = role_of(tile.kind);
  canvas.fill(x, y, width, 1, fill_of(tile.kind, glyphs(ascii)), style);
  std::string fitted = shorten(text, width - 2, ascii);
  int cells = display_width(fitted);
  if (cells == 0) {
    if (selected) canvas.mark_selected(x, y, width);
    return;
  }
  // A short tile keeps one cell of its shape at each side; the text never hides what it is.
  bool airy = cells + 4 <= width;
  int start = x + (width - cells) / 2;
  if (airy) canvas.fill(start - 1, y, cells + 2, 1, " ", style);
  Style words = tile.changed                  ? kJustChanged
                : tile.words                  ? Style(*tile.words)
                : tile.kind == TileKind::held ? Style(Role::text)
                                              : style;
  canvas.put(start, y, fitted, selected ? words.with_bold() : words, x + width);
  // Without colour a reversed solid bar would be blank: only the words are marked, the shape stays.
  if (selected) canvas.mark_selected(airy ? start - 1 : start, y, airy ? cells + 2 : cells);
}

// "1g.10gb" where it fits with its shape beside it, else "1g".
std::string short_label(const std::string& label, int width) {
  std::size_t dot = label.find('.');
  if (display_width(label) + 2 <= width) return label;
  if (dot == std::string::npos) return {};  // the shape says it; a word cut short would not
  std::size_t plus = label.find('+', dot);  // of an attribute; one before it is a sign
  return label.substr(0, dot) + (plus == std::string::npos ? "" : label.substr(plus));
}

std::string bar_text(const Tile& tile, int text_lines, int width) {
  if (text_lines > 0 || tile.lines.empty()) return short_label(tile.label, width);
  std::string both = tile.label + " " + tile.lines.front();
  return display_width(both) + 2 <= width ? both : tile.lines.front();
}

void draw_texts(Canvas& canvas, int x, int y, int width, const Tile& tile, int lines, bool ascii) {
  for (int i = 0; i < lines; ++i) {
    std::string text;
    std::size_t index = static_cast<std::size_t>(i);
    if (index < tile.lines.size()) text = tile.lines[index];
    int end = x + width;
    if (i == lines - 1 && !tile.use.empty() && display_width(tile.use) <= width) {
      bool room = display_width(text) + 1 + display_width(tile.use) <= width;
      // The holder's name is worth more than the use, the use more than a name of which hardly anything is
      // left.
      if (!room && i > 0 && width - 1 - display_width(tile.use) < kShortName) text.clear();
      if (room || i > 0) end = put_right(canvas, end, y + i, tile.use, Role::text) - 1;
    }
    Style style = i > 0 ? Style(Role::dim) : tile.changed ? kJustChanged : Style(Role::text);
    put_cell(canvas, x, y + i, end - x, text, style, ascii);
  }
}

}  // namespace

Role role_of(TileKind kind) {
  switch (kind) {
    case TileKind::held: return Role::held;
    case TileKind::free: return Role::free;
    case TileKind::room: return Role::dim;
    case TileKind::stranded: return Role::stranded;
    case TileKind::created: return Role::created;
    case TileKind::closed: return Role::dim;
    case TileKind::unknown: break;
  }
  return Role::unknown;
}

int tile_row_width(int units, int width) {
  if (units <= 0 || units >= width) return width;
  return (width - 1) / units * units + 1;
}

void draw_tiles(Canvas& canvas, int x, int y, int width, const TileRow& row) {
  if (row.units <= 0 || width < 3) return;
  const Glyphs& shapes = glyphs(row.ascii);
  auto wall_at = [&](double unit) {
    double share = std::clamp(unit / row.units, 0.0, 1.0);
    return x + static_cast<int>(std::lround(share * (width - 1)));
  };
  auto wall = [&](int at, Style style) {
    for (int line = 0; line <= row.text_lines; ++line) canvas.put(at, y + line, shapes.wall, style);
  };
  wall(x, Role::rule);
  for (const Tile& tile : row.tiles) wall(wall_at(tile.to), Role::rule);
  for (const Tile& tile : row.tiles) {
    int from = wall_at(tile.from), inner = wall_at(tile.to) - from - 1;
    if (inner <= 0) continue;
    bool selected = !tile.id.empty() && tile.id == row.selected;
    draw_bar(canvas, from + 1, y, inner, tile, bar_text(tile, row.text_lines, inner), selected, row.ascii);
    draw_texts(canvas, from + 1, y + 1, inner, tile, row.text_lines, row.ascii);
    if (!selected) continue;
    for (int line = 1; line <= row.text_lines; ++line) canvas.mark_selected(from + 1, y + line, inner);
  }
}

void draw_ruler(Canvas& canvas, int x, int y, int width, int units) {
  if (units <= 0) return;
  int cell = (width - 1) / units;
  for (int unit = 0; unit < units; ++unit) canvas.put(x + unit * cell, y, std::to_string(unit), Role::dim);
}

}  // namespace tessera::tui
