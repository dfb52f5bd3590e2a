// What is asked for against what there is, resource by resource: what can be had now, what cutting idle GPUs
// again could make of it, and how much of what waits would find room in either. Units are the scheduler's;
// the rows of two resources may speak of the same GPUs and are never added up. Threads: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::why {

struct Demand {
  std::string resource;              // in the scheduler's words: "gpu:h100", "nvidia.com/mig-1g.10gb"
  std::optional<std::int64_t> free;  // can be had now; nullopt: the cluster's lists are not current
  std::int64_t could = 0;            // at most so many more, if every GPU that nobody holds were cut for it
  std::int64_t wanted = 0;           // by all that waits
  int workloads = 0;                 // that wait for it
  int for_room = 0;                  // of these: wait for room, and not for a release, a limit or a time
  int fit_now = 0;                   // of `for_room`: served by what is free, longest wait first
  int fit_cut = 0;                   // of `for_room`: served by `free` and `could` together
  int unsure = 0;  // of `for_room`, in neither: there is or could be room, and whether they may use it is
                   // not known
  friend bool operator==(const Demand&, const Demand&) = default;
};

// What is wanted first, most units first; then what is free and not wanted. stop: asked before each resource;
// true gives up, and what was counted until then is to be told to no one.
std::vector<Demand> demand(const Cluster& cluster, const mig::Catalogue& catalogue,
                           const std::function<bool()>& stop = {});

}  // namespace tessera::why
