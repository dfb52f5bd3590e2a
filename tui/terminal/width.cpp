// By the Unicode character database, as libutf8proc has it.
#include <utf8proc.h>

#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

bool is_variation_selector(char32_t c) {
  return (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF);
}

// Blocks of ideographs are wide throughout, what is not assigned there included (UAX #11).
bool is_ideographic(char32_t c) {
  return (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x2FFFD) || (c >= 0x30000 && c <= 0x3FFFD);
}

// Medial and final letters of Hangul: part of the syllable before them.
bool is_jamo_that_joins(char32_t c) { return c >= 0x1160 && c <= 0x11FF; }

}  // namespace

Extent extent(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return Extent::control;
  if (c < 0x7F) return Extent::narrow;  // most of what is drawn: no table is asked
  const utf8proc_property_t& known = *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  switch (known.category) {
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return Extent::dropped;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME: return is_variation_selector(c) ? Extent::dropped : Extent::joins;
    default: break;
  }
  if (is_jamo_that_joins(c)) return Extent::joins;
  if (is_ideographic(c)) return Extent::wide;
  return known.charwidth == 2 ? Extent::wide : Extent::narrow;
}

}  // namespace tessera::tui
