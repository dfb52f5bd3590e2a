// Node pools of Alibaba Cloud ACK: shared by MPS and given back by one label, with the real kubectl in
// between.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

class KubeAck : public KubeChangeLab {
 protected:
  void SetUp() override {
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    serve_at(60);
  }
  void serve_at(double speed) {
    sim::kube::ServeOptions options = kube_lab(folder_);
    options.world.scenario = folder_.write("ack.yaml", R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: "a[1-2]", product: A10, gpus: 2, ack: np-7}
      - {names: b1, product: A10, gpus: 1, ack: np-8}
    jobs:
      - {name: sft, namespace: training, want: "nvidia.com/gpu:1", on: a1, runs: 9d, ran: 1h, does: training,
         restartable: false}
)");
    options.world.speed = speed;
    serve(std::move(options));
  }
  std::string mode(const std::string& node) {
    return told(node, ".metadata.labels.ack\\.node\\.gpu\\.schedule");
  }
  std::string memory(const std::string& node) {
    return told(node, ".status.allocatable.aliyun\\.com/gpu-mem");
  }
};

TEST_F(KubeAck, APoolIsSharedByMpsAsAWholeAndTakenBackByDefault) {
  KubeWords wish{"--strategy", "mps", "--way", "cancel", "--node"}, half = wish, pool = wish;
  half.emplace_back("a1");
  Ran refused = apply(half);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("ack-pool: the label ack.node.gpu.schedule belongs to pool np-7"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(told("a1", ".metadata.annotations"), "");

  pool.emplace_back("a[1-2]");
  Ran made = apply(pool);
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  for (const char* node : {"a1", "a2"}) {
    EXPECT_EQ(mode(node), "mps");
    EXPECT_EQ(memory(node), "44");
    EXPECT_EQ(offers(node, "gpu"), "0");
    expect_given_back(node);
  }

  // Work that holds a part of a GPU's memory is seen, and sent away by who says so.
  folder_.write("pod.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: infer, namespace: training}
spec:
  nodeSelector: {kubernetes.io/hostname: a2}
  containers: [{name: main, image: x, resources: {limits: {aliyun.com/gpu-mem: "8"}}}]
)");
  kubectl({"create", "-f", folder_.path() + "/pod.yaml"});
  kubectl({"wait", "--for=condition=Ready", "pod/infer", "--namespace", "training", "--timeout=60s"});
  Ran nodes = run({"nodes", "-o", "json"});
  EXPECT_EQ(json_at(nodes.out, "/1/shares_held"), "8") << nodes.out;
  KubeWords back{"--strategy", "none", "--way", "cancel", "--node", "a[1-2]"};
  Ran ended = apply(back);
  ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.err.find("evict training/infer"), std::string::npos) << ended.err;
  for (const char* node : {"a1", "a2"}) {
    EXPECT_EQ(mode(node), "default");
    EXPECT_EQ(memory(node), "0");
    EXPECT_EQ(offers(node, "gpu"), "2");
    expect_given_back(node);
  }
  // Undo of that is the way there.
  Ran undone = run({"undo", run_of(ended), "--write", "--yes", "-o", "json"});
  ASSERT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(mode("a1") + memory("a2"), "mps44");
}

// The label orders memory in parts until it says otherwise, whatever is offered yet.
TEST_F(KubeAck, AModeThatWasOrderedIsTakenBackByGoingBack) {
  serve_at(3);  // so that nothing of it is offered yet
  RunOptions options;
  options.signal_on_err = [](const std::string& err) {
    return err.find("wait until it is offered") != std::string::npos ? SIGKILL : 0;
  };
  apply({"--strategy", "mps", "--node", "b1"}, options);
  EXPECT_EQ(mode("b1"), "mps");
  Ran runs = run({"journal", "-o", "json"});
  std::string killed = json_at(runs.out, "/0/run");
  killed = killed.substr(1, killed.size() - 2);
  Ran back = run({"resume", killed, "--back", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(mode("b1") + offers("b1", "gpu"), "default1");
  expect_given_back("b1");
}

TEST_F(KubeAck, ALabelThatIsTakenOffIsNamedWithItsWayOut) {
  ASSERT_EQ(apply({"--strategy", "mps", "--node", "b1"}).code, 0);
  kubectl({"label", "node", "b1", "ack.node.gpu.schedule-"});
  Ran doctor = run({"doctor"});
  EXPECT_NE(doctor.out.find("ack.node.gpu.schedule is taken off"), std::string::npos) << doctor.out;
  EXPECT_NE(doctor.out.find("ack.node.gpu.schedule=default"), std::string::npos) << doctor.out;
  Ran plan = run({"plan", "--strategy", "none", "--node", "b1", "-o", "json"});  // no text is wrapped there
  EXPECT_EQ(plan.code, 1) << plan.out << plan.err;
  EXPECT_NE(plan.out.find("its label does not say in which of"), std::string::npos) << plan.out;
}

TEST_F(KubeAck, ANodeIsSharedByKeysAndTakenBack) {
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press("2/b1\rLp")) << pty.screen();
  for (int i = 0; i < 40 && under_cursor(pty).find("MPS") == std::string::npos; ++i)
    ASSERT_TRUE(pty.press("j"));
  ASSERT_TRUE(pty.press("\rP") && pty.wait_for("disturbs no workload")) << pty.screen();
  EXPECT_TRUE(pty.has("aliyun.com/gpu-mem")) << pty.screen();
  ASSERT_TRUE(arm(pty, "b1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  EXPECT_EQ(mode("b1") + memory("b1"), "mps22");
  ASSERT_TRUE(pty.press("z") && pty.wait_for("disturbs no workload")) << pty.screen();
  ASSERT_TRUE(arm(pty, "b1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE")) << pty.screen();
  EXPECT_EQ(mode("b1") + offers("b1", "gpu"), "default1");
}

}  // namespace
}  // namespace tessera::test
