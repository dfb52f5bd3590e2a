// The argument vectors with which Slurm is asked, read-only all of them.
//
// The environment is made plain, so that a user's own formats and defaults do not change what is printed.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "backends/process.hpp"
#include "engine/model/sources.hpp"

namespace tessera::slurm {

// How to reach one cluster.
struct SlurmClient {
  std::string conf;          // set as SLURM_CONF when not empty
  std::string bin;           // folder of the Slurm commands; empty: PATH
  Duration deadline{30000};  // a client with a hung munged would block for minutes
};

// scontrol with a plain environment.
Command scontrol(const SlurmClient& site, std::vector<std::string> arguments);
Command show_nodes(const SlurmClient& site);
Command show_jobs(const SlurmClient& site);
Command show_partitions(const SlurmClient& site);
Command show_reservations(const SlurmClient& site);
Command show_config(const SlurmClient& site);
Command ping(const SlurmClient& site);
Command version(const SlurmClient& site);  // of the client; asks no daemon
// Asks slurmdbd for the shortest list that it has; sacctmgr knows `ping` only since 23.11.
Command ask_accounting(const SlurmClient& site);

// The source that a command of Slurm's reads for; none: it changes something, or it is no such command.
Source source_asked(const Command& command);

// Whether munged answers; socket may be empty for munge's own default.
Command probe_munge(const std::string& socket);

}  // namespace tessera::slurm
