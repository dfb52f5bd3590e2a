// Any text as a theme: an error with a place, or a theme whose every look can be asked for.
#include "tui/terminal/theme.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

int fuzz_theme(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::tui;
  const auto theme = Theme::parse({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!theme) {
    if (theme.error().reason.find("fuzz.yaml") == std::string::npos) std::abort();
    return 0;
  }
  for (int role = 0; role < static_cast<int>(Role::count_); ++role)
    for (const Depth depth : {Depth::none, Depth::eight, Depth::sixteen, Depth::indexed}) {
      const Look look = theme->look(Style(static_cast<Role>(role)).with_reverse(), depth);
      if (look.foreground > 255 || look.background > 255) std::abort();
    }
  return 0;
}
