// Places in the words that a site gives, such as {node} in a command and {gpu} in a path, filled.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// place: not empty. What is put in is not searched again.
std::string replaced(std::string text, std::string_view place, std::string_view with);

}  // namespace tessera
