// Partitions, reservations, ping and configuration: clean text, and controllers within bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/slurm/parse_cluster.hpp"
#include "engine/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Partition& partition : slurm::parse_partitions(text).values)
    if (partition.name.empty() || clean(partition.name) != partition.name) std::abort();
  for (const Reservation& reservation : slurm::parse_reservations(text).values)
    if (reservation.name.empty()) std::abort();
  for (const Daemon& daemon : slurm::parse_ping(text))
    if (clean(daemon.host) != daemon.host) std::abort();
  slurm::parse_config(text);
  return 0;
}
