// Kueue installed in a simulated cluster: it admits Workloads while their ClusterQueue has quota for them,
// holds back the others and says why, evicts and queues again, and starts and ends their pods.
//
// Words and conditions are those of Kueue 0.19 without its feature gates for unadmitted workloads. Of a
// Workload the Job that owns it is a name alone: there are no Jobs here, and pods of an admitted Workload are
// made at once, run until it is deleted or evicted, and are not replaced. A pod with the label
// kueue.x-k8s.io/queue-name waits behind Kueue's scheduling gate, and has a Workload of its own.
// Threads: a plain object; used on the cluster's thread. The cluster outlives it.
#pragma once

#include <memory>
#include <string>

#include "backends/sim/gpu_operator/cluster.hpp"
#include "backends/sim/kueue/quota.hpp"
#include "backends/sim/scenario/kueue_plan.hpp"

namespace tessera::sim::kube {

class Kueue {
 public:
  // Shows the objects of the scenario, as if it had been running for long.
  Kueue(Cluster& cluster, const KueuePlan& plan);
  ~Kueue();
  Kueue(const Kueue&) = delete;
  Kueue& operator=(const Kueue&) = delete;

 private:
  void begin(const KueuePlan& plan);
  void see(const Change& change);
  void look_soon();
  void look();
  bool look_once();
  void take_in_pods();
  void drop_ownerless();
  bool admit_what_fits();
  bool admit(const Key& workload, const Json& queue, const std::string& queue_name);
  bool preempt_for(const Key& workload, const Json& queue, const std::string& queue_name);
  bool hold_back(const Key& workload, std::string_view reason, const std::string& message);
  void evict(const Key& workload, std::string_view reason, const std::string& message);
  void start_pods(const Json& workload);
  void end_pods(const Json& workload);
  void show_queues();
  Usage used(const std::string& cluster_queue) const;
  TimePoint now() const { return cluster_.now(); }

  Cluster& cluster_;
  ObjectStore& objects_;
  const std::string version_;
  std::uint64_t watch_ = 0;
  bool looks_ = false;  // a look is due
  bool busy_ = false;   // the changes are our own
};

// nullptr: the scenario has no Kueue.
std::unique_ptr<Kueue> install_kueue(Cluster& cluster);

}  // namespace tessera::sim::kube
