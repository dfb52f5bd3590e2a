// clean(): whatever goes in, what comes out is short, valid UTF-8 without controls, and stays as it is.
#include "engine/text.hpp"

#include <cstdint>
#include <cstdlib>

int fuzz_text(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t limit = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string once = tessera::clean(text, limit);
  if (once.size() > limit || tessera::clean(once, limit) != once) std::abort();
  for (std::size_t at = 0; at < once.size();) {
    const tessera::Decoded one = tessera::decode_utf8(once, at);
    if (!one.valid || tessera::is_control(one.code)) std::abort();
    std::string back;
    tessera::append_utf8(back, one.code);
    if (back != once.substr(at, one.length)) std::abort();
    at += one.length;
  }
  const std::string needle = tessera::lower(text.substr(text.size() / 2));
  if (!tessera::contains_folded(text, needle)) std::abort();
  return 0;
}
