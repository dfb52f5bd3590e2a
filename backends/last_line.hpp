// What a tool said last: programs end with the line that tells why they failed.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// The last line with more than blanks and asterisks (scontrol frames some in them), made safe, without the
// blanks around it. Empty: there is none.
std::string last_line(std::string_view text, std::size_t limit = 400);

}  // namespace tessera
