// The Date of an answer, as a hostile server may write it: what is read is written back as it came.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/time.hpp"

int fuzz_http_date(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto time = parse_http_date(text);
  if (!time) return 0;
  // The weekday is not looked at, and second 60 is the next minute.
  std::string again = http_date(*time);
  if (text.substr(23, 2) != "60" && again.substr(4) != text.substr(4)) std::abort();
  if (parse_http_date(again) != time) std::abort();
  return 0;
}
