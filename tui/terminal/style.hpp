// What a cell means, not how it looks: views speak in roles, themes turn roles into colours.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::tui {

enum class Role : std::uint8_t {
  text,      // ordinary
  dim,       // old, secondary, not yours to change
  title,     // the title line
  heading,   // column heads, section names
  rule,      // lines that separate
  accent,    // the one colour of the theme: where I am
  key,       // a key in the footer or help
  held,      // a slice in use
  free,      // a slice or room that can be taken
  stranded,  // room that nothing can use while its neighbours stay
  created,
  destroyed,
  kept,
  changing,
  unknown,  // not reported
  good,
  warning,
  danger,
  stale,       // last known, no longer fresh
  changed,     // changed a moment ago
  input,       // what is being typed
  read_only,   // [RO]
  read_write,  // [RW]
  count_       // number of roles
};

struct Style {
  Role role = Role::text;
  bool bold = false;
  bool reverse = false;
  bool underline = false;
  friend bool operator==(const Style&, const Style&) = default;
  constexpr Style(Role r = Role::text) : role(r) {}
  constexpr Style with_bold() const {
    Style s = *this;
    s.bold = true;
    return s;
  }
  constexpr Style with_reverse() const {
    Style s = *this;
    s.reverse = true;
    return s;
  }
};

std::string_view word(Role role);  // "held": the name used in theme files
std::optional<Role> role_of(std::string_view word);
// One ASCII letter per role for golden role maps: '.' text, 'd' dim, ...; unique.
char letter(Role role);

}  // namespace tessera::tui
