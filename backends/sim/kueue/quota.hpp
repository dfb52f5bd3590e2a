// What Workloads ask for, and whether a ClusterQueue has it: the arithmetic of an admission, in Kueue's
// words.
//
// Extended resources are counted, as by a Kueue that is set up with excludeResourcePrefixes for cpu and
// memory. A queue of a cohort borrows what the others of it do not use, up to its borrowingLimit;
// lendingLimit, cohorts within cohorts and fair sharing are not known, and no flavor is chosen by a node's
// labels. Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/json.hpp"

namespace tessera::sim::kube {

using Amounts = std::map<std::string, std::int64_t>;                        // by resource
using Usage = std::map<std::pair<std::string, std::string>, std::int64_t>;  // by flavor and resource

struct PodSetAsk {
  std::string name;
  std::int64_t pods = 1;
  Amounts all;  // of all its pods together
};
std::vector<PodSetAsk> asks_of(const Json& workload);

// What it has of its ClusterQueue by status.admission; empty: it has no quota.
Usage usage_of(const Json& workload);
void add(Usage& sum, const Usage& more);
void subtract(Usage& sum, const Usage& less);

struct Fit {
  std::vector<std::map<std::string, std::string>> flavors;  // of each pod set, by resource
  std::string why;          // it does not fit: Kueue's message. Empty: it does
  bool when_empty = false;  // it would, if nothing else had quota
};
// The queues that lend each other what they do not use, together.
struct Cohort {
  Usage quota;  // nominal
  Usage used;
};
// "": it is in none.
std::string cohort_of(const Json& cluster_queue);
Usage quota_of(const Json& cluster_queue);
// used: of this queue. cohort: nullptr: it borrows nothing.
Fit fit(const Json& cluster_queue, const Usage& used, const std::vector<PodSetAsk>& asks,
        const Cohort* cohort = nullptr);

// status.flavorsReservation: of each quota what is reserved, and what of that is borrowed.
Json reservation_of(const Json& cluster_queue, const Usage& used);
// status.admission of a Workload that fits.
Json admission_of(const std::string& cluster_queue, const std::vector<PodSetAsk>& asks, const Fit& fit);

}  // namespace tessera::sim::kube
