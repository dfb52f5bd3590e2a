// What a Store keeps; for store.cpp and store_feeds.cpp only.
// Threads: as Store.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "backends/kubernetes/objects/budgets.hpp"
#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/config_judge.hpp"
#include "backends/kubernetes/objects/dcgm_values.hpp"
#include "backends/kubernetes/objects/dra_values.hpp"
#include "backends/kubernetes/objects/kueue.hpp"
#include "backends/kubernetes/objects/node_events.hpp"
#include "backends/kubernetes/objects/sharing_of.hpp"
#include "backends/kubernetes/store.hpp"

namespace tessera::kubernetes {

struct ClusterStore::State {
  struct NodeEntry {
    NodeObject object;
    NodeSharing sharing;
    std::vector<Component> troubled;  // parts of the GPU stack that are not ready
    std::optional<TimePoint> pending_since, differs_since, unmade_since;
    bool pending_before = false, differs_before = false, unmade_before = false;  // or for longer, untold
    bool judged = false;                                                         // once at least
    std::optional<TimePoint> stale_since;    // its device plugin has not taken its configuration up since
    std::optional<TimePoint> unnamed_since;  // pods hold its GPUs and its figures name none since
    std::optional<TimePoint> unnamed_seen;   // ... as was seen: none were asked for before
    bool figures_judged = false;             // whether they name pods was looked at
    std::string unmade;                      // of the layout that is told to be made: what is offered instead
    std::vector<Remark> remarks;
    std::optional<DcgmReadings> readings;
    bool measured = false;          // figures of it were told last
    std::vector<NamedSlice> named;  // by them, as told last
    DraNumbers numbers;             // of its DRA devices; empty: it has none
  };

  const mig::Catalogue* catalogue;
  std::shared_ptr<const operators::OperatorSetup> site;
  ConfigJudge configs;  // of that site
  std::function<void(What)> post;
  std::function<TimePoint()> clock;
  Duration server_ahead{0};  // the API server's clock before ours
  bool time_told = false;    // ... is known
  // The same, where that is more than an answer that tells the second leaves open. It stays while answers
  // differ by no more than that: the times of pods would move by a second with each.
  Duration told_ahead{0};
  Duration skew() const { return told_ahead; }
  static constexpr Duration kClockGrain{2000};
  bool first_look = true;  // until all nodes were judged by it and by the site once
  Parser parser;
  TextPool words;

  std::map<std::string, NodeEntry, std::less<>> nodes;
  std::map<std::string, NodeObject, std::less<>> bare;               // nodes of which nothing speaks of GPUs
  std::unordered_map<std::string, PodObject> pods;                   // that are no part of the GPU stack
  std::unordered_map<std::string, std::set<std::string>> claimants;  // claim → pods
  std::unordered_map<std::string, std::set<std::string>> bound;  // node → pods, also of nodes not known yet
  std::unordered_map<std::string, std::vector<StackPod>> stack;  // by node, in order of their ids
  // Ready exporters of `stack` → their node; nullopt: to be looked up again. A Prometheus of several clusters
  // has many series of pods that are none of these.
  std::optional<std::unordered_map<std::string, std::string>> exporter_nodes;
  std::vector<DaemonSetObject> sets, sets_listed;
  bool sets_known = false;
  std::vector<ClusterPolicyObject> policies, policies_listed;

  std::set<std::string> seen;       // by the node list that is under way
  std::set<std::string> seen_pods;  // the same of pods; those of the stack carry the list's number
  std::uint32_t pod_list = 0;
  std::int64_t pods_read = 0;  // by that list
  bool nodes_complete = false, pods_complete = false;
  std::set<std::string, std::less<>> dirty;  // nodes whose value is to be made again
  std::set<std::string> retold;              // pods of which something changed that others tell
  std::string licence;                       // as posted last
  std::vector<Remark> told;                  // remarks, as posted last

