#include "tui/terminal/terminfo.hpp"

#include "engine/embedded.hpp"

namespace tessera::tui {

std::string_view builtin_terminfo(std::string_view type) {
  for (const embedded::File& file : embedded::terminals())
    if (file.name == type) return file.text;
  return {};
}

}  // namespace tessera::tui
