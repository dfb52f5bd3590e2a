// Changing nodes through the GPU operator, the whole way: the real tessera, the real kubectl proxy, and a
// simulated API server with the operator behind it, whose clock runs sixty times as fast. What waits by
// tessera's own clock (a new file that pods take up in two minutes, a manager that hangs for five) is told in
// tests/backends/kubernetes/change_test.cpp.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "backends/process.hpp"
#include "backends/sim/kube/serve.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kPlace = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: "h[1-2]", product: H100-80GB-SXM5, gpus: 2, driver: 570.124.06}
      - {names: t1, product: T4, gpus: 4, driver: 535.183.06}
    jobs:
      - {name: sft, namespace: training, want: "nvidia.com/gpu:2", on: h1, runs: 9d, ran: 1h, does: training}
)";

class KubeChangeE2e : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    sim::kube::ServeOptions options;
    options.world.scenario = folder_.write("lab.yaml", kPlace);
    options.world.speed = 60;
    options.world.wall = [] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); };
    options.kubeconfig = folder_.path() + "/kubeconfig";
    auto server = sim::kube::Server::start(std::move(options));
    ASSERT_TRUE(server) << to_line(server.error());
    server_ = std::move(*server);
  }
  Ran run(Words words) {
    RunOptions options;
    options.environment = {{"PATH", std::getenv("PATH")},
                           {"HOME", folder_.path()},
                           {"TMPDIR", folder_.path()},
                           {"XDG_STATE_HOME", folder_.path() + "/state"}};
    options.deadline_seconds = 120;
    words.insert(words.end(), {"--kubeconfig", folder_.path() + "/kubeconfig", "--timeout", "40s"});
    return run_tessera(words, options);
  }
  Ran apply(Words words) {
    words.insert(words.begin(), "apply");
    words.insert(words.end(), {"--write", "--yes", "-o", "json"});
    return run(words);
  }
  // What kubectl itself says of a node.
  std::string told(const std::string& node, const std::string& path) {
    RunOptions options;
    options.program = *find_program("kubectl");
    options.environment = {{"PATH", std::getenv("PATH")}, {"HOME", folder_.path()}};
    Ran ran = run_tessera({"--kubeconfig", folder_.path() + "/kubeconfig", "get", "node", node, "-o",
                           "jsonpath={" + path + "}"},
                          options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }

  Scratch folder_;
  std::unique_ptr<sim::kube::Server> server_;
};

TEST_F(KubeChangeE2e, ANodeIsCutAndTakenBack) {
  Ran plan = run({"plan", "--node", "h2", "--preset", "all-1g.10gb", "-o", "json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_EQ(json_at(plan.out, "/needs/drain"), "true");
  EXPECT_NE(plan.out.find("kubectl label node h2 --overwrite nvidia.com/mig.config=all-1g.10gb"),
            std::string::npos)
      << plan.out;
  Ran cut = apply({"--node", "h2", "--preset", "all-1g.10gb"});
  ASSERT_EQ(cut.code, 0) << cut.out << cut.err;
  EXPECT_EQ(json_at(cut.out, "/outcome"), "\"wanted\"");
  EXPECT_EQ(told("h2", ".status.allocatable.nvidia\\.com/mig-1g\\.10gb"), "14");
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "") << "the cordon was ours, and is taken off";
  EXPECT_EQ(told("h2", ".metadata.annotations.tessera/run"), "");
  EXPECT_EQ(told("h1", ".status.allocatable.nvidia\\.com/gpu"), "2") << "its neighbour is left alone";
  std::string done = json_at(cut.out, "/run");
  Ran undone = run({"undo", done.substr(1, done.size() - 2), "--write", "--yes", "-o", "json"});
  ASSERT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(told("h2", ".status.allocatable.nvidia\\.com/gpu"), "2");
}

TEST_F(KubeChangeE2e, WithoutWriteNothingIsChanged) {
  Ran refused = run({"apply", "--node", "h2", "--preset", "all-1g.10gb", "--yes"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("--write"), std::string::npos) << refused.err;
  EXPECT_EQ(told("h2", ".status.allocatable.nvidia\\.com/gpu"), "2");
}

TEST_F(KubeChangeE2e, AFileThatIsChangedBetweenPlanAndApplyIsRefused) {
  Ran plan = run({"plan", "--node", "h2", "--preset", "all-1g.10gb", "-o", "json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  std::string file = folder_.write("plan.json", plan.out);
  ASSERT_EQ(apply({"--node", "h2", "--preset", "all-balanced"}).code, 0);
  Ran late = apply({file});
  EXPECT_EQ(late.code, 1) << late.out << late.err;
}

}  // namespace
}  // namespace tessera::test
