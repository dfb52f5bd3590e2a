// Host lists: a few bytes never become more names than allowed, and what is folded unfolds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/hostlist.hpp"

int fuzz_slurm_hostlist(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto names = expand_hosts(text);
  if (names && names->size() > kMostHosts) std::abort();
  if (names) {
    auto again = expand_hosts(fold_hosts(*names));
    if (!again || *again != *names) std::abort();
  }
  auto numbers = expand_numbers(text, 100);
  if (numbers && numbers->size() > 100) std::abort();
  return 0;
}
