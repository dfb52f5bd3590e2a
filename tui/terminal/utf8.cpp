#include "tui/terminal/utf8.hpp"

#include "engine/text.hpp"

namespace tessera::tui {

char32_t take_code_point(std::string_view& text) {
  if (const auto first = static_cast<unsigned char>(text.front()); first < 0x80) {
    text.remove_prefix(1);
    return first;
  }
  const Decoded one = decode_utf8(text, 0);
  text.remove_prefix(one.valid ? one.length : 1);
  return one.code;
}

void append_utf8(std::string& out, char32_t code_point) { tessera::append_utf8(out, code_point); }

}  // namespace tessera::tui
