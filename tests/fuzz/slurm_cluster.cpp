// Partitions, reservations, ping, configuration and the lock beside it: clean text, and controllers within
// bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/slurm/change/conf_lock.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/daemons.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "engine/text.hpp"

int fuzz_slurm_cluster(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Partition& partition : slurm::parse_partitions(text).values)
    if (partition.name.empty() || clean(partition.name) != partition.name) std::abort();
  for (const Reservation& reservation : slurm::parse_reservations(text).values)
    if (reservation.name.empty()) std::abort();
  for (const Daemon& daemon : slurm::parse_ping(text))
    if (clean(daemon.host) != daemon.host) std::abort();
  slurm::Daemons daemons;
  daemons.configured(slurm::parse_config(text));
  Outcome said;
  said.exit_code = 1;
  said.err = text;
  daemons.accounting(said);
  for (const Remark& remark : daemons.not_asked())
    if (clean(remark.text) != remark.text) std::abort();
  slurm::gres_stamp(text);
  slurm::ConfLock lock = slurm::read_lock(text);
  Error held = slurm::locked_by(lock, "/etc/slurm/slurm.conf.tessera-lock", "", TimePoint{});
  if (clean(held.reason) != held.reason || clean(held.hint) != held.hint) std::abort();
  return 0;
}
