// The eight-character picture of a GPU.
#include <algorithm>
#include <optional>
#include <tuple>

#include "engine/mig/geometry.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/query/signs.hpp"
#include "engine/query/tables.hpp"

namespace tessera::query {
namespace {

// Room that can be had, and room that is not held on a node that takes no work.
const char* free_glyph(bool ascii) { return ascii ? "." : "·"; }
const char* closed_glyph(bool ascii) { return ascii ? ":" : "░"; }
// Room of a MIG GPU that is in no slice: no job or pod can have it before it is cut.
std::string_view room_glyph(const insight::Sight& sight, bool ascii) {
  if (sight.access == insight::Access::unknown) return "?";
  return sight.access == insight::Access::closed ? closed_glyph(ascii) : kNotCut;
}
const char* stranded_glyph(bool ascii) { return ascii ? "x" : "╳"; }

std::string repeat(std::string_view glyph, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += glyph;
  return text;
}

// Shares of a GPU, by whether they can be had.
struct Parts {
  int capacity = 0, held = 0, free = 0, closed = 0;
  bool unknown = false;
};
// Of a held slice of which it is not known how many shares are: those that are told, and one of each holder.
int told_shares(const Slice& slice) {
  int shares = 0;
  for (const Holder& holder : slice.holders) shares += std::max(1, holder.share);
  return std::min(std::max(1, shares), slice.capacity);
}
Parts parts_of(const Gpu& gpu, const insight::Sight& sight) {
  Parts parts;
  for (const Slice& slice : gpu.slices) {
    const std::optional<int> unheld = insight::unheld(slice, sight.work_read);
    const int rest = unheld.value_or(0);
    parts.capacity += slice.capacity;
    switch (insight::remainder(sight, slice)) {
      case insight::Availability::free: parts.free += rest; break;
      case insight::Availability::closed: parts.closed += rest; break;
      case insight::Availability::held: break;
      case insight::Availability::unknown:
        parts.unknown = parts.unknown || slice.holding != Holding::held || rest > 0;
    }
    if (slice.holding != Holding::held) continue;
    parts.held += unheld ? slice.capacity - rest : told_shares(slice);
    parts.unknown = parts.unknown || !unheld;
  }
  return parts;
}

// A GPU that is shared in parts of one size: a letter for each eighth that is held.
std::string shared_strip(const Gpu& gpu, char letter, const insight::Sight& sight, bool ascii) {
  const Parts parts = parts_of(gpu, sight);
  if (parts.capacity == 0) return "";
  // A holder of one share of a hundred is a holder: round up.
  auto eighths = [&](int shares) {
    return std::clamp((shares * 8 + parts.capacity - 1) / parts.capacity, 0, 8);
  };
  const int held = eighths(parts.held);
  std::string cells(static_cast<std::size_t>(held), letter);
  if (parts.unknown) return cells + repeat("?", 8 - held);
  const int closed = std::max(held, parts.free == 0 ? 8 : eighths(parts.held + parts.closed));
  return cells + repeat(closed_glyph(ascii), closed - held) + repeat(free_glyph(ascii), 8 - closed);
}

struct Piece {
  int start = 0, size = 1;
  char digit = '?';
  insight::Availability state = insight::Availability::unknown;
};

// "③": a free instance that has a tail says what it is, too: 3g and 4g are as long on many GPUs.
std::string ringed(char digit) {
  if (digit < '1' || digit > '9') return "○";
  std::string text = "\u2460";
  text.back() = static_cast<char>(text.back() + (digit - '1'));
  return text;
}

// The first cell of an instance reports what it is, the others that they belong to it: a held one is the
// digit of its compute slices with a heavy tail, a free one a ring, with that digit in it where it has a
// tail, which is light; a closed one a darker shade with a lighter one behind it, and the digit there unless
// it is 1, which would read as a held one.
std::string cell_of(const Piece& piece, int cell, bool ascii) {
  const bool first = cell == 0;
  switch (piece.state) {
    case insight::Availability::held:
      if (first) return std::string(1, piece.digit);
      return ascii ? "=" : "━";
    case insight::Availability::free:
      if (!first) return ascii ? "-" : "─";
      if (piece.size < 2) return ascii ? "o" : "○";
      return ascii ? std::string(1, piece.digit) : ringed(piece.digit);
    case insight::Availability::closed:
      if (first) return ascii ? ";" : "▒";
      if (cell == 1 && piece.digit != '1') return std::string(1, piece.digit);
      return closed_glyph(ascii);
    case insight::Availability::unknown: break;
  }
  return "?";
}

void draw_piece(std::vector<std::string>& cells, const Piece& piece, bool ascii) {
  for (int i = std::max(0, -piece.start); i < piece.size; ++i) {
    std::size_t at = static_cast<std::size_t>(piece.start + i);
    if (at >= cells.size()) return;
    cells[at] = cell_of(piece, i, ascii);
  }
}

std::string joined(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += cell;
  return text;
}

char digit_of(const Slice& slice) { return slice.profile.empty() ? '?' : slice.profile.text.front(); }

// Where the slices are is not reported: the large ones first and of those alike the held ones, with a mark
// behind that says so. Empty: they do not fit the GPU.
std::string unplaced_strip(const Gpu& gpu, const mig::Product* product, int units,
                           const insight::Sight& sight, bool ascii) {
  std::vector<Piece> pieces;
  int room = units;
  for (const Slice& slice : gpu.slices) {
    const mig::Profile* profile = product ? product->find(slice.profile.view()) : nullptr;
    Piece piece{0, profile ? profile->memory_slices : 1, digit_of(slice),
                insight::availability(sight, slice)};
    room -= std::max(1, piece.size);
    pieces.push_back(piece);
  }
  if (room < 0) return {};
  auto rank = [](const Piece& piece) {
    int doubt = piece.state == insight::Availability::held      ? 0
                : piece.state == insight::Availability::unknown ? 1
                                                                : 2;
    return std::tuple(-piece.size, -piece.digit, doubt);
  };
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](const Piece& a, const Piece& b) { return rank(a) < rank(b); });
  std::vector<std::string> cells(static_cast<std::size_t>(units), std::string(room_glyph(sight, ascii)));
  int at = 0;
  for (Piece& piece : pieces) {
    piece.start = at;
    draw_piece(cells, piece, ascii);
    at += std::max(1, piece.size);
  }
  return joined(cells) + std::string(kPlacesUnknown);
}

