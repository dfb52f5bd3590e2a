// Whether there is a Slurm here, and what its configuration file tells before anybody is asked.
// Threads: reads files, environment and sockets; any thread.
#pragma once

#include <optional>
#include <string>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::slurm {

// What slurm.conf says that tessera must know to find its way. Absent files leave everything empty.
struct Conf {
  std::string file;          // empty: none was found (configless clients keep theirs out of sight)
  std::string cluster_name;  // ClusterName=
  std::string auth_type;     // "auth/munge" when not reported
  std::string munge_socket;  // AuthInfo=socket=…; empty: munge's own default
};
Conf read_conf(const std::string& file);

// The configuration file that Slurm's commands would use: SLURM_CONF, /etc/slurm/slurm.conf,
// /etc/slurm-llnl/slurm.conf, or what a configless slurmd keeps in /run/slurm/conf. nullopt: none.
std::optional<std::string> find_slurm_conf();

// A cluster can be asked from here: scontrol is on PATH, and a configuration was found or scontrol, asked
// once (5 ms), has one of its own: built with another folder, or from a controller by DNS. Else the reason.
// patience: for that one call, 3 s at most.
Result<Conf> find_slurm(Duration patience = Duration(3000));

// Why the file cannot be used, before scontrol retries for a minute or waits at a FIFO for ever; nullopt: it
// can, or none is named.
std::optional<Error> conf_trouble(const std::string& file);

// Why munged cannot be reached; nullopt: it listens, or this site does not use it.
std::optional<Error> munge_trouble(const Conf& conf);

}  // namespace tessera::slurm
