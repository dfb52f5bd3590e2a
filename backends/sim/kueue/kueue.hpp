// Kueue installed in a simulated cluster: it admits Workloads while their ClusterQueue has quota for them,
// holds back the others and says why, evicts and queues again, and starts and ends their pods.
//
// Words and conditions are those of Kueue 0.19 without its feature gates for unadmitted workloads. Of the
// Workloads of a scenario the Job that owns them is a name alone. A Job with a queue's name is suspended
// until its Workload is admitted, and again once that is evicted; other Jobs make no pods, since no
// controller of Jobs runs here. Pods of an admitted Workload are made at once, run until it is deleted or
// evicted, and are not replaced. A pod with the label kueue.x-k8s.io/queue-name waits behind Kueue's
// scheduling gate, and has a Workload of its own. Admission checks have no controllers: each waits until its
// state in the Workload's status is set by hand. Threads: a plain object; used on the cluster's thread. The
// cluster outlives it.
#pragma once

#include <map>
#include <memory>
#include <optional>
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
  void take_in_jobs();
  void show_jobs();
  void drop_ownerless();
  bool admit_what_fits();
  bool admit(const Key& workload, const Json& queue, const std::string& queue_name);
  bool pass_checks(const Key& workload);
  void begin_work(const Key& workload);
  bool preempt_for(const Key& workload, const Json& queue, const std::string& queue_name);
  bool hold_back(const Key& workload, std::string_view reason, const std::string& message);
  void evict(const Key& workload, std::string_view reason, const std::string& message);
  void start_pods(const Json& workload);
  void end_pods(const Json& workload);
  void show_queues();
  Usage used(const std::string& cluster_queue) const;
  std::optional<Cohort> cohort_around(const Json& cluster_queue) const;
  TimePoint now() const { return cluster_.now(); }

  Cluster& cluster_;
  ObjectStore& objects_;
  const std::string version_;
  std::uint64_t watch_ = 0;
  std::map<Key, Key> of_jobs_;  // Workloads, by the Jobs that they are of
  bool looks_ = false;          // a look is due
  bool busy_ = false;           // the changes are our own
};

// nullptr: the scenario has no Kueue.
std::unique_ptr<Kueue> install_kueue(Cluster& cluster);

}  // namespace tessera::sim::kube
