// The short answers of scontrol: partitions, reservations, ping, the cluster's configuration.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/slurm/parse/parsed.hpp"
#include "engine/model/event.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

Parsed<Partition> parse_partitions(std::string_view text);
Parsed<Reservation> parse_reservations(std::string_view text);

// "Slurmctld(primary) at vm is UP", one line a controller.
std::vector<Daemon> parse_ping(std::string_view text);

// The facts of `scontrol show config` that tessera uses; empty: not reported.
struct ClusterFacts {
  std::string name;             // ClusterName
  std::string version;          // SLURM_VERSION: "22.05.8"
  std::string conf;             // SLURM_CONF
  std::string private_data;     // PrivateData: "none", or what ordinary users may not see of others
  std::string auth;             // AuthType: "auth/munge"
  std::string other_auth;       // AuthAltTypes: "auth/jwt"
  std::string accounting;       // AccountingStorageType: "accounting_storage/slurmdbd"
  std::string accounting_host;  // where slurmdbd is
  std::string enforced;         // AccountingStorageEnforce: "associations,limits,qos"; "none"
  std::string priority;         // PriorityType: "priority/multifactor"
  std::string select;           // SelectTypeParameters: "CR_CORE_MEMORY"
  std::string id;  // "hpc@ctl1,ctl2": ClusterName and every SlurmctldHost; empty: not all is told
};
ClusterFacts parse_config(std::string_view text);

// The value of `key = value` or `key=value` in a configuration text; keys in any case; the last one counts.
std::string config_value(std::string_view text, std::string_view key);

}  // namespace tessera::slurm
