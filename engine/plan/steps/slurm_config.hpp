// What Slurm's files are to say about a node: from its GPUs as they stand, or as a change will leave them.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/effect/diff.hpp"
#include "engine/slurmconf/edit.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::plan::slurm {

// What Slurm's backend can change where that tool cuts the GPUs. mig-parted destroys every instance of a
// GPU whose profiles differ before it makes the wanted ones, and its file knows no places (mig-parted
// v0.15.0).
Capabilities capabilities_by(slurmconf::MigTool tool);

// DOWN for a reason that Slurm itself has set and that new GPUs and a new start of slurmd mend: the node
// has rebooted, or its slurmd does not answer (slurmctld of 22.05 to 24.11); or, once a run has drained it,
// the run's mark. What an admin or a health check wrote is not ours to undo.
bool down_by_itself(const Node& node);

// The node once the changes are made. Instances that are still to be made have no id.
Node node_after(const Node& node, const std::vector<BoardChange>& changes);

// How the site calls whole GPUs of that node ("h100"): as its files do now, else as they do elsewhere for
// that product, else as sites usually do. `product` may be null. Empty: without a type.
std::string whole_type(const slurmconf::SlurmSetup& site, const std::string& node,
                       const mig::Product* product);

// gres_text() of any text in which a site or Slurm itself writes a node's GRES: "gpu:h100:8(S:0-1),mps:200".
// Resources that are not GPUs are left out.
std::string plain_gres(std::string_view gres);

// What a wish comes to in Slurm's words, of which only the GPUs matter: "gpu:1g.10gb:7,gpu:h100:1".
std::string gres_of_boards(const Node& node, const std::string& whole_type,
                           const slurmconf::SlurmSetup& site);

// `gres` (gres_text) laid on these GPUs. Whole GPUs take its shares of MPS and its shards in equal parts.
// Errors: those of slurmconf::generate; GPUs and gres do not fit each other.
Result<slurmconf::Wanted> wanted_config(const Node& node, const std::string& gres,
                                        const mig::Product* product, const slurmconf::SlurmSetup& site);

// What the files say of a node whose GPUs are to be offered as `gres` (gres_text), and as they stand;
// empty: just that. Ways of writing the same are not distinguished: only GPUs that are counted, whether they
// are shared, and which devices instances have.
std::string unlike(const Node& node, const std::string& gres, const mig::Product* product,
                   const slurmconf::SlurmSetup& site);

// plain_gres() of what slurm.conf gives the node, where gres.conf names the devices of these GPUs for it;
// else with more words behind it that say what differs.
std::string config_word(const Node& node, const mig::Product* product, const slurmconf::SlurmSetup& site);

}  // namespace tessera::plan::slurm
