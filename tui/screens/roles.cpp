#include "tui/screens/roles.hpp"

#include "engine/model/health_words.hpp"
#include "engine/query/signs.hpp"
#include "engine/query/tables.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {
namespace {

Role health_role(std::string_view text) {
  for (Health health : {Health::ok, Health::draining, Health::drained, Health::down, Health::invalid})
    if (text == word(health)) return role_of(health);
  if (text == kCordonedWord) return role_of(Health::draining);
  return Role::unknown;
}

Role state_role(std::string_view text) {
  using insight::Availability;
  if (text == word(Availability::free)) return Role::free;
  if (text == word(Availability::held)) return Role::held;
  if (text == word(Availability::closed)) return Role::dim;
  for (WorkloadState state : {WorkloadState::pending, WorkloadState::running, WorkloadState::suspended,
                              WorkloadState::completing, WorkloadState::ended})
    if (text == word(state)) return role_of(state);
  return Role::text;
}

bool is_digit(std::string_view glyph) { return glyph.size() == 1 && glyph[0] >= '1' && glyph[0] <= '9'; }
// "①" to "⑨"
bool is_ringed(std::string_view glyph) { return glyph >= "\u2460" && glyph <= "\u2468"; }

// A digit is of a held instance, unless it stands in a closed one or (in ASCII) before a light tail. In a
// closed one it is never 1, and never before a heavy tail (query/strip.cpp).
Role strip_role(std::string_view before, std::string_view glyph, std::string_view after) {
  const bool heavy = after.starts_with("━") || after.starts_with('=');
  if (is_digit(glyph) && after.starts_with('-')) return Role::free;
  if (is_digit(glyph) && glyph != "1" && !heavy && (before == "▒" || before == ";")) return Role::dim;
  if (glyph == "·" || glyph == "." || glyph == "○" || glyph == "o" || glyph == "‐" || glyph == "─" ||
      glyph == "-" || is_ringed(glyph))
    return Role::free;
  if (glyph == "╳" || glyph == "x") return Role::stranded;
  if (glyph == "?") return Role::unknown;
  if (glyph == query::kPlacesUnknown || glyph == query::kNotCut || glyph == "░" || glyph == "▒" ||
      glyph == ":" || glyph == ";")
    return Role::dim;
  return Role::held;
}

template <class Take>
void each_glyph(std::string_view strip, const Take& take) {
  std::string_view before;
  while (!strip.empty()) {
    std::size_t size = 1;
    while (size < strip.size() && (static_cast<unsigned char>(strip[size]) & 0xC0) == 0x80) ++size;
    const std::string_view glyph = strip.substr(0, size);
    strip.remove_prefix(size);
    take(glyph, strip_role(before, glyph, strip));
    before = glyph;
  }
}

}  // namespace

Role role_of(Health health) {
  switch (health) {
    case Health::ok: return Role::good;
    case Health::draining:
    case Health::drained: return Role::warning;
    case Health::down:
    case Health::invalid: return Role::danger;
    case Health::unknown: break;
  }
  return Role::unknown;
}

Role role_of(Severity severity) {
  switch (severity) {
    case Severity::danger: return Role::danger;
    case Severity::warning: return Role::warning;
    case Severity::good: return Role::good;
    case Severity::info: break;
  }
  return Role::text;
}

Role role_of(WorkloadState state) {
  switch (state) {
    case WorkloadState::running: return Role::held;
    case WorkloadState::pending: return Role::warning;
    case WorkloadState::suspended:
    case WorkloadState::completing: return Role::changing;
    case WorkloadState::ended: return Role::dim;
    case WorkloadState::unknown: break;
  }
  return Role::unknown;
}

std::string_view sign_of(Severity severity) {
  switch (severity) {
    case Severity::danger: return "!!";
    case Severity::warning: return "! ";
    case Severity::good:
    case Severity::info: break;
  }
  return "i ";
}

Role cell_role(std::string_view key, std::string_view text) {
  if (text == "?") return Role::unknown;
  bool position = key == "gpu" || key == "start";
  if (text == "n/a" || (text == "0" && !position)) return Role::dim;
  if (key == "health") return health_role(text);
  if (key == "state") return state_role(text);
  if (key == "reason") return Role::warning;
  if (key == "free" || key == "free_kinds") return Role::free;
  if (key == "largest") return text == "none" ? Role::dim : Role::free;
  if (key == "cluster" || key == "features" || key == "partitions" || key == "uuid" || key == "product" ||
      key == "version" || key == "account" || key == "group")
    return Role::dim;
  return Role::text;
}

void draw_strip(Canvas& canvas, int x, int y, int width, std::string_view strip, bool ascii, Style held) {
  const std::string fitted = shorten(strip, width, ascii);
  const int end = x + width;
  each_glyph(fitted, [&](std::string_view glyph, Role role) {
    if (x < end) x += canvas.put(x, y, glyph, role == Role::held ? held : Style(role), end);
  });
}

std::vector<StripPart> strip_parts(std::string_view strip) {
  std::vector<StripPart> parts;
  each_glyph(strip, [&](std::string_view glyph, Role role) {
    if (parts.empty() || parts.back().role != role) parts.push_back({"", role});
    parts.back().text += glyph;
  });
  return parts;
}

}  // namespace tessera::tui
