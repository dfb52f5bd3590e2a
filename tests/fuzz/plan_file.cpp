// Any bytes as a plan file: an error or a plan; a plan that was read is written and read again unchanged.
#include "engine/plan/files/plan_file.hpp"

#include <cstdint>
#include <cstdlib>

int fuzz_plan_file(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::plan;
  auto plan = parse_plan({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!plan) return 0;
  std::string text = to_document(*plan);
  auto again = parse_plan(text, "again");
  if (!again || to_document(*again) != text) std::abort();
  return 0;
}
