// The eight-character picture of a GPU.
#include <algorithm>
#include <tuple>

#include "engine/mig/geometry.hpp"
#include "engine/query/tables.hpp"

namespace tessera::query {
namespace {

const char* free_glyph(bool ascii) { return ascii ? "." : "·"; }
const char* stranded_glyph(bool ascii) { return ascii ? "x" : "╳"; }

std::string repeat(std::string_view glyph, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += glyph;
  return text;
}

// A board that is shared in parts of one size: a letter for each eighth that is held.
std::string shared_strip(const Gpu& gpu, char letter, bool ascii) {
  int capacity = 0, held = 0;
  bool unknown = false;
  for (const Slice& slice : gpu.slices) {
    capacity += slice.capacity;
    held += slice.capacity - insight::free_shares(slice);
    unknown = unknown || slice.holding == Holding::unknown;
  }
  if (capacity == 0) return "";
  if (unknown) return repeat("?", 8);
  // Somebody with one share of a hundred is still somebody: round up.
  int cells = (held * 8 + capacity - 1) / capacity;
  return std::string(static_cast<std::size_t>(std::clamp(cells, 0, 8)), letter) +
         repeat(free_glyph(ascii), 8 - std::clamp(cells, 0, 8));
}

struct Piece {
  int start = 0, size = 1;
  char digit = '?';
  Holding holding = Holding::unknown;
};

// A held instance repeats the digit of its compute slices, a free one is a ring with a tail.
void draw_piece(std::vector<std::string>& cells, const Piece& piece, bool ascii) {
  for (int i = std::max(0, -piece.start); i < piece.size; ++i) {
    std::size_t at = static_cast<std::size_t>(piece.start + i);
    if (at >= cells.size()) return;
    if (piece.holding != Holding::free)
      cells[at] = std::string(1, piece.digit);
    else
      cells[at] = i == 0 ? (ascii ? "o" : "○") : (ascii ? "-" : "─");
  }
}

std::string joined(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += cell;
  return text;
}

char digit_of(const Slice& slice) { return slice.profile.empty() ? '?' : slice.profile.text.front(); }

// Nobody tells where the slices stand: the large ones first and of those alike the held ones, with a mark
// behind that says so. Empty: they do not fit the board.
std::string unplaced_strip(const Gpu& gpu, const mig::Product* product, int units, bool ascii) {
  std::vector<Piece> pieces;
  int room = units;
  for (const Slice& slice : gpu.slices) {
    const mig::Profile* profile = product ? product->find(slice.profile.view()) : nullptr;
    Piece piece{0, profile ? profile->memory_slices : 1, digit_of(slice), slice.holding};
    if (piece.holding == Holding::unknown) piece.digit = '?';
    room -= std::max(1, piece.size);
    pieces.push_back(piece);
  }
  if (room < 0) return {};
  auto rank = [](const Piece& piece) {
    int doubt = piece.holding == Holding::held ? 0 : piece.holding == Holding::unknown ? 1 : 2;
    return std::tuple(-piece.size, -piece.digit, doubt);
  };
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](const Piece& a, const Piece& b) { return rank(a) < rank(b); });
  std::vector<std::string> cells(static_cast<std::size_t>(units), free_glyph(ascii));
  int at = 0;
  for (Piece& piece : pieces) {
    piece.start = at;
    draw_piece(cells, piece, ascii);
    at += std::max(1, piece.size);
  }
  return joined(cells) + std::string(kPlacesUnknown);
}

// Held, free and uncut space differ by shape.
std::string mig_strip(const Gpu& gpu, const mig::Catalogue* catalogue, bool ascii) {
  const mig::Product* product = catalogue && gpu.product ? catalogue->by_key(gpu.product->text) : nullptr;
  int units = product && product->units > 0 ? product->units : 8;
  if (!std::all_of(gpu.slices.begin(), gpu.slices.end(),
                   [](const Slice& slice) { return slice.placement.has_value(); })) {
    std::string text = unplaced_strip(gpu, product, units, ascii);
    return text.empty() ? repeat("?", units) : text;
  }
  std::vector<std::string> cells(static_cast<std::size_t>(units), free_glyph(ascii));
  if (product) {
    if (std::optional<mig::Layout> layout = mig::observed_layout(*product, gpu))
      for (const Placement& part : mig::room(*product, *layout).stranded)
        for (int i = part.start; i < part.start + part.size && i < units; ++i)
          cells[static_cast<std::size_t>(i)] = stranded_glyph(ascii);
  }
  for (const Slice& slice : gpu.slices)
    draw_piece(cells, {slice.placement->start, slice.placement->size, digit_of(slice), slice.holding}, ascii);
  return joined(cells);
}

}  // namespace

std::string strip(const Gpu& gpu, const mig::Catalogue* catalogue, bool ascii) {
  switch (gpu.strategy) {
    case Strategy::mig: return mig_strip(gpu, catalogue, ascii);
    case Strategy::whole: return shared_strip(gpu, 'w', ascii);
    case Strategy::mps: return shared_strip(gpu, 'm', ascii);
    case Strategy::time_slicing: return shared_strip(gpu, 't', ascii);
    case Strategy::shard: return shared_strip(gpu, 's', ascii);
    case Strategy::vgpu: return shared_strip(gpu, 'v', ascii);
    case Strategy::unknown: break;
  }
  return "?";
}

}  // namespace tessera::query
