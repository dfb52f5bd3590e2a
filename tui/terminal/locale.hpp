// The locale that decides which characters the terminal is sent.
// Threads: the main one, before others start.
#pragma once

namespace tessera::tui {

// What the environment names; where the host has no data of a UTF-8 locale, C.UTF-8, which the C library
// itself knows. Also the environment's "C" and "POSIX" hold: nothing is guessed.
void take_locale();

// The C.UTF-8 that is built in, for a host without any. The environment is left as the user has set it.
void take_builtin_locale();

}  // namespace tessera::tui
