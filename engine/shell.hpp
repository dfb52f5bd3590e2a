// Words as a POSIX shell takes them, for commands that an admin copies: a name or a reason that another user
// wrote must stay one word there, whatever is in it. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// Whether it is a word in which neither a shell nor JSON reads anything.
bool is_plain_word(std::string_view text);
// One word: as it is where a shell reads nothing in it, else in single quotes.
std::string shell_word(std::string_view text);
// The same for text that manuals put in double quotes: in those, unless a shell reads something there.
std::string shell_quoted(std::string_view text);

}  // namespace tessera
