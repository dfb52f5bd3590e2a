// Pictures for terminals that know only ASCII.
// Threads: pure.
#pragma once

#include <string_view>

namespace tessera::tui {

// One printable ASCII character for any glyph: box drawing becomes - | +, blocks #, an ellipsis ~, what has
// no likeness '?'.
char ascii_glyph(std::string_view glyph);

}  // namespace tessera::tui
