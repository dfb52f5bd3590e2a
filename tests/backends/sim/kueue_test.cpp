// Kueue in a simulated cluster: what it says of work in each state, and what follows when quota comes and
// goes.
#include "backends/sim/kueue/kueue.hpp"

#include "backends/sim/gpu_operator/installed.hpp"
#include "backends/sim/kueue/objects.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::seconds;

class SimulatedKueue : public testing::Test {
 protected:
  ObjectPtr work(const std::string& owner) const {
    for (const ObjectPtr& one : cluster_.objects().all(kWorkloads))
      if (const Json* owners = at(*one, {"metadata", "ownerReferences"});
          owners && text_at(owners->items.front(), {"name"}) == owner)
        return one;
    ADD_FAILURE() << "no Workload of " << owner;
    return std::make_shared<const Json>(Json::map());
  }
  Key key_of(const std::string& owner) const {
    const ObjectPtr one = work(owner);
    return {std::string(kWorkloads), "training", text_at(*one, {"metadata", "name"})};
  }
  // "Pending: no room"; of a condition that does not hold.
  std::string waits(const std::string& owner, std::string_view type = "QuotaReserved") const {
    const ObjectPtr one = work(owner);
    const Json* condition = condition_of(*one, type);
    if (!condition) return "";
    return (view_at(*condition, {"status"}) == "True" ? "+" : "") + text_at(*condition, {"reason"}) + ": " +
           text_at(*condition, {"message"});
  }
  bool admitted(const std::string& owner) const { return holds(*work(owner), "Admitted"); }
  std::string phase(const std::string& pod) const {
    const ObjectPtr one = cluster_.objects().find({"pods", "training", pod});
    return one ? text_at(*one, {"status", "phase"}) : "none";
  }
  void pass(int time = 5) {
    ASSERT_TRUE(cluster_.pass(seconds(time)));
    EXPECT_EQ(audit(cluster_.world()), std::vector<std::string>{});
  }
  void make_pod(const std::string& name, int gpus) {
    Json limits = object({{"nvidia.com/gpu", number(gpus)}});
    Json pod = object({{"kind", text("Pod")}, {"apiVersion", text("v1")}, {"metadata", Json::map()}});
    put_at(pod, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}, text("team-ml"));
    put_at(pod, {"spec", "containers"},
           list_of({object({{"name", text("main")}, {"resources", object({{"limits", limits}})}})}));
    EXPECT_TRUE(cluster_.create_pod({"pods", "training", name}, std::move(pod)).ok());
  }

  TimePoint wall_ = kMonday;
  Cluster cluster_{sim::WorldStore(std::move(worlds_of("kueue").front())), 1, [this] { return wall_; }};
  std::unique_ptr<Operator> gpus_ = install_operator(cluster_);
  std::unique_ptr<Kueue> kueue_ = install_kueue(cluster_);
};

TEST_F(SimulatedKueue, SaysOfWorkInEachStateWhatKueueSays) {
  EXPECT_EQ(waits("sft"), "+QuotaReserved: Quota reserved in ClusterQueue whole");
  EXPECT_TRUE(admitted("sft"));
  EXPECT_EQ(phase("sft-main-0") + phase("sft-main-1"), "RunningRunning");
  EXPECT_EQ(waits("pretrain"),
            "Pending: couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in "
            "flavor h100, previously considered podsets requests (0) + current podset request (8) > maximum "
            "capacity (6)");
  EXPECT_EQ(waits("eval"),
            "Pending: couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu "
            "in flavor h100, 2 more needed");
  EXPECT_EQ(waits("paused", "Evicted"), "+Deactivated: The workload is deactivated");
  EXPECT_EQ(waits("late"), "Inadmissible: ClusterQueue closed is inactive");
  EXPECT_EQ(waits("lost"), "Inadmissible: LocalQueue team-x doesn't exist");
  for (const char* owner : {"pretrain", "eval", "paused", "late", "lost"}) {
    EXPECT_FALSE(admitted(owner)) << owner;
    EXPECT_EQ(phase(std::string(owner) + "-main-0"), "none") << owner;
  }
  EXPECT_EQ(audit(cluster_.world()), std::vector<std::string>{});
}

TEST_F(SimulatedKueue, WorkOfLowerPriorityIsEvictedAndQueuedAgain) {
  EXPECT_TRUE(admitted("urgent"));
  EXPECT_EQ(phase("urgent-main-0"), "Running");
  EXPECT_TRUE(
      waits("long-eval", "Evicted").starts_with("+Preempted: Preempted to accommodate a workload (UID: "))
      << waits("long-eval", "Evicted");
  EXPECT_TRUE(holds(*work("long-eval"), "Requeued"));
  EXPECT_EQ(waits("long-eval", "Admitted"), "NoReservation: The workload has no reservation");
  EXPECT_EQ(waits("long-eval"),
            "Pending: couldn't assign flavors to pod set main: insufficient unused quota for "
            "nvidia.com/mig-3g.40gb in flavor h100-mig, 1 more needed");
  EXPECT_EQ(phase("long-eval-main-0"), "none");
  cluster_.objects().erase(key_of("urgent"));
  pass();
  EXPECT_TRUE(admitted("long-eval"));
  EXPECT_TRUE(waits("long-eval", "Evicted").starts_with("QuotaReserved: Previously: Preempted to"));
  EXPECT_EQ(phase("long-eval-main-1"), "Running");
}

