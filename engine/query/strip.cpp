// The eight-character picture of a GPU.
#include <algorithm>

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

// A held instance repeats the digit of its compute slices; a free one is a ring with a tail, so that held,
// free and uncut space differ by shape.
std::string mig_strip(const Gpu& gpu, const mig::Catalogue* catalogue, bool ascii) {
  const mig::Product* product = catalogue && gpu.product ? catalogue->by_key(gpu.product->text) : nullptr;
  int units = product && product->units > 0 ? product->units : 8;
  std::vector<std::string> cells(static_cast<std::size_t>(units), free_glyph(ascii));
  if (product) {
    if (std::optional<mig::Layout> layout = mig::observed_layout(*product, gpu))
      for (const Placement& part : mig::room(*product, *layout).stranded)
        for (int i = part.start; i < part.start + part.size && i < units; ++i)
          cells[static_cast<std::size_t>(i)] = stranded_glyph(ascii);
  }
  for (const Slice& slice : gpu.slices) {
    if (!slice.placement) return repeat("?", units);
    std::string digit = slice.profile.empty() ? "?" : slice.profile.text.substr(0, 1);
    for (int i = 0; i < slice.placement->size; ++i) {
      int at = slice.placement->start + i;
      if (at < 0 || at >= units) continue;
      bool held = slice.holding != Holding::free;
      cells[static_cast<std::size_t>(at)] = held ? digit : (ascii ? "-" : "─");
      if (!held && i == 0) cells[static_cast<std::size_t>(at)] = ascii ? "o" : "○";
    }
  }
  std::string text;
  for (const std::string& cell : cells) text += cell;
  return text;
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
