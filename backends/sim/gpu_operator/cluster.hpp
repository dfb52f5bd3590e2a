// A simulated world as a Kubernetes cluster: its objects, the controllers that look after them, and the clock
// that moves them.
//
// What the world does becomes changes of objects; what is written to objects (a cordon, an eviction, labels)
// acts on the world where the world knows it, and stays with the object where it does not. Controllers (the
// GPU operator, see installed.hpp) work on the agenda, by the world's clock. Objects live as long as this
// one: what only they hold (labels, ConfigMaps) is not in a state file. Threads: a plain object; used on one
// thread, which it may block for the state file's lock.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/sim/apiserver/served.hpp"
#include "backends/sim/gpu_operator/agenda.hpp"
#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/saved/store.hpp"

namespace tessera::sim::kube {

class Cluster final : public ServedCluster {
 public:
  // speed: virtual seconds in a second; 0: time passes only as far as what was asked for needs it.
  Cluster(sim::WorldStore world, double speed, std::function<TimePoint()> wall);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  const World& world() const { return store_.world(); }
  ObjectStore& objects() override { return objects_; }
  const ObjectStore& objects() const { return objects_; }
  const Kinds& kinds() const override { return kinds_; }
  std::string_view version() const override { return world().spec().version; }
  TimePoint now() const override { return world().now; }
  std::uint64_t seed() const override { return world().seed; }
  Agenda& agenda() { return agenda_; }
  double speed() const { return speed_; }

  // Lets the time pass that has gone by, and shows what others did to the state file. Errors: the state file.
  Status tick();
  // Lets virtual time pass by hand, at any speed.
  Status pass(Duration time);
  // Lets `act` change the world as it is now; shows what changed. Within a tick, too. Errors: the state file.
  Status act(const std::function<void(World&, Changes&)>& act);
  // At speed 0: lets time pass until nothing is on its way any more, for at most so long. Else does nothing.
  Status settle(Duration most = std::chrono::minutes(10)) override;

  // From now on labels and resources of GPUs are a controller's: they stay as they were shown, and what the
  // world says of them later is not shown.
  void leave_gpus_to_controller();
  // From now on a DRA driver's slices are as they were shown, until its plugin on the node looks again.
  void leave_devices_to_controller() { devices_ = false; }
  void find_devices(std::uint32_t node);
  // Pods that a controller brings to their end itself, once they have a deletionTimestamp.
  void leave_pods_to_controller(std::function<bool(const Json& pod)> which) { led_ = std::move(which); }
  // More kinds, of what is installed in it; before anything is served.
  Kinds& more_kinds() { return kinds_; }
  // The scheduling gate that a pod gets when it is created, beside its own; empty: none.
  void gate_pods(std::function<std::string(const Json& pod)> gate) { gate_ = std::move(gate); }
  // Takes that scheduling gate of a pod away. Without any it is as one that was made without.
  Written open_gate(const Key& pod, std::string_view gate);
  // The node's number in the world; nullopt: it is not the world's.
  std::optional<std::uint32_t> node_of(std::string_view name) const;
  // The world's job behind a pod; nullptr: the pod is no job's.
  const Job* job_of(const Key& pod) const;

  // One that asks for GPUs runs where they are free and its own words let it (filters.hpp), until it is
  // deleted; else it is Pending, with the reason as its condition. Without GPUs it is not placed, and with
  // scheduling gates not before the last of them is gone.
  Written create_pod(const Key& key, Json pod) override;
  Written delete_pod(const Key& key, std::optional<Duration> grace, std::string_view uid = {},
                     std::string_view expected = {}) override;
  Written evict_pod(const Key& key, std::optional<Duration> grace, std::string_view uid = {}) override;

  // An event as `kubectl describe` shows it.
  void record_event(const Key& about, std::string_view kind, std::string_view type, std::string_view reason,
                    std::string_view message, std::string_view source);

 private:
  using Act = std::function<bool(World&, Changes&)>;
  Status turn(const Act& act);
  void advance(World& world, TimePoint to, Changes& news);
  TimePoint target();

  void show_all();
  void reflect(const Changes& changes);
  void show(Projected projected);
  void hide(const Key& key);
  void show_surroundings();
  void show_claim(const Job& job, const Key& pod);
  void show_devices(std::uint32_t node);
  void on_change(const Change& change);
  void follow_cordon(const Change& change);
  void follow_gates(const Change& change);
  void follow_words(const Change& change);
  void follow_requests(const Change& change);
  Written place_pod(const Key& key, Json pod, bool there);
  void weigh_soon();
  void weigh_again(const Key& key);
  void put_aside(const Key& key, Json pod, const std::string& why);
  void tell_filtered(Projected& pod) const;

  sim::WorldStore store_;
  double speed_;
  std::function<TimePoint()> wall_;
  TimePoint base_wall_{};
  TimePoint base_{};
  TimePoint last_{};
  World* open_ = nullptr;    // while a turn is taken
  Changes* made_ = nullptr;  // ... what it has changed so far
  bool gpus_ = true;
  bool devices_ = true;
  std::function<bool(const Json& pod)> led_;
  std::function<std::string(const Json& pod)> gate_;
  bool showing_ = false;  // we are the ones who write
  std::uint64_t events_ = 0;
  Kinds kinds_;
  ObjectStore objects_;
  Agenda agenda_;
  std::map<Key, Json> shown_;  // what the world last said of each
  std::map<Key, JobId> pods_;
  // Pods that wait for a node.
  struct Filtered {
    std::string node;  // the one that it names; what is stored has no name until it is bound
    // What its own words say against nodes, as the scheduler counts it: "2 Insufficient cpu".
    std::vector<std::string> parts;
  };
  std::map<Key, Filtered> filtered_;
  bool weighs_soon_ = false;           // on the agenda
  std::map<JobId, JobState> counted_;  // as what surrounds the jobs has last counted them
  std::deque<Key> event_keys_;         // oldest first
};

// Events for `kubectl describe` and `kubectl get events`: cordons, nodes that go and come, pods that wait,
// start and end. Lives as long as the cluster.
class EventRecorder {
 public:
  explicit EventRecorder(Cluster& cluster);

 private:
  void see_node(const Change& change);
  void see_pod(const Change& change);
  Cluster& cluster_;
};

}  // namespace tessera::sim::kube
