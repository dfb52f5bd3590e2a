// A cluster in two figures: how much of it is held, and how much of what work runs on is used.
// Threads: pure function of values.
#pragma once

#include <optional>

#include "engine/history/keeps_figures.hpp"
#include "engine/insight/totals.hpp"
#include "engine/model/model.hpp"

namespace tessera::history {

// nullopt: its lists are not current, or it has nothing that could be held.
std::optional<Sums> sums_of(const Cluster& cluster, TimePoint at);
// Beside other clusters, which may count some of its machines.
std::optional<Sums> sums_of(const Model& model, const Cluster& cluster, TimePoint at);
// Of totals that were counted of the cluster already.
std::optional<Sums> sums_in(const Cluster& cluster, const insight::Totals& totals, TimePoint at);

// Whether what exporters told comes to what the scheduler tells: as many slices, none of them in shares, and
// about as much held at the time of `seen`, which is of the cluster. What was before may be shown beside it
// then.
bool count_alike(const Cluster& cluster, const SumsBefore& kept, const Sums& seen);

}  // namespace tessera::history
