// What Slurm's files say, held against what runs.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/event.hpp"
#include "engine/model/values.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurm {

// "22.05.8" → major and minor.
slurmconf::SlurmSetup with_version(slurmconf::SlurmSetup site, std::string_view version);

// What a reconfigure would change of the GRES of other nodes, as a sentence; empty: nothing. nodes: all, as
// Slurm reports them. A node that another run has drained and emptied is none of them: two runs that have
// both written would wait for each other.
std::string differs_elsewhere(const slurmconf::SlurmSetup& site, const std::vector<Node>& nodes,
                              const std::string& node);

// The runs whose marks nodes carry: each may have written files that slurmctld has not read yet.
std::set<std::string> marking_runs(const std::vector<Node>& nodes);
// The nodes that are drained with such a mark.
std::set<std::string> marked_nodes(const std::vector<Node>& nodes);

// What is wrong with the files, for people who look (slurmconf::check). `nodes`: as Slurm reports them; null:
// not all of them can be seen. Files that cannot be read are said so.
std::vector<Remark> file_remarks(const Result<std::vector<slurmconf::File>>& files,
                                 slurmconf::SlurmSetup said, const std::vector<Node>* nodes);

// Tells whether the GRES of any node has changed from one `scontrol -o show node` to the next.
std::uint64_t gres_stamp(std::string_view records);

}  // namespace tessera::slurm
