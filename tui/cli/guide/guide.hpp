// `tessera guide`: the flowchart on the command line, from what is known and what is answered to a way of
// sharing with its limits, layouts and texts.
// Threads: the calling thread; run_guide blocks until the clusters have answered.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/guide/findings.hpp"
#include "engine/guide/guide.hpp"
#include "engine/guide/texts.hpp"
#include "engine/model/model.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// One group of GPUs and where its walk ends.
struct GuideAnswer {
  std::string name;     // "H100-80GB-SXM5: 12 GPUs on 3 nodes"
  std::string product;  // key of the catalogue; empty: not known
  sharing::Platform platform = sharing::Platform::slurm;
  std::string platform_from;            // "--platform", "label …", "the scheduler", "assumed"
  std::string title, summary, meaning;  // of the leaf; empty: not there yet
  guide::GuideResult result;
  std::vector<std::vector<std::string>> commands;  // for each layout what plans it; none: by hand, see `ways`
};
struct GuideSheet {
  std::vector<GuideAnswer> groups;  // never empty
  std::vector<guide::HabitFinding> findings;
};

// Asks about --node (in the model) or --product, or about nothing in particular. Errors: a node, GPU,
// product, question or platform that is not known. can_of: what plans for a cluster would be made with.
using CapabilitiesOf = std::function<plan::Means(const Cluster&)>;
Result<GuideSheet> ask_guide(const Options& options, const Model& model, const mig::Catalogue& catalogue,
                             const guide::Texts& texts, TimePoint wall,
                             const CapabilitiesOf& can_of = plan::presumed_capabilities);
std::string print_guide(const GuideSheet& sheet, const Options& options);

// --compare, --scheduler and --terms. clusters: what is known of this site, for the second guide; may be
// empty.
std::string print_tables(const guide::Texts& texts, std::span<const Cluster> clusters, TimePoint wall,
                         const Options& options);

int run_guide(const Options& options, const mig::Catalogue& catalogue, const guide::Texts& texts,
              const Joins& joins, const Streams& streams);

}  // namespace tessera::cli
