// Slurm's configuration files on this machine: read with all that they include, and written so that no reader
// ever sees half of one.
// Threads: reads and writes files; any thread, one writer at a time sees to itself by a lock on the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/slurmconf/site.hpp"

namespace tessera::slurm {

// slurm.conf first, then gres.conf, cgroup.conf and what is included. Files that are not there are left out.
// Errors: slurm.conf itself cannot be read; a file is larger than 16 MiB.
Result<std::vector<slurmconf::File>> read_conf_files(const std::string& slurm_conf);

// Why these cannot be written by us; empty: they can.
std::string why_not_writable(const std::vector<slurmconf::File>& files);

// Brings `before` to `after` on the disk. Each file that changes gets a backup beside it, PATH.before-RUN,
// unless that stands already; owner, group and mode stay; a link is followed. What differs on the disk from
// `before` is somebody else's edit: an error, and nothing is written.
Status write_conf_files(const std::vector<slurmconf::File>& before, const std::vector<slurmconf::File>& after,
                        std::string_view run);

}  // namespace tessera::slurm
