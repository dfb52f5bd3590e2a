// Work that Kueue holds back on the simulated API server: handed in by the real kubectl, told by the real
// tessera; and what is told where Kueue cannot be asked.
#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

constexpr const char* kQueues = R"(
    kueue:
      cluster_queues:
        - {name: whole, flavor: h100, quota: "nvidia.com/gpu:2", preempts: true}
        - {name: closed, flavor: h100, quota: "nvidia.com/gpu:2", stopped: true}
      local_queues:
        - {name: team-a, namespace: training, cluster_queue: whole}
        - {name: closed, namespace: training, cluster_queue: closed}
)";

class KueueE2e : public KubeChangeLab {
 protected:
  void SetUp() override {
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    serve(kube_lab(folder_, kQueues));
  }

  // A Workload as Kueue makes it for a Job of that name. more: further lines of its spec; on: a node.
  void hand_in(const std::string& name, const std::string& queue, int gpus, const std::string& more = "",
               const std::string& on = "h2") {
    const std::string file = folder_.write(
        name + ".yaml",
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata:\n  name: job-" + name +
            "\n  namespace: training\n  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: " + name +
            ", uid: u-" + name + ", controller: true}]\nspec:\n  queueName: " + queue + "\n" + more +
            "  podSets:\n    - name: main\n      count: 1\n      template:\n        metadata: {}\n"
            "        spec:\n          restartPolicy: Never\n          nodeSelector: "
            "{kubernetes.io/hostname: " +
            on +
            "}\n          containers:\n            - {name: main, image: busybox, resources: {limits: "
            "{nvidia.com/gpu: " +
            std::to_string(gpus) + "}}}\n");
    kubectl({"create", "-f", file});
  }
  bool settles(const std::string& name, const std::string& condition) {
    return kubectl({"wait", "-n", "training", "workloads.kueue.x-k8s.io/job-" + name, "--for=" + condition,
                    "--timeout=60s"}) != "";
  }
  bool is_looked_at(const std::string& name) { return settles(name, "condition=QuotaReserved=false"); }
  std::string why(const std::string& called) {
    const Ran ran = run({"why", called, "-o", "json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    for (const std::string& wrong : check_schema(schema_text("why"), ran.out)) ADD_FAILURE() << wrong;
    EXPECT_EQ(json_at(ran.out, "/waits"), "true") << ran.out;
    return ran.out;
  }
  void expect_said(const std::string& called, const std::string& text) {
    const std::string said = why(called);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  }
  std::string waiting() {
    const Ran ran = run({"workloads", "-o", "csv", "--columns=kind,id,reason", "--no-headers"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }
};

TEST_F(KueueE2e, WhatWaitsForQuotaIsToldWithBothNumbersAndGoesOnceItIsAdmitted) {
  hand_in("first", "team-a", 2);
  ASSERT_TRUE(settles("first", "condition=Admitted"));
  hand_in("second", "team-a", 1);
  hand_in("large", "team-a", 4);
  ASSERT_TRUE(is_looked_at("second") && is_looked_at("large"));
  expect_said("training/job-second",
              "insufficient unused quota for nvidia.com/gpu in flavor h100, 1 more needed");
  expect_said("large", "current podset request (4) > maximum capacity (2)");
  EXPECT_EQ(waiting().find("job-first"), std::string::npos) << "its pod stands for it";
  EXPECT_NE(waiting().find("pod,training/first-main-0"), std::string::npos) << waiting();
  // What tessera says to type to learn more is there.
  EXPECT_NE(
      kubectl({"-n", "training", "describe", "workloads.kueue.x-k8s.io", "job-second"}).find("1 more needed"),
      std::string::npos);
  EXPECT_NE(kubectl({"-n", "training", "get", "localqueues.kueue.x-k8s.io"}).find("team-a"),
            std::string::npos);
  kubectl({"delete", "workloads.kueue.x-k8s.io", "-n", "training", "job-first"});
  ASSERT_TRUE(settles("second", "condition=Admitted"));
  EXPECT_EQ(waiting().find("job-second"), std::string::npos);
}

// The quota is raised only while it is the one that was read: a second time the printed command is refused.
TEST_F(KueueE2e, OnceTheNominalQuotaIsRaisedAsPrintedTheWorkStarts) {
  hand_in("first", "team-a", 2);
  ASSERT_TRUE(settles("first", "condition=Admitted"));
  hand_in("second", "team-a", 1, "", "t1");
  ASSERT_TRUE(is_looked_at("second"));
  const std::string said = why("training/job-second");
  const std::string command = command_of(said, "kubectl patch clusterqueues.kueue.x-k8s.io whole ");
  ASSERT_NE(command, "") << said;
  do_as_printed(command);
  ASSERT_TRUE(settles("second", "condition=Admitted"));
  EXPECT_NE(
      kubectl({"wait", "--for=condition=Ready", "pod/second-main-0", "-n", "training", "--timeout=60s"}), "");
  EXPECT_NE(run_printed(command).code, 0);
  EXPECT_NE(kubectl({"get", "clusterqueue", "whole", "-o", "json"}).find("\"nominalQuota\": \"3\""),
            std::string::npos);
}

TEST_F(KueueE2e, WhatNoQueueTakesIsToldWhy) {
  hand_in("paused", "team-a", 1, "  active: false\n");
  hand_in("late", "closed", 1);
  hand_in("lost", "team-x", 1);
  ASSERT_TRUE(is_looked_at("paused") && is_looked_at("late") && is_looked_at("lost"));
  const std::string paused = why("paused");
  EXPECT_EQ(text_at(paused, "/topic"), "held") << paused;
  EXPECT_NE(paused.find("it is deactivated in Kueue"), std::string::npos) << paused;
  expect_said("late", "ClusterQueue closed is inactive");
  expect_said("lost", "LocalQueue team-x doesn't exist");
  kubectl({"patch", "workloads.kueue.x-k8s.io", "-n", "training", "job-paused", "--type=merge", "-p",
           R"({"spec":{"active":true}})"});
  EXPECT_TRUE(settles("paused", "condition=Admitted"));
}

TEST_F(KueueE2e, WhatIsEvictedForMoreImportantWorkIsToldSo) {
  hand_in("low", "team-a", 2);
  ASSERT_TRUE(settles("low", "condition=Admitted"));
  hand_in("high", "team-a", 1, "  priority: 100\n");
  ASSERT_TRUE(settles("high", "condition=Admitted"));
  ASSERT_TRUE(settles("low", "condition=Requeued"));
  expect_said("low", "Preempted to accommodate a workload");
}

TEST_F(KueueE2e, APodBehindKueuesGateIsToldInTheWordsOfItsWorkload) {
  hand_in("first", "team-a", 2);
  ASSERT_TRUE(settles("first", "condition=Admitted"));
  kubectl({"create", "-f",
           folder_.write("pod.yaml",
                         "apiVersion: v1\nkind: Pod\nmetadata: {name: tune, namespace: training, labels: "
                         "{kueue.x-k8s.io/queue-name: team-a}}\nspec:\n  nodeSelector: "
                         "{kubernetes.io/hostname: h2}\n  containers:\n    - {name: main, image: busybox, "
                         "resources: {limits: {nvidia.com/gpu: 1}}}\n")});
  std::string said;
  for (int i = 0; i < 20 && said.find("1 more needed") == std::string::npos; ++i)
    said = why("training/tune");  // Kueue looks a second of its clock later
  EXPECT_NE(said.find("kueue.x-k8s.io/admission"), std::string::npos) << said;
  EXPECT_NE(said.find("1 more needed"), std::string::npos) << said;
  kubectl({"delete", "workloads.kueue.x-k8s.io", "-n", "training", "job-first"});
  EXPECT_NE(kubectl({"wait", "--for=condition=Ready", "pod/tune", "-n", "training", "--timeout=60s"}), "");
}

TEST_F(KueueE2e, WhereKueueCannotBeAskedNothingIsTakenForAdmitted) {
  hand_in("large", "team-a", 4);
  ASSERT_TRUE(is_looked_at("large"));
  const std::string list = " path=/apis/kueue.x-k8s.io/v1beta2/workloads times=always";
  for (const char* fault : {"status code=403", "error", "half", "garbage"}) {
    arm_fault(fault + list);
    const Ran ran = run({"doctor"});
    EXPECT_NE((ran.out + ran.err).find("which work waits until Kueue admits it is not reported"),
              std::string::npos)
        << fault << "\n"
        << ran.out << ran.err;
    EXPECT_NE(waiting().find("training/sft"), std::string::npos) << "pods are told as ever: " << fault;
    disarm_faults();
  }
  // Not installed is no fault.
  arm_fault("status code=404 path=/apis/kueue.x-k8s.io times=always");
  const Ran without = run({"doctor"});
  EXPECT_EQ((without.out + without.err).find("Kueue"), std::string::npos) << without.out << without.err;
  disarm_faults();
  EXPECT_NE(waiting().find("workload,training/job-large"), std::string::npos) << waiting();
}

TEST_F(KueueE2e, TheConsoleListsItUntilItIsAdmitted) {
  hand_in("large", "team-a", 4);
  ASSERT_TRUE(is_looked_at("large"));
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press(":workloads\r/job-large\r")) << pty.screen();
  EXPECT_TRUE(pty.wait_for("team-a: ")) << pty.screen();  // in the row or, where that is cut, below the list
  ASSERT_TRUE(pty.press("\r")) << pty.screen();
  EXPECT_TRUE(pty.wait_for("maximum capacity")) << pty.screen();
  kubectl(
      {"patch", "clusterqueue", "whole", "--type=json", "-p",
       R"([{"op":"replace","path":"/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota","value":"4"}])"});
  ASSERT_TRUE(settles("large", "condition=Admitted"));
  ASSERT_TRUE(pty.press(":workloads\r/large-main\r")) << pty.screen();
  EXPECT_TRUE(pty.wait_for("large-main-0")) << pty.screen();
}

}  // namespace
}  // namespace tessera::test
