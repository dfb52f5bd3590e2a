// What `tessera init` tries of a site's answers: as whom commands run on a node, and whether Slurm's files
// could be written. Nothing is changed: `id -u` and `cat /proc/self/cgroup` there, access(2) here, stat and
// cat on a config host.
//
// Threads: any but a worker's; each blocks until the answer is there, options.said.look_deadline a command.
#pragma once

#include <string>

#include "backends/slurm/backend.hpp"
#include "engine/error.hpp"

namespace tessera::slurm {

// "root on gpu01, by id -u". Errors: the node cannot be reached, or GPUs cannot be changed from there. By
// srun nothing is tried, since that would start a job: it is told so.
Result<std::string> try_runner(const SlurmOptions& options, const NodeName& node);

// "this user may write /etc/slurm/slurm.conf". Errors: they cannot be read or not be written, there or here.
Result<std::string> try_files(const SlurmOptions& options);

}  // namespace tessera::slurm
