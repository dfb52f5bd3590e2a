// Layouts as text: what is read can be written and read again, and a chosen placement is legal.
// The first byte picks the product.
#include <cstdint>
#include <cstdlib>

#include "engine/mig/geometry.hpp"
#include "engine/text.hpp"

using namespace tessera;
using namespace tessera::mig;

int fuzz_layout(const std::uint8_t* data, std::size_t size) {
  static const Catalogue catalogue = *Catalogue::built_in();
  if (size == 0) return 0;
  const Product& product = catalogue.products()[data[0] % catalogue.products().size()];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Result<Wish> wish = parse_wish(product, text);
  if (!wish) {
    const std::string line = to_line(wish.error());
    if (clean(line, line.size()) != line) std::abort();
    return 0;
  }
  const Result<Layout> layout = parse_layout(product, text);
  if (!wish->open.empty()) {
    if (layout.ok() == why_no_place(product, wish->open, wish->fixed).has_value()) std::abort();
    if (layout.ok() && !is_legal(product, *layout)) std::abort();
  }
  if (!layout) return 0;
  const Result<Layout> back = parse_layout(product, to_text(product, *layout));
  if (!back || *back != *layout) std::abort();
  if (is_legal(product, *layout) == why_illegal(product, *layout).has_value()) std::abort();
  const Room left = room(product, *layout);
  if (left.stranded_memory_slices > left.free_memory_slices || left.fragmentation > 1) std::abort();
  return 0;
}
