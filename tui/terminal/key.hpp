// A key press, a paste or a mouse click as a value.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::tui {

enum class Named : std::uint8_t {
  none,
  enter,
  escape,
  tab,
  back_tab,
  backspace,
  remove,
  insert,
  up,
  down,
  left,
  right,
  home,
  end,
  page_up,
  page_down,
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
};

struct Key {
  char32_t character = 0;  // printable, or the letter of a control key
  Named named = Named::none;
  bool control = false;
  bool alt = false;
  friend bool operator==(const Key&, const Key&) = default;
};

// "j", "G", "Ctrl-d", "Enter", "Shift-Tab", "Space", "F5", "PgDn": the spelling of keymap files and help.
std::string to_text(const Key& key);
std::optional<Key> parse_key(std::string_view text);

}  // namespace tessera::tui
