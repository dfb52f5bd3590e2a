// The objects that are kept, and what they mean: pages and watch lines in, events for the model out.
//
// Knows no network. Kept are GPU nodes, pods that ask for GPUs or reach them, pods of the GPU stack, and its
// DaemonSets. A list that is begun again blanks nothing: what it no longer holds goes when it is complete.
// Threads: one thread; callbacks come from inside the calls.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/figures/prometheus_queries.hpp"
#include "backends/kubernetes/exporters.hpp"
#include "backends/kubernetes/feed.hpp"
#include "backends/kubernetes/objects/pod_terms.hpp"
#include "backends/kubernetes/objects/pods_beside.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/details.hpp"
#include "engine/model/event.hpp"
#include "engine/operators/operator_setup.hpp"

namespace tessera::kubernetes {

// For how long what an exporter told stands, where figures of a node are `every` apart: one that comes half
// of that late, as behind thousands of others, is still waited for (record::longest_step counts alike).
inline constexpr Duration kReadingsLast{300'000};
constexpr Duration readings_last(Duration every) { return std::max(kReadingsLast, every + every / 2); }

class ClusterStore {
 public:
  using What = decltype(Event::what);
  // catalogue may be null and outlives the store; post takes each event's substance.
  ClusterStore(const mig::Catalogue* catalogue, std::function<void(What)> post,
               std::function<TimePoint()> clock);
  ~ClusterStore();
  ClusterStore(const ClusterStore&) = delete;
  ClusterStore& operator=(const ClusterStore&) = delete;

  // The part of FeedCalls that is about objects.
  struct Handler {
    std::function<void()> begin;
    std::function<Result<FeedPage>(std::string_view, bool last)> page;
    std::function<void()> listed;
    std::function<Result<FeedLine>(std::string_view)> line;
  };
  Handler nodes();
  Handler pods();
  Handler daemon_sets();
  Handler cluster_policies();
  Handler budgets();
  Handler events();
  Handler quotas();
  Handler refused_pods();
  Handler dra_slices();
  Handler device_rules();
  Handler dra_claims();
  Handler kueue_workloads();

  // How the operator is set up: reports which instances stand on which GPU, where the counts alone do not.
  void set_site(std::shared_ptr<const operators::OperatorSetup> site);

  // Whether that row is a Workload of Kueue, "namespace/name", and no pod.
  bool is_of_kueue(const std::string& id) const;

  // Whether a ResourceQuota limits GPUs, by the last list.
  bool limits_gpus() const;

  // What the API server's clock says now: times in its objects are meant by it.
  void set_server_time(TimePoint now);

  // Of the GPU operator, as its ClusterPolicy is labelled: "v26.3.0"; empty: not reported.
  std::string operator_version() const;
  // Of ACK's sharing component, by the label that Helm sets; empty: not reported.
  std::string sharing_component() const;

  bool lists(const std::string& node) const;
  // The DCGM exporters that run and are ready, one a node.
  std::vector<Exporter> exporters() const;
  // The node that a series of Prometheus is of: by its name, or by the exporter that was scraped.
  figures::SeriesNode node_of_series(const figures::MetricLine& series) const;
  // What one of them, or Prometheus, has told of a node; forgotten with the exporter's pod, and when
  // look_again() finds it too old.
  void set_readings(const std::string& node, DcgmReadings readings);

  // By pod, "namespace/name": why the API would refuse to evict it now. Work that has a node only.
  const std::map<std::string, std::string>& kept_back();
  // Those that run slurmd (Slinky), by "namespace/name".
  const std::map<std::string, operators::SlurmdPod>& slurmd_pods() const;

  // What a pod that waits, "namespace/name", says against the nodes, and what of it is not held against them.
  // beside: what was asked for it of the pods that run.
  std::vector<Related> against_nodes(const std::string& pod, const PodTerms& terms,
                                     const PodsBeside& beside) const;
  // Nodes against which its own words say nothing for certain, whatever runs there.
  std::vector<std::string> nodes_open_to(const std::string& pod, const PodTerms& terms) const;

  // Posts both lists as they stand: something that was posted before did not reach its reader.
  void tell_all();

  // What is not reported beside nodes and pods, since it may not be read: remarked under that source.
  void set_untold(Source source, std::vector<Remark> what);

  // Whether Kueue's Workloads can be read now: rows of those read before say that they are old while not.
  void set_kueue_read(bool now);

  // Of the rights to change nodes, where they were asked for; nullopt: none is missing.
  void set_missing_rights(std::optional<Remark> missing);

  // How many of each are kept now.
  struct Held {
    std::size_t nodes = 0, nodes_without_gpus = 0, pods = 0, stack_pods = 0;
    std::size_t bound = 0;  // pods by their node; equal to those of `pods` that have one
    std::size_t claims = 0;
    std::size_t texts =
        0;  // labels and the like that are shared; those of what went are let go from time to time
    friend bool operator==(const Held&, const Held&) = default;
  };
  Held held() const;

  // Time has passed: orders may have become overdue, readings too old (`older`). Posts what changed.
  void look_again(Duration older = kReadingsLast);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::kubernetes
