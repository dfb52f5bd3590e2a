#include "tui/terminal/key.hpp"

#include <array>

#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

struct Spelling {
  Named named;
  std::string_view text;
};

// The first spelling of a name is the one that is printed; the others are only understood.
constexpr std::array kSpellings{
    Spelling{Named::enter, "Enter"},
    Spelling{Named::enter, "Return"},
    Spelling{Named::escape, "Esc"},
    Spelling{Named::escape, "Escape"},
    Spelling{Named::tab, "Tab"},
    Spelling{Named::back_tab, "Shift-Tab"},
    Spelling{Named::back_tab, "BackTab"},
    Spelling{Named::backspace, "Backspace"},
    Spelling{Named::remove, "Delete"},
    Spelling{Named::remove, "Del"},
    Spelling{Named::insert, "Insert"},
    Spelling{Named::insert, "Ins"},
    Spelling{Named::up, "Up"},
    Spelling{Named::down, "Down"},
    Spelling{Named::left, "Left"},
    Spelling{Named::right, "Right"},
    Spelling{Named::home, "Home"},
    Spelling{Named::end, "End"},
    Spelling{Named::page_up, "PgUp"},
    Spelling{Named::page_up, "PageUp"},
    Spelling{Named::page_down, "PgDn"},
    Spelling{Named::page_down, "PageDown"},
    Spelling{Named::f1, "F1"},
    Spelling{Named::f2, "F2"},
    Spelling{Named::f3, "F3"},
    Spelling{Named::f4, "F4"},
    Spelling{Named::f5, "F5"},
    Spelling{Named::f6, "F6"},
    Spelling{Named::f7, "F7"},
    Spelling{Named::f8, "F8"},
    Spelling{Named::f9, "F9"},
    Spelling{Named::f10, "F10"},
    Spelling{Named::f11, "F11"},
    Spelling{Named::f12, "F12"},
};

char32_t fold(char32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

bool same_folded(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (fold(static_cast<unsigned char>(a[i])) != fold(static_cast<unsigned char>(b[i]))) return false;
  return true;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (text.size() <= prefix.size() || !same_folded(text.substr(0, prefix.size()), prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// A terminal sends one byte for both of each pair, so a keymap may not tell them apart either.
Key as_sent(Key key) {
  if (!key.control) return key;
  key.character = fold(key.character);
  Named named = Named::none;
  switch (key.character) {
    case 'i': named = Named::tab; break;
    case 'm':
    case 'j': named = Named::enter; break;
    case 'h': named = Named::backspace; break;
    case '[': named = Named::escape; break;
    default: return key;
  }
  return Key{0, named, false, key.alt};
}

}  // namespace

std::string to_text(const Key& key) {
  std::string out;
  if (key.control) out += "Ctrl-";
  if (key.alt) out += "Alt-";
  if (key.named != Named::none) {
    for (const Spelling& spelling : kSpellings)
      if (spelling.named == key.named) return out.append(spelling.text);
    return out;
  }
  if (key.character == ' ') return out + "Space";
  append_utf8(out, key.character);
  return out;
}

std::optional<Key> parse_key(std::string_view text) {
  Key key;
  for (;;) {
    if (take_prefix(text, "Ctrl-") || take_prefix(text, "C-"))
      key.control = true;
    else if (take_prefix(text, "Alt-") || take_prefix(text, "M-"))
      key.alt = true;
    else
      break;
  }
  if (text.empty()) return std::nullopt;
  for (const Spelling& spelling : kSpellings) {
    if (!same_folded(text, spelling.text)) continue;
    key.named = spelling.named;
    return key;
  }
  if (same_folded(text, "Space")) text = " ";
  key.character = take_code_point(text);
  if (!text.empty() || key.character == 0xFFFD) return std::nullopt;
  const Extent kind = extent(key.character);
  if (kind != Extent::narrow && kind != Extent::wide) return std::nullopt;
  // Control makes a byte out of @ A..Z [ \ ] ^ _ and the blank only.
  const bool has_control_byte = key.character == ' ' || (key.character >= '@' && key.character < 0x7F);
  if (key.control && !has_control_byte) return std::nullopt;
  return as_sent(key);
}

}  // namespace tessera::tui
