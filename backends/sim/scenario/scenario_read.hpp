// The parts of reading a scenario that call each other; private to scenario*.cpp. Threads: pure functions.
#pragma once

#include <map>
#include <unordered_map>

#include "backends/sim/fields.hpp"

namespace tessera::sim {

inline constexpr std::size_t kMostNodes = 20'000;  // of a whole scenario
inline constexpr int kMostBoards = 32;             // of a node
inline constexpr int kMostJobs = 300'000;          // initial ones, of a whole scenario

// What the parts need of one another while one cluster is read.
struct ClusterReader {
  FieldReader& reader;
  const mig::Catalogue& catalogue;
  ClusterSpec spec;
  std::unordered_map<std::string, std::uint32_t> node_index;
  std::map<std::string, int> shape_index;  // by a key of everything in it
  std::size_t nodes_before = 0;            // of the clusters read earlier
  int jobs_left = kMostJobs;

  int intern_resource(const std::string& name);
  int partition(const Yaml& at, const std::string& name);
  bool slurm() const { return spec.scheduler == Scheduler::slurm; }
};

void read_group(ClusterReader& cluster, const Yaml& map);
JobPlan read_plan(ClusterReader& cluster, Fields& fields, bool initial);

// What an instance or an uncut GPU is called when it is asked for; empty: cannot be asked for.
std::string resource_name(const ClusterSpec& spec, const NodeGroup& group, Strategy strategy, int profile,
                          int replicas);

}  // namespace tessera::sim
