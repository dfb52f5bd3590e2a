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
  void make_pod(const std::string& name, int gpus, const std::string& group = "",
                const std::string& own_gate = "") {
    Json limits = object({{"nvidia.com/gpu", number(gpus)}});
    Json pod = object({{"kind", text("Pod")}, {"apiVersion", text("v1")}, {"metadata", Json::map()}});
    put_at(pod, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}, text("team-ml"));
    if (!group.empty()) {
      put_at(pod, {"metadata", "labels", "kueue.x-k8s.io/pod-group-name"}, text(group));
      put_at(pod, {"metadata", "annotations", "kueue.x-k8s.io/pod-group-total-count"}, text("3"));
    }
    put_at(pod, {"spec", "containers"},
           list_of({object({{"name", text("main")}, {"resources", object({{"limits", limits}})}})}));
    if (!own_gate.empty())
      put_at(pod, {"spec", "schedulingGates"}, list_of({object({{"name", text(own_gate)}})}));
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

TEST_F(SimulatedKueue, WithQuotaItWaitsForTheChecksOfItsQueue) {
  ObjectStore& objects = cluster_.objects();
  const Key whole{std::string(kClusterQueues), "", "whole"}, check{std::string(kAdmissionChecks), "", "prov"};
  objects.edit(whole, [](Json& one) {
    put_at(one, {"spec", "admissionChecksStrategy", "admissionChecks"},
           list_of({object({{"name", text("prov")}})}));
  });
  objects.erase(key_of("sweep"));
  pass();
  EXPECT_EQ(text_at(*condition_of(*objects.find(whole), "Active"), {"message"}),
            "Can't admit new workloads: references missing AdmissionCheck(s): prov.");
  objects.create(check, object({{"kind", text("AdmissionCheck")}, {"metadata", Json::map()}}));
  pass();
  EXPECT_EQ(waits("eval", "Admitted"), "UnsatisfiedChecks: The workload has not all checks ready");
  EXPECT_EQ(phase("eval-main-0"), "none");
  const Key local{std::string(kLocalQueues), "training", "team-ml"};
  EXPECT_EQ(number_at(*objects.find(local), {"status", "reservingWorkloads"}), 2) << "sft and eval";
  EXPECT_EQ(number_at(*objects.find(local), {"status", "admittedWorkloads"}), 1);
  const auto tell = [&](const char* state) {
    objects.edit(key_of("eval"), [&](Json& one) {
      put_at(one, {"status", "admissionChecks"},
             list_of({object({{"name", text("prov")}, {"state", text(state)}})}));
    });
    pass();
  };
  tell("Retry");
  EXPECT_EQ(waits("eval", "Admitted"), "UnsatisfiedChecks: The workload has not all checks ready")
      << "evicted, and with quota again";
  tell("Ready");
  EXPECT_TRUE(admitted("eval"));
  EXPECT_EQ(phase("eval-main-0"), "Running");
  EXPECT_TRUE(admitted("sft")) << "what was admitted before asks no check";
}

TEST_F(SimulatedKueue, ACheckThatIsRefusedDeactivatesItsWork) {
  ObjectStore& objects = cluster_.objects();
  objects.create({std::string(kAdmissionChecks), "", "prov"},
                 object({{"kind", text("AdmissionCheck")}, {"metadata", Json::map()}}));
  objects.edit({std::string(kClusterQueues), "", "whole"}, [](Json& one) {
    put_at(one, {"spec", "admissionChecksStrategy", "admissionChecks"},
           list_of({object({{"name", text("prov")}})}));
  });
  objects.erase(key_of("sweep"));
  pass();
  objects.edit(key_of("eval"), [](Json& one) {
    put_at(one, {"status", "admissionChecks"},
           list_of({object({{"name", text("prov")}, {"state", text("Rejected")}})}));
  });
  pass();
  EXPECT_FALSE(flag_at(*work("eval"), {"spec", "active"}));
  EXPECT_TRUE(waits("eval", "Evicted").starts_with("+Deactivated")) << waits("eval", "Evicted");
}

