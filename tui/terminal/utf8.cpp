#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

int sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool valid(char32_t c, int length) {
  constexpr char32_t kFirst[] = {0, 0, 0x80, 0x800, 0x10000};
  return c >= kFirst[length] && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
}

}  // namespace

char32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const int length = sequence_length(lead);
  if (length == 1) {
    text.remove_prefix(1);
    return lead;
  }
  if (length == 0 || text.size() < static_cast<std::size_t>(length)) {
    text.remove_prefix(1);
    return kReplacement;
  }
  char32_t c = lead & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
    if ((next & 0xC0u) != 0x80u) {
      text.remove_prefix(1);
      return kReplacement;
    }
    c = (c << 6) | (next & 0x3Fu);
  }
  if (!valid(c, length)) {
    text.remove_prefix(1);
    return kReplacement;
  }
  text.remove_prefix(static_cast<std::size_t>(length));
  return c;
}

void append_utf8(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacement;
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xC0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      byte(0xE0 | (c >> 12));
    } else {
      byte(0xF0 | (c >> 18));
      byte(0x80 | ((c >> 12) & 0x3F));
    }
    byte(0x80 | ((c >> 6) & 0x3F));
  }
  byte(0x80 | (c & 0x3F));
}

}  // namespace tessera::tui