TEST_F(SimulatedKueue, WhatIsGivenBackIsHadByTheNext) {
  cluster_.objects().erase(key_of("sweep"));
  pass();
  EXPECT_EQ(phase("sweep-main-0"), "none");
  EXPECT_TRUE(admitted("eval"));
  EXPECT_EQ(phase("eval-main-0"), "Running");
}

TEST_F(SimulatedKueue, QueuesThatAreOpenedMadeOrFilledLetTheirWorkIn) {
  ObjectStore& objects = cluster_.objects();
  const Key closed{std::string(kClusterQueues), "", "closed"};
  EXPECT_EQ(text_at(*condition_of(*objects.find(closed), "Active"), {"reason"}), "Stopped");
  objects.edit(closed, [](Json& one) { put_at(one, {"spec", "stopPolicy"}, text("None")); });
  objects.edit(key_of("paused"), [](Json& one) { put_at(one, {"spec", "active"}, flag(true)); });
  pass();
  EXPECT_EQ(text_at(*condition_of(*objects.find(closed), "Active"), {"reason"}), "Ready");
  EXPECT_TRUE(admitted("late"));
  EXPECT_TRUE(waits("paused").starts_with("Pending: couldn't assign flavors")) << waits("paused");
  objects.erase(key_of("late"));  // its GPU is one of the node's, whichever queue it came by
  objects.erase(key_of("sft"));
  pass();
  EXPECT_TRUE(admitted("paused"));
  const Json local = *objects.find({std::string(kLocalQueues), "training", "team-ml"});
  EXPECT_EQ(number_at(local, {"status", "admittedWorkloads"}), 3) << "sweep, eval and paused";
  EXPECT_EQ(number_at(local, {"status", "pendingWorkloads"}), 1) << "pretrain";
}

TEST_F(SimulatedKueue, APodOfAQueueWaitsBehindAGateUntilItsWorkloadIsAdmitted) {
  make_pod("tune", 2);
  pass();
  const ObjectPtr pod = cluster_.objects().find({"pods", "training", "tune"});
  EXPECT_EQ(text_at(at(*pod, {"spec", "schedulingGates"})->items.front(), {"name"}),
            "kueue.x-k8s.io/admission");
  EXPECT_TRUE(waits("tune").starts_with("Pending: couldn't assign flavors")) << waits("tune");
  cluster_.objects().erase(key_of("eval"));
  cluster_.objects().erase(key_of("sweep"));
  pass();
  EXPECT_TRUE(admitted("tune"));
  EXPECT_EQ(phase("tune"), "Running");
  EXPECT_EQ(text_at(*cluster_.objects().find({"pods", "training", "tune"}), {"metadata", "uid"}),
            text_at(*pod, {"metadata", "uid"}))
      << "it is the same pod";
  // Its Workload goes with it, and gives its quota back.
  const Key key = key_of("tune");
  EXPECT_TRUE(cluster_.delete_pod({"pods", "training", "tune"}, Duration(0)).ok());
  pass();
  EXPECT_FALSE(cluster_.objects().find(key));
}

TEST(SimulatedKueueScenario, IsReadStrictly) {
  const auto error = [](const std::string& kueue, const std::string& scheduler = "kubernetes") {
    auto read =
        parse_scenario("clusters:\n  - name: c\n    scheduler: " + scheduler + "\n    users: [ann]\n" +
                           (scheduler == "slurm" ? "    partitions: [p]\n" : "") +
                           "    nodes: [{names: n1, product: T4, gpus: 1}]\n    kueue: " + kueue + "\n",
                       "t.yaml", test::shared_catalogue());
    return read ? std::string() : read.error().reason;
  };
  const std::string queue = "{name: q, quota: 'nvidia.com/gpu:4'}";
  EXPECT_EQ(error("{cluster_queues: [" + queue + "]}"), "");
  EXPECT_NE(error("{cluster_queues: [" + queue + "]}", "slurm").find("scheduler: kubernetes"),
            std::string::npos);
  EXPECT_NE(error("{cluster_queues: [" + queue + ", " + queue + "]}").find("'q' is there twice"),
            std::string::npos);
  EXPECT_NE(error("{cluster_queues: [{name: q}]}").find("'quota' is missing"), std::string::npos);
  EXPECT_NE(error("{cluster_queues: [{name: q, quota: 'cpu:4'}]}").find("nvidia.com/RESOURCE:N"),
            std::string::npos);
  EXPECT_NE(error("{version: v1}").find("version"), std::string::npos);
  EXPECT_NE(error("{work: [{name: w, queue: q, want: 'nvidia.com/gpu:0'}]}").find("asks for nothing"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::sim::kube