  std::vector<Quota> quotas;                         // by the list that is under way
  bool unread_quota = false;                         // the same: a count of GPUs in it cannot be read
  bool limits_gpus = false;                          // the last list had one, or may have had
  std::vector<EventObject> refused, refused_listed;  // pods that a quota refuses; by the list under way
  std::vector<DeviceTaintRuleObject> rules;          // the same
  Budgets budgets;
  NodeEvents events;
  KueueQueue kueue;
  std::set<std::string> kueue_told;             // of it, as rows of their own
  std::optional<TimePoint> kueue_unread_since;  // its Workloads cannot be read since; nullopt: they can
  DraSlices slices;
  DraClaims claims;
  // By the lists that are under way.
  std::set<std::string> seen_budgets, seen_events, seen_slices, seen_claims, seen_kueue;
  std::map<std::string, std::string> kept_back;             // by pod: why it may not be evicted, as told last
  std::map<std::string, operators::SlurmdPod> slurmd_pods;  // of `pods`
  std::optional<Remark> missing_rights;
  std::map<Source, std::vector<Remark>> untold;       // what may not be read
  std::map<Source, std::vector<Remark>> told_beside;  // events and what may not be read, as posted last

  Origin origin(Source source) const { return {source, clock()}; }

  // Nodes.
  void slim(NodeObject& object);
  void keep(NodeObject object);
  void drop_node(const std::string& name);
  Node value_of(NodeEntry& entry);
  void end_first_look();
  void judge(NodeEntry& entry);
  void judge_config(NodeEntry& entry, TimePoint now);
  void judge_figures(NodeEntry& entry, std::optional<TimePoint> held_since, TimePoint now);
  void flush();
  void tell_again();
  void nodes_listed();
  void post_nodes();
  // Pods.
  void take(PodObject pod, bool of_list);
  void drop(const PodObject& pod);
  void keep(PodObject pod);
  // as: how it ended, where it has; nullptr: it is gone.
  void drop_pod(const std::string& id, const PodObject* as = nullptr);
  void keep_of_stack(const PodObject& pod);
  void drop_of_stack(const PodObject& pod);
  const std::vector<StackPod>& stack_on(const std::string& node) const;
  void unbind(const PodObject& pod);
  void tell(const PodObject& pod);
  Workload work_of(const PodObject& pod) const;
  void by_our_clock(Workload& work) const;
  void pods_listed();
  void post_pods();
  bool is_work(const PodObject& pod) const;
  const NodeSharing* sharing_on(const PodObject& pod) const;
  Compute requested_on(const std::string& node) const;  // by the pods that are kept
  Compute asked_by(const std::string& pod) const;
  // Its place among the pods that wait; nullopt: it is the only one, or waits in no queue.
  std::optional<Related> place_of(const std::string& pod) const;
  void mark(const std::string& node) {
    if (nodes.find(node) != nodes.end()) dirty.insert(node);
  }
  // What the exporters tell.
  void measure(Node& node, NodeEntry& entry);
  std::vector<Measured> figures_of(Node& node, NodeEntry& entry);
  bool has_exporter(const NodeEntry& entry, const std::string& pod) const;
  const std::string* node_of_exporter(const std::string& pod);  // nullptr: no such exporter on a known node
  void forget_readings(Duration older);
  // DRA.
  bool has_devices(const NodeObject& node) const { return slices.has(node.meta.name); }
  std::vector<const ResourceClaimObject*> gpu_claims_of(const PodObject& pod) const;
  std::string unknown_claim_of(const PodObject& pod) const;
  void lay_claimed(Node& node, NodeEntry& entry);
  std::vector<int> claimed_by(const std::string& pod, const NodeEntry& entry) const;
  std::optional<bool> gate_on(const std::string& node) const;
  void slices_changed();
  void claims_listed(bool all);
  void claims_changed();
  void index_claims(const PodObject& pod, bool there);
  // Budgets and events.
  void weigh_budgets();
  void show_events();
  void show_refused();
  void tell_kueue();
  Workload kueue_row(const KueueWorkload& one) const;
  std::vector<Workload> kueue_work();  // all of it
  void post_beside(Source source, std::vector<Remark> remarks);
  // The operator.
  void sets_complete();
  void post_licence();
  void post_remarks();
};

}  // namespace tessera::kubernetes
