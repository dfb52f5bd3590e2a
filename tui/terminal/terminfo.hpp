// Descriptions of the common terminals, for a host that has none: a container from scratch, a stripped node.
//
// They are those of the machine that built tessera (Debian's ncurses-base), compiled and in base64: the form
// in which curses takes one from the variable TERMINFO (terminfo(5); "b64:"). Threads: constant data.
#pragma once

#include <string_view>

namespace tessera::tui {

// "b64:..."; empty: none of that name is built in.
std::string_view builtin_terminfo(std::string_view type);

}  // namespace tessera::tui
