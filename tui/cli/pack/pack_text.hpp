// The answer of the packing planner as a document for programs, and as a page for people.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/json.hpp"
#include "engine/pack/past_demand.hpp"
#include "engine/pack/problem.hpp"
#include "engine/pack/queue_demand.hpp"
#include "engine/usage/reckoning.hpp"
#include "engine/whatif/whatif.hpp"
#include "tui/cli/options.hpp"

namespace tessera::cli {

// How long each part took, in seconds.
struct PackTimes {
  double read = 0, classify = 0, solve = 0;
};

// What is told beside the answer where the GPUs are those of a cluster.
struct PackedCluster {
  std::string name;
  std::map<std::string, int> left_out;     // GPUs, by the reason
  std::optional<pack::QueueDemand> queue;  // --for-queue: where the demand came from
  std::optional<pack::PastDemand> past;    // --for-history: the same
  std::string past_source;                 // "recording", "accounting", "prometheus"
  std::vector<std::string> past_words;     // of what that tells; in English
  Json past_right_sized{};                 // how many counted as a smaller profile; null: as it was held
  usage::Gaps past_gaps{};                 // of a recording
  TimePoint past_until{};                  // until when it was looked at
  std::map<std::string, int> told_by{};    // nodes with GPUs, by the source that tells what is made there
  std::vector<std::string> unasked{};      // those of which Slurm alone tells it
};

// What the change of the answer does, of a cluster's GPUs.
struct PackEffect {
  std::string disturbs;
  std::string refused;                         // why no plan makes it; the other two are empty then
  std::optional<whatif::Comparison> forecast;  // of what waits
};

// What waits and no node could serve, kind by kind.
Json no_node_json(const pack::QueueDemand& queue);
// docs/json.md describes its fields. cluster: nullptr: the GPUs stood in a file.
Json pack_json(const pack::Problem& problem, const pack::Answer& answer, const PackTimes& times,
               const PackedCluster* cluster, const PackEffect& effect);
// How many GPUs and nodes change, what is proven of that, and what runs there; empty: nothing changes.
std::string proof_text(const pack::Problem& problem, const pack::Answer& answer, const Options& options);
// Who starts sooner with the change; where it is for a queue, how many of it were not played, or that it
// helps none of it. queue: nullptr: it is for none.
std::string forecast_text(const whatif::Comparison& forecast, const pack::QueueDemand* queue,
                          const Options& options);
// A line for each profile of which not everything can be met, with the reason; may be empty.
std::string unmet_text(const pack::Problem& problem, const pack::Answer& answer, const Options& options);
// Of which nodes what is made is Slurm's word alone, and what makes it sure; empty: of none.
std::string unasked_text(const PackedCluster& cluster, const Options& options);
// The GPUs that change, one a line, then what is proven and what is unmet.
std::string pack_page(const pack::Problem& problem, const pack::Answer& answer, const Options& options,
                      const PackedCluster* cluster, const PackEffect& effect);

}  // namespace tessera::cli
