// Text for the clipboard of the person at the terminal, wherever that terminal runs.
// Threads: pure.
#pragma once

#include <string>
#include <string_view>

namespace tessera::tui {

// What stands between tessera and the terminal, and must be told to pass the sequence on.
enum class Multiplexer { none, tmux, screen };

// The OSC 52 sequence that copies text.
std::string copy_sequence(std::string_view text, Multiplexer between);

}  // namespace tessera::tui
