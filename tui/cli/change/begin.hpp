// From a plan to a run: checks it against the world, shows it, arms it, begins it and follows it.
//
// Of a plan from a file only the intent is carried out: the plan is made again from it, on what is so now,
// and must be the one that the file shows. Threads: the calling thread.
#pragma once

#include <string>

#include "engine/plan/plan.hpp"
#include "tui/cli/change/follow.hpp"

namespace tessera::cli {

struct Beginning {
  plan::Plan plan;
  bool made_earlier = false;  // from a file: what it relies on may have moved
  bool same_cluster = false;  // the person has named the cluster, which counts where no identity is told
  WhyRest why_rest = {};      // empty: nothing but a signal parks it
};

// Precondition: the world is open and has shown its first complete picture. Returns the exit code.
int begin(OpenClusters& clusters, const Options& options, const mig::Catalogue& catalogue,
          const Streams& streams, const Beginning& beginning);

}  // namespace tessera::cli