TEST_F(SimulatedKueue, AQueueBorrowsWhatItsCohortDoesNotUse) {
  ObjectStore& objects = cluster_.objects();
  EXPECT_TRUE(waits("pretrain").ends_with("> maximum capacity (6)")) << waits("pretrain");
  for (const char* queue : {"whole", "closed"})
    objects.edit({std::string(kClusterQueues), "", queue}, [](Json& one) {
      put_at(one, {"spec", "cohortName"}, text("ml"));
    });
  pass();
  EXPECT_TRUE(admitted("eval")) << "with the two GPUs of the queue that is closed";
  EXPECT_TRUE(waits("pretrain").ends_with("8 more needed")) << waits("pretrain");
}

TEST(SimulatedKueueQuota, IsBorrowedUpToTheLimit) {
  const auto queue = [](const char* limit) {
    Json gpu = object({{"name", text("nvidia.com/gpu")}, {"nominalQuota", text("4")}});
    if (*limit != '\0') put(gpu, "borrowingLimit", text(limit));
    Json one = object({{"kind", text("ClusterQueue")}});
    put_at(one, {"spec", "cohort"}, text("ml"));
    put_at(one, {"spec", "resourceGroups"},
           list_of({object({{"coveredResources", list_of({text("nvidia.com/gpu")})},
                            {"flavors", list_of({object({{"name", text("h100")},
                                                         {"resources", list_of({std::move(gpu)})}})})}})}));
    return one;
  };
  const std::pair<std::string, std::string> gpus{"h100", "nvidia.com/gpu"};
  const Cohort all{{{gpus, 12}}, {{gpus, 5}}};
  const Usage own{{gpus, 3}};
  const auto why = [&](const char* limit, std::int64_t asks) {
    return fit(queue(limit), own, {{"main", 1, {{"nvidia.com/gpu", asks}}}}, &all).why;
  };
  EXPECT_EQ(cohort_of(queue("")), "ml");
  EXPECT_EQ(why("", 7), "") << "twelve, of which five are used";
  EXPECT_NE(why("", 8).find("1 more needed"), std::string::npos) << why("", 8);
  EXPECT_EQ(why("2", 3), "");
  EXPECT_NE(why("2", 4).find("1 more needed"), std::string::npos) << why("2", 4);
  EXPECT_NE(why("2", 7).find("maximum capacity (6)"), std::string::npos) << why("2", 7);
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

// They were written over by Kueue's, and the pod started when that went.
TEST_F(SimulatedKueue, APodsOwnSchedulingGatesStayBesideKueues) {
  cluster_.objects().erase(key_of("eval"));
  cluster_.objects().erase(key_of("sweep"));
  pass();
  make_pod("tune", 1, "", "example.com/data-is-there");
  const Key key{"pods", "training", "tune"};
  const auto gates = [&] {
    std::string names;
    if (const Json* all = at(*cluster_.objects().find(key), {"spec", "schedulingGates"}))
      for (const Json& one : all->items) names += text_at(one, {"name"}) + " ";
    return names;
  };
  EXPECT_EQ(gates(), "example.com/data-is-there kueue.x-k8s.io/admission ");
  pass();
  EXPECT_TRUE(admitted("tune"));
  EXPECT_EQ(gates(), "example.com/data-is-there ");
  EXPECT_EQ(phase("tune"), "Pending");
  EXPECT_TRUE(cluster_.open_gate(key, "example.com/data-is-there").ok());
  pass();
  EXPECT_EQ(gates(), "");
  EXPECT_EQ(phase("tune"), "Running");
}

TEST_F(SimulatedKueue, AJobIsSuspendedUntilItsWorkloadIsAdmitted) {
  const Key key{std::string(kJobs), "training", "bert"};
  Json limits = object({{"nvidia.com/gpu", number(1)}});
  Json job = object({{"kind", text("Job")}, {"apiVersion", text("batch/v1")}, {"metadata", Json::map()}});
  put_at(job, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}, text("team-ml"));
  put_at(job, {"spec", "parallelism"}, number(2));
  put_at(job, {"spec", "template", "spec", "containers"},
         list_of({object({{"name", text("main")}, {"resources", object({{"limits", limits}})}})}));
  put_at(job, {"metadata", "name"}, text("bert"));
  put_at(job, {"metadata", "namespace"}, text("training"));
  cluster_.objects().create(key, std::move(job));
  cluster_.objects().erase(key_of("eval"));
  pass();
  EXPECT_TRUE(flag_at(*cluster_.objects().find(key), {"spec", "suspend"}));
  EXPECT_TRUE(waits("bert").ends_with("2 more needed")) << waits("bert");
  EXPECT_EQ(phase("bert-main-0"), "none");
  cluster_.objects().erase(key_of("sweep"));
  pass();
  EXPECT_TRUE(admitted("bert"));
  EXPECT_FALSE(flag_at(*cluster_.objects().find(key), {"spec", "suspend"}));
  EXPECT_EQ(number_at(*cluster_.objects().find(key), {"status", "active"}), 2);
  EXPECT_EQ(phase("bert-main-0") + phase("bert-main-1"), "RunningRunning");
  const Key workload = key_of("bert");
  cluster_.objects().erase(key);
  pass();
  EXPECT_FALSE(cluster_.objects().find(workload));
  EXPECT_EQ(phase("bert-main-0"), "none");
}