// Held, free and uncut space differ by shape.
std::string mig_strip(const Gpu& gpu, const mig::Catalogue* catalogue, const insight::Sight& sight,
                      bool ascii) {
  const mig::Product* product = catalogue ? mig::product_of(gpu, *catalogue) : nullptr;
  int units = product && product->units > 0 ? product->units : 8;
  if (!std::all_of(gpu.slices.begin(), gpu.slices.end(),
                   [](const Slice& slice) { return slice.placement.has_value(); })) {
    std::string text = unplaced_strip(gpu, product, units, sight, ascii);
    return text.empty() ? repeat("?", units) : text;
  }
  std::vector<std::string> cells(static_cast<std::size_t>(units), std::string(room_glyph(sight, ascii)));
  if (product) {
    if (std::optional<mig::Layout> layout = mig::observed_layout(*product, gpu))
      for (const Placement& part : mig::room(*product, *layout).stranded)
        for (int i = part.start; i < part.start + part.size && i < units; ++i)
          cells[static_cast<std::size_t>(i)] = stranded_glyph(ascii);
  }
  for (const Slice& slice : gpu.slices)
    draw_piece(
        cells,
        {slice.placement->start, slice.placement->size, digit_of(slice), insight::availability(sight, slice)},
        ascii);
  return joined(cells);
}

}  // namespace

std::string strip(const Gpu& gpu, const mig::Catalogue* catalogue, bool ascii, const insight::Sight& sight) {
  switch (gpu.strategy) {
    case Strategy::mig: return mig_strip(gpu, catalogue, sight, ascii);
    case Strategy::whole: return shared_strip(gpu, 'w', sight, ascii);
    case Strategy::mps: return shared_strip(gpu, 'm', sight, ascii);
    case Strategy::time_slicing: return shared_strip(gpu, 't', sight, ascii);
    case Strategy::shard: return shared_strip(gpu, 's', sight, ascii);
    case Strategy::vgpu: return shared_strip(gpu, 'v', sight, ascii);
    case Strategy::unknown:
      if (!gpu.partition_mode.empty()) return shared_strip(gpu, 'p', sight, ascii);
      break;
  }
  return "?";
}

}  // namespace tessera::query
