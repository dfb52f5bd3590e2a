// A run room with everything around it: a folder on a real disk, a cluster of small hostile worlds whose
// answers come on another thread, and a clock that jumps ahead instead of making anybody wait.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/mailbox.hpp"
#include "backends/runs/room.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/run/run.hpp"
#include "tests/engine/plan/adversary.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {

// One adversary a node. What is asked is answered on a thread of its own; frozen, nothing is answered any
// more, as if the process had died.
class FakeCluster final : public plan::Actuator {
 public:
  explicit FakeCluster(std::vector<Node> nodes, std::vector<Workload> workloads = {});
  ~FakeCluster() override { hands_.stop(); }

  plan::Means means() const override {
    return by_an_operator ? plan::gpu_operator_capabilities() : plan::simulator_capabilities();
  }
  std::string cluster_id() const override { return id; }
  void observe(NodeName node, Told<plan::NodeFacts> told) override;
  void perform(plan::Order order, Told<Done> told) override;
  void marks(Told<std::vector<plan::MarkedNode>> told) override;
  void look_again() override { ++looks_again; }

  // Only while no room is at work, or from within the hooks.
  Adversary& world(const std::string& node) { return *worlds_.at(NodeName(node)); }
  Cluster cluster() const;
  std::vector<std::string> harm() const;

  std::string id = "hpc-1";  // only while no room is at work
  std::atomic<bool> frozen = false;
  std::atomic<bool> freeze_after_next_perform = false;
  void settle();  // returns once all that was asked for before is over
  void freeze();
  std::atomic<bool> answers_twice = false;
  std::atomic<bool> by_an_operator = false;  // set up otherwise than when the run was planned
  std::atomic<bool> blind = false;           // no look succeeds
  std::atomic<int> performs = 0;
  std::atomic<int> looks_again = 0;
  std::vector<plan::MarkedNode> elsewhere;                 // marks of colleagues
  std::function<void(const plan::Order&)> before_perform;  // on the cluster's thread
  int patient_looks = 25;  // after so many at one node its work ends by itself; 0: never

 private:
  const mig::Catalogue& catalogue_ = test::catalogue();
  std::map<NodeName, std::unique_ptr<Adversary>> worlds_;
  std::map<NodeName, int> looks_;
  std::map<NodeName, std::string> runs_;  // who acted there last
  Worker hands_;
};

// Two GPUs, of which the first is cut; and a wish that leaves the 1g instances alone.
Node small_node(const std::string& name);
inline constexpr const char* kWish = "3x1g.10gb,2g.20gb@4";
inline constexpr const char* kFound = "1g.10gb@0, 1g.10gb@1, 3g.40gb@4";
inline constexpr const char* kWanted = "1g.10gb@0, 1g.10gb@1, 1g.10gb@2, 2g.20gb@4";
Workload on_slice(const std::string& id, const std::string& user, const std::string& node, int device);

class Lab {
 public:
  explicit Lab(std::vector<Node> nodes, std::vector<Workload> workloads = {});
  ~Lab() { close(); }

  FakeCluster& cluster() { return cluster_; }
  std::string folder() const { return scratch_.path() + "/state/tessera/runs"; }
  const Scratch& scratch() const { return scratch_; }
  std::string file(const std::string& run) const { return folder() + "/" + run + ".journal"; }

  // The room; opened at the first use. close(): it goes, without a word to anybody.
  plan::Runs& room();
  // Dies once so many lines of a journal stand on the disk: nothing is written or answered from then on.
  void die_after(int lines, bool torn = false);
  void close_dead_room();  // waits for that, and mends the world
  void close() { room_.reset(); }
  runs::RunsOptions& options() { return options_; }                     // for the next room
  void open_as(const std::string& name) { name_ = ClusterName(name); }  // the cluster, in the next room
  TimePoint now() const { return TimePoint(Duration(now_.load())); }
  void set_clock(TimePoint to) { now_ = to.time_since_epoch().count(); }

  plan::Plan plan(const std::string& layout, std::vector<std::string> nodes = {"n1"},
                  plan::ChangeOptions options = {}) const;

  // Waits for news, ten seconds at most.
  bool wait(const std::function<bool()>& until);
  static bool wait_on(const EventSource& source, const std::function<bool()>& until);
  std::string start(const plan::Plan& plan, const std::string& undoes = "");  // the run's id
  bool wait_refused() {
    return wait([this] { return !refused.empty(); });
  }
  bool wait_finished(const std::string& run);
  bool wait_stopped(const std::string& run);
  // The folded journal as it was told.
  plan::Run told_run(const std::string& run) const;
  void settle();  // until the room has done what it was at, and what follows from that
  RunsListed list();
  const RunHead* find(const RunsListed& listed, const std::string& run) const;
  std::string disk(const std::string& run) const;
  std::string board(const std::string& node) {  // as it stands
    return plan::to_text(plan::instances_of(cluster_.world(node).node.gpus.at(0)));
  }

  // What came so far.
  std::map<std::string, std::string> told;
  std::vector<RunRefused> refused;
  std::vector<RunsListed> lists;
  int rests = 0;

 private:
  void take();

  Scratch scratch_;
  std::atomic<std::int64_t> now_;
  FakeCluster cluster_;
  Mailbox mailbox_;
  runs::RunsOptions options_;
  ClusterName name_{"hpc"};
  std::unique_ptr<plan::Runs> room_;
};

}  // namespace tessera::test
