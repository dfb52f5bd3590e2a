// The simulated operator as an admin meets it: real kubectl against the simulated API server, which runs
// fast.
#include <signal.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "tests/backends/sim/worlds.hpp"
#include "tests/support/kube_lab.hpp"

namespace tessera::sim::kube {
namespace {

constexpr const char* kKubectl = "/usr/bin/kubectl";

class WithKubectl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access(kKubectl, X_OK) != 0) GTEST_SKIP() << "no kubectl here";
    ServeOptions options = test::kube_lab(folder);
    Result<std::unique_ptr<Server>> started = Server::start(options);
    ASSERT_TRUE(started.ok()) << to_line(started.error());
    server = std::move(*started);
  }

  test::RunOptions environment() {
    test::RunOptions options;
    options.program = kKubectl;
    options.environment = {{"KUBECONFIG", folder.path() + "/kubeconfig"}, {"HOME", folder.path()}};
    return options;
  }
  std::string kubectl(std::vector<std::string> words, const std::string& input = "") {
    test::RunOptions options = environment();
    options.input = input;
    test::Ran ran = test::run_tessera(words, options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out + ran.err;
  }
  std::string of_node(const std::string& node, const std::string& path) {
    return kubectl({"get", "node", node, "-o", "jsonpath={" + path + "}"});
  }
  std::string allocatable(const std::string& node, const std::string& resource) {
    return of_node(node, ".status.allocatable.nvidia\\.com/" + resource);
  }
  void wait_for(const std::string& node, const std::string& path, const std::string& value) {
    kubectl({"wait", "node/" + node, "--for=jsonpath={" + path + "}=" + value, "--timeout=60s"});
  }
  static std::string label(const std::string& name) { return ".metadata.labels.nvidia\\.com/" + name; }

  test::Scratch folder;
  std::unique_ptr<Server> server;
};

TEST_F(WithKubectl, CutsANodeByItsLabel) {
  EXPECT_EQ(allocatable("h2", "gpu"), "2");
  EXPECT_EQ(of_node("h2", label("gpu\\.product")), "NVIDIA-H100-80GB-HBM3");
  // A colleague watches meanwhile, until it is over.
  std::promise<void> watching;
  std::string seen;
  std::thread colleague([&] {
    test::RunOptions options = environment();
    options.signal = [&, told = false](const std::string& out) mutable {
      if (!out.empty() && !std::exchange(told, true)) watching.set_value();
      std::size_t pending = out.find("pending");
      return pending != std::string::npos && out.find("success", pending) != std::string::npos ? SIGINT : 0;
    };
    seen = test::run_tessera({"get", "node", "h2", "--watch", "--no-headers", "-o",
                              R"(custom-columns=S:.metadata.labels.nvidia\.com/mig\.config\.state,)"
                              R"(P:.metadata.labels.nvidia\.com/gpu\.deploy\.device-plugin)"},
                             options)
               .out;
  });
  watching.get_future().wait_for(std::chrono::seconds(30));
  kubectl({"label", "node", "h2", "nvidia.com/mig.config=all-1g.10gb", "--overwrite"});
  wait_for("h2", ".status.allocatable.nvidia\\.com/mig-1g\\.10gb", "14");
  wait_for("h2", label("mig-1g\\.10gb\\.count"), "14");
  colleague.join();
  std::size_t paused = seen.find("paused-for-mig-change");
  EXPECT_NE(paused, std::string::npos) << seen;
  EXPECT_LT(seen.find("pending"), seen.find("success   true", paused)) << seen;
  EXPECT_EQ(allocatable("h2", "gpu"), "0");
  std::string log = kubectl({"logs", "-n", "gpu-operator", "-l", "app=nvidia-mig-manager", "--tail=-1"});
  EXPECT_NE(log.find("Updating to MIG config: all-1g.10gb"), std::string::npos) << log;
}

TEST_F(WithKubectl, FailsWhileUsersHoldTheBoardsAndSucceedsWhenDrained) {
  kubectl({"label", "node", "h1", "nvidia.com/mig.config=all-balanced", "--overwrite"});
  wait_for("h1", label("mig\\.config\\.state"), "failed");
  EXPECT_NE(kubectl({"get", "pods", "-n", "training"}).find("Running"), std::string::npos)
      << "no pod is evicted";
  kubectl({"drain", "h1", "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s"});
  kubectl({"label", "node", "h1", "nvidia.com/mig.config=all-disabled", "--overwrite"});
  wait_for("h1", label("mig\\.config\\.state"), "success");
  kubectl({"label", "node", "h1", "nvidia.com/mig.config=all-balanced", "--overwrite"});
  wait_for("h1", ".status.allocatable.nvidia\\.com/mig-3g\\.40gb", "2");
  EXPECT_EQ(of_node("h1", ".spec.unschedulable"), "true") << "the cordon is the admin's";
  kubectl({"uncordon", "h1"});
  // What the validator has left on the node is not in the way.
  kubectl({"drain", "h1", "--ignore-daemonsets", "--timeout=60s"});
}

TEST_F(WithKubectl, SharesByTimeSlices) {
  kubectl(
      {"patch", "configmap", "device-plugin-config", "-n", "gpu-operator", "--type=merge", "-p",
       R"({"data": {"ts4": "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"}})"});
  kubectl({"label", "node", "t1", "nvidia.com/device-plugin.config=ts4"});
  wait_for("t1", ".status.allocatable.nvidia\\.com/gpu", "16");
  wait_for("t1", label("gpu\\.product"), "Tesla-T4-SHARED");
  EXPECT_EQ(of_node("t1", label("gpu\\.replicas")), "4");
}

TEST_F(WithKubectl, StaysWedgedUntilTheLabelIsAnother) {
  auto post = [&](const std::string& where, const std::string& what) {
    return kubectl({"create", "--raw", "/tessera/" + where, "-f", "-"}, what);
  };
  EXPECT_NE(post("faults", "wedges node=h2").find("armed wedges node=h2"), std::string::npos);
  kubectl({"label", "node", "h2", "nvidia.com/mig.config=all-2g.20gb", "--overwrite"});
  post("advance", "20m");
  EXPECT_EQ(of_node("h2", label("mig\\.config\\.state")), "pending");
  EXPECT_EQ(of_node("h2", label("gpu\\.deploy\\.device-plugin")), "paused-for-mig-change");
  EXPECT_EQ(allocatable("h2", "gpu"), "0");
  kubectl({"label", "node", "h2", "nvidia.com/mig.config=all-balanced", "--overwrite"});
  post("advance", "3m");
  EXPECT_EQ(of_node("h2", label("mig\\.config\\.state")), "success");
  EXPECT_EQ(allocatable("h2", "mig-3g\\.40gb"), "2");
}

TEST_F(WithKubectl, ReadsTheExporterThroughTheProxy) {
  std::string pod =
      kubectl({"get", "pods", "-n", "gpu-operator", "-l", "app=nvidia-dcgm-exporter",
               "--field-selector=spec.nodeName=h1", "-o", "jsonpath={.items[0].metadata.name}"});
  std::string text =
      kubectl({"get", "--raw", "/api/v1/namespaces/gpu-operator/pods/" + pod + ":9400/proxy/metrics"});
  EXPECT_NE(text.find("DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\""), std::string::npos) << text.substr(0, 400);
  EXPECT_NE(text.find("namespace=\"training\""), std::string::npos);
}

}  // namespace
}  // namespace tessera::sim::kube
