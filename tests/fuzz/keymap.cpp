// Any text as a keymap: an error with a place, or a keymap from which there is always a way out.
#include "tui/keymap.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

int fuzz_keymap(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::tui;
  const auto keymap = Keymap::parse({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!keymap) {
    if (keymap.error().reason.find("fuzz.yaml") == std::string::npos) std::abort();
    return 0;
  }
  if (keymap->shown(Action::quit).empty()) std::abort();
  return 0;
}
