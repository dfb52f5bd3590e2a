// The texts to hand out at a leaf: pods, submit lines, files of Slurm, memory limits, queries, scripts. All
// copyable as they are; which there are is data (handouts.hpp).
//
// Names from a cluster are refused where they would not be a name (quotes, line breaks).
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/guide/handouts.hpp"
#include "engine/guide/proposals/proposals.hpp"

namespace tessera::guide {

struct Advice {
  std::string id;  // "pod", "sbatch", "pytorch", "tensorflow", "peak-memory", "mps-job", …
  std::string title;
  std::string text;  // one or more lines, ends without a line break
};

// What a proposal does not say itself.
struct AdviceAbout {
  std::string_view product;  // key in the catalogue; empty: not known
  bool part = false;         // of a node's GPUs only: what its files say of the others is not known here
};

// The facts of one proposal here; nullptr: of the leaf in general.
HandoutFacts facts_of(Strategy strategy, sharing::Platform platform, const Proposal* proposal,
                      const AdviceAbout& about = {});

// What goes with a leaf here, in the order of the data. A text that names a resource comes once for each.
std::vector<Advice> advice(const Handouts& handouts, Strategy strategy, sharing::Platform platform,
                           const Proposal* proposal, const AdviceAbout& about = {});

}  // namespace tessera::guide
