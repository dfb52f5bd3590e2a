// Kueue as a scenario has it: its queues with their quotas, and the work that is queued at the start.
//
// A world knows nothing of it: whoever serves one as a Kubernetes cluster reads it from the scenario's text
// again, which travels with every world. Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/units.hpp"

namespace tessera::sim {

struct ClusterReader;
class Fields;
struct Scenario;

struct KueuePlan {
  struct Amount {
    std::string resource;  // "nvidia.com/gpu"
    int count = 1;
  };
  struct ClusterQueue {
    std::string name, flavor;
    std::vector<Amount> quota;
    bool stopped = false;             // stopPolicy: Hold
    bool preempts = false;            // preemption.withinClusterQueue: LowerPriority
    std::string cohort;               // borrows what others of it do not use; empty: none
    std::optional<int> borrows;       // at most so much of each resource; nullopt: all that is unused
    std::vector<std::string> checks;  // AdmissionChecks that its work has to pass
  };
  struct LocalQueue {
    std::string name, name_space, cluster_queue;
  };
  // A Job that is handed in to a queue; `asks` is what each of its pods asks for.
  struct Work {
    std::string name, name_space, queue;
    Amount asks;
    int pods = 1;
    int priority = 0;
    bool active = true;
    Duration waits{0};  // so long ago it was handed in
  };
  std::string version;  // "v1beta2"
  std::vector<ClusterQueue> cluster_queues;
  std::vector<LocalQueue> local_queues;
  std::vector<Work> work;
};

// The key `kueue` of a cluster, read strictly; nullopt: it is not there, or has an error, which the reader
// keeps.
std::optional<KueuePlan> read_kueue(ClusterReader& cluster, Fields& fields);
// Of that cluster of a scenario that has been read before; nullopt: it has no Kueue.
std::optional<KueuePlan> kueue_of(const Scenario& scenario, const std::string& cluster);

}  // namespace tessera::sim
