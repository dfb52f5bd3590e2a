// UTF-8 in and out, one code point at a time, and how many cells a code point takes.
//
// The widths come from libutf8proc's table (Unicode 15), so that they neither depend on the locale nor differ
// between a test and a terminal.
// Threads: pure functions over constant data.
#pragma once

#include <string>
#include <string_view>

namespace tessera::tui {

// Takes the first code point off the front of `text` (which must not be empty). An invalid sequence
// yields U+FFFD and takes one byte.
char32_t take_code_point(std::string_view& text);
void append_utf8(std::string& out, char32_t code_point);

enum class Extent : unsigned char {
  narrow,   // one cell
  wide,     // two cells
  joins,    // a mark that belongs to the character before it
  dropped,  // formatting without a picture: zero-width joiners, variation selectors, direction marks
  control,  // never drawn as it is
};
Extent extent(char32_t code_point);

}  // namespace tessera::tui
