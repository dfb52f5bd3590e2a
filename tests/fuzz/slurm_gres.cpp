// GRES strings: nothing nameless, nothing negative, never more devices than a node may have.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/slurm/parse/gres.hpp"

int fuzz_slurm_gres(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::slurm;
  std::vector<Gres> gres;
  parse_gres({reinterpret_cast<const char*>(data), size}, gres);
  for (const Gres& entry : gres) {
    if (entry.name.empty() || entry.count < 0 || entry.devices.size() > kMostDevices ||
        entry.shares.size() > kMostDevices)
      std::abort();
    if (!entry.devices_told && !(entry.devices.empty() && entry.shares.empty())) std::abort();
  }
  return 0;
}
