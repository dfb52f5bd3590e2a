// Any text as the console's file of choices: an error with a place, or choices that are written and read back
// as they are.
#include "tui/remembered.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

int fuzz_remembered(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::tui;
  const auto all = parse_remembered({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!all) {
    if (all.error().reason.find("fuzz.yaml") == std::string::npos) std::abort();
    return 0;
  }
  const auto again = parse_remembered(remembered_text(*all), "again.yaml");
  if (!again || *again != *all) std::abort();
  return 0;
}
