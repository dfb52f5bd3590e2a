// What is wrong with a site's files, alone and against what Slurm runs with. docs/slurm.md lists every
// finding. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/event.hpp"
#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {

// At most so many remarks; a last one says how many more there are.
constexpr std::size_t kMostRemarks = 200;

// Subjects are "file:line", or a node's name where files and Slurm differ. `running`: the nodes as slurmctld
// reports them (its Gres=); null: not known. Nodes that share a fault share a remark. Worst first, then by
// place.
std::vector<Remark> check(const SlurmSetup& site, const std::vector<Node>* running);

// A node to which the files give something else than Slurm runs with.
struct Difference {
  std::string node;
  std::string files;    // "gpu:1g.10gb:7"; "nothing"; "no such node"
  std::string running;  // the same
  friend bool operator==(const Difference&, const Difference&) = default;
};

// Which nodes a reconfigure (or a restart of slurmctld) would change, by name; only gpu, mps and shard are
// compared. Look at it before every reconfigure: jobs on such a node are killed and requeued by it (23.11 and
// later; before that by the restart). Dynamic nodes are left out, since no file defines them, and so are
// nodes of State=FUTURE or CLOUD that slurmctld does not show. Errors: the files cannot tell, since a line or
// an Include of theirs could not be read.
Result<std::vector<Difference>> difference(const Files& files, const std::vector<Node>& running);

// Nodes that run with more GPUs than gres.conf names devices for them; `files` tells these. Once their slurmd
// reads that (at a reconfigure from 23.11 on, before that at its start) they register as invalid. Left out
// are nodes for which gres.conf has no line (they may read a file of their own) and those that detect
// devices.
std::vector<Difference> short_of_devices(const Files& files, const std::vector<Node>& running);

}  // namespace tessera::slurmconf
