// Any bytes from a terminal, split anywhere: no crash, no endless growth, and the same keys however split.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tui/terminal/decoder.hpp"

int fuzz_key_decoder(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::tui;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Decoder whole;
  Decoder split;
  const std::size_t all = whole.feed(bytes).size();
  std::size_t one = 0;
  for (std::size_t i = 0; i < size; ++i) one += split.feed(bytes.substr(i, 1)).size();
  if (all != one || whole.waiting() != split.waiting()) std::abort();
  whole.expire();
  if (whole.waiting()) std::abort();
  return 0;
}
