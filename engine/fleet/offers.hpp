// What a scheduler hands out held against what is made on the hardware. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/fleet/survey.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::fleet {

// Whether it is known what is made of it; of one that is shared, how many shares.
bool is_made_told(const Gpu& gpu);

// What is made there is told by Slurm alone: a node's driver is not asked while work is there, nor without a
// runner, nor are those of very many nodes in one call.
bool is_slurms_word(const Node& node);
std::vector<std::string> unasked(const Cluster& cluster, const std::vector<NodeName>& nodes);
// Of which of these nodes of a cluster that holds; empty: of none.
std::string unasked_text(const std::string& cluster, const std::vector<std::string>& nodes);
std::string unasked_text(const Cluster& cluster, const std::vector<NodeName>& nodes);
// The same of ruled nodes.
std::string unasked_text(const Survey& survey);

// Empty: it hands out what is made. Else what that would be: "nvidia.com/mig-1g.10gb 14", for Slurm by
// profile: "1g.10gb 14". nullopt: what is made or handed out is not known, or the two cannot be compared
// (Slurm's own word on both,
// shares of Slurm, ACK's units, devices by DRA, a change that is under way).
std::optional<std::string> offers_otherwise(const Node& node, Scheduler scheduler,
                                            const mig::Catalogue& catalogue, const plan::SiteRules& rules);

// What helps where it hands out something else; empty: it does not, or that is not known.
std::string offers_way_out(const NodeSurvey& node, Scheduler scheduler);

// What it hands out, for narrow columns: "1g.10gb 14"; "n/a": not reported.
std::string offered_short(const Node& node);

}  // namespace tessera::fleet