TEST_F(SimulatedKueue, AGroupOfPodsIsAdmittedAsOneOnceAllAreThere) {
  const auto count_of = [&](const char* group) {
    const ObjectPtr one = cluster_.objects().find({std::string(kWorkloads), "training", group});
    return one ? at(*one, {"spec", "podSets"})->items.size() : 0;
  };
  cluster_.objects().erase(key_of("eval"));
  make_pod("gang-0", 1, "gang");
  make_pod("gang-1", 1, "gang");
  pass();
  EXPECT_EQ(count_of("gang"), 0u) << "the third is not there yet";
  make_pod("gang-2", 2, "gang");
  pass();
  EXPECT_EQ(count_of("gang"), 2u) << "two pods with a GPU each, and one with two";
  EXPECT_EQ(phase("gang-0"), "Pending");
  EXPECT_TRUE(waits("gang-0").ends_with("2 more needed")) << waits("gang-0");
  cluster_.objects().erase(key_of("sweep"));
  pass();
  EXPECT_EQ(phase("gang-0"), "Pending") << "there is room for some of them, and they start together";
  cluster_.objects().erase(key_of("sft"));
  pass();
  for (const char* pod : {"gang-0", "gang-1", "gang-2"}) EXPECT_EQ(phase(pod), "Running") << pod;
  EXPECT_TRUE(cluster_.delete_pod({"pods", "training", "gang-0"}, Duration(0)).ok());
  pass();
  EXPECT_EQ(count_of("gang"), 2u) << "the others still run";
  for (const char* pod : {"gang-1", "gang-2"})
    EXPECT_TRUE(cluster_.delete_pod({"pods", "training", pod}, Duration(0)).ok());
  pass();
  EXPECT_EQ(count_of("gang"), 0u);
}

// A gate of the pod's own held nothing back, in a cluster without Kueue either.
TEST_F(SimulatedKueue, APodOfNoQueueStartsOnceTheLastOfItsGatesIsTakenAway) {
  cluster_.objects().erase(key_of("eval"));
  cluster_.objects().erase(key_of("sweep"));
  pass();
  const Key key{"pods", "training", "notebook"};
  Json pod = object({{"kind", text("Pod")}, {"apiVersion", text("v1")}, {"metadata", Json::map()}});
  put_at(pod, {"spec", "containers"},
         list_of({object({{"name", text("main")},
                          {"resources", object({{"limits", object({{"nvidia.com/gpu", number(1)}})}})}})}));
  put_at(pod, {"spec", "schedulingGates"},
         list_of({object({{"name", text("example.com/data")}}), object({{"name", text("example.com/ok")}})}));
  EXPECT_TRUE(cluster_.create_pod(key, std::move(pod)).ok());
  const auto take_first = [&] {
    cluster_.objects().edit(key, [](Json& one) {
      std::vector<Json>& gates = member(child(one, "spec"), "schedulingGates")->items;
      gates.erase(gates.begin());
    });
    pass();
  };
  EXPECT_EQ(phase("notebook"), "Pending");
  take_first();
  EXPECT_EQ(phase("notebook"), "Pending") << "one is left";
  take_first();
  EXPECT_EQ(phase("notebook"), "Running");
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
  EXPECT_EQ(
      error("{cluster_queues: [{name: q, quota: 'nvidia.com/gpu:4', cohort: c, borrows: 2, checks: x}]}"),
      "");
  EXPECT_NE(error("{cluster_queues: [{name: q, quota: 'nvidia.com/gpu:4', borrows: 2}]}").find("'cohort'"),
            std::string::npos);
  EXPECT_NE(error("{work: [{name: w, queue: q, want: 'nvidia.com/gpu:0'}]}").find("asks for nothing"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::sim::kube
