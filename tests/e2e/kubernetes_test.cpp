// The whole way: a simulated API server, the real kubectl proxy in front of it, and the real tessera.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/files.hpp"
#include "backends/process.hpp"
#include "backends/sim/gpu_operator/serve.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

TimePoint wall() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

class KubernetesE2e : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    sim::kube::ServeOptions options;
    options.world.scenario = "kubernetes";
    options.world.speed = 0;
    options.world.wall = wall;
    options.users = *sim::kube::parse_user_ports("reader=0:get,list,watch:nodes,pods");
    options.kubeconfig = kubeconfig();
    auto server = sim::kube::Server::start(std::move(options));
    ASSERT_TRUE(server) << to_line(server.error());
    server_ = std::move(*server);
  }
  std::string kubeconfig() const { return folder_.path() + "/kubeconfig"; }

  Ran run(std::vector<std::string> arguments, RunOptions options = {}) {
    options.environment.insert(
        {{"PATH", std::getenv("PATH")}, {"HOME", folder_.path()}, {"TMPDIR", folder_.path()}});
    arguments.insert(arguments.end(), {"--kubeconfig", kubeconfig(), "--timeout", "120s"});
    return run_tessera(arguments, options);
  }
  // The entry of a list whose field has that value.
  static std::string row(const std::string& json, const std::string& key, const std::string& value) {
    for (std::size_t i = 0; i < json_size(json); ++i) {
      std::string at = "/" + std::to_string(i);
      if (json_at(json, at + "/" + key) == "\"" + value + "\"") return at;
    }
    return "/none";
  }

  Scratch folder_;
  std::unique_ptr<sim::kube::Server> server_;
};

TEST_F(KubernetesE2e, NodesAreRightFieldByField) {
  Ran ran = run({"nodes", "-o", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json_size(ran.out), 18u);
  auto at = [&](const std::string& node, const std::string& field) {
    return json_at(ran.out, row(ran.out, "name", node) + "/" + field);
  };
  EXPECT_EQ(at("whole-01", "scheduler"), "\"kubernetes\"");
  EXPECT_EQ(at("whole-01", "gpus"), "8");
  EXPECT_EQ(at("whole-01", "model"), "\"NVIDIA-H100-80GB-HBM3\"");
  EXPECT_EQ(at("whole-01", "slices_total"), "8");
  EXPECT_EQ(at("whole-01", "cpus"), "192");
  EXPECT_EQ(at("whole-01", "driver"), "\"570.124.06\"");
  EXPECT_EQ(at("mixed-01", "gpus"), "8");
  EXPECT_EQ(at("mixed-01", "slices_total"), "32");  // 2×1g, 2g and 3g on each
  EXPECT_EQ(at("single-01", "gpus"), "4");
  EXPECT_EQ(at("single-01", "slices_total"), "28");
  EXPECT_EQ(at("ts-01", "gpus"), "4");
  EXPECT_EQ(at("mps-01", "model"), "\"NVIDIA-L40S\"");
  EXPECT_EQ(at("broken-01", "health"), "\"invalid\"");
}

TEST_F(KubernetesE2e, GpusAndPodsTellTheSameAsTheWorld) {
  Ran gpus = run({"gpus", "-o", "json", "--filter", "node=ts-01"});
  ASSERT_EQ(gpus.code, 0) << gpus.err;
  ASSERT_EQ(json_size(gpus.out), 4u);
  EXPECT_EQ(json_at(gpus.out, "/0/sharing/strategy"), "\"time-slicing\"");
  EXPECT_EQ(json_at(gpus.out, "/0/sharing/replicas"), "4");
  EXPECT_EQ(json_at(gpus.out, "/0/product"), "\"T4\"");
  Ran seen = run({"workloads", "-o", "json"});
  ASSERT_EQ(seen.code, 0) << seen.err;
  RunOptions plain;
  plain.environment = {{"HOME", folder_.path()}};
  Ran world = run_tessera({"workloads", "--sim=kubernetes", "--sim-speed", "0", "-o", "json"}, plain);
  ASSERT_EQ(world.code, 0) << world.err;
  EXPECT_EQ(json_size(seen.out), json_size(world.out));
}

TEST_F(KubernetesE2e, TheExportersTellWhatEachSliceIsUsedForAndByWhom) {
  Ran ran = run({"slices", "-o", "json", "--filter", "node=mixed-01"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const std::string& wrong : check_schema(schema_text("slices"), ran.out)) ADD_FAILURE() << wrong;
  ASSERT_EQ(json_size(ran.out), 32u);
  int held = 0, busy = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    std::string at = "/" + std::to_string(i);
    EXPECT_NE(json_at(ran.out, at + "/use_percent"), "null") << at;
    EXPECT_NE(json_at(ran.out, at + "/memory_used_mib"), "null") << at;
    EXPECT_NE(json_at(ran.out, at + "/gpu"), "null") << at;
    EXPECT_EQ(json_at(ran.out, at + "/exact"), "true") << at;
    EXPECT_NE(json_at(ran.out, at + "/state"), "\"unknown\"") << at;
    if (json_at(ran.out, at + "/state") != "\"held\"") continue;
    ++held;
    EXPECT_EQ(json_at(ran.out, at + "/holders/0/kind"), "\"pod\"") << at;
    busy += json_at(ran.out, at + "/memory_used_mib") != "0";
  }
  EXPECT_GT(held, 0);
  EXPECT_GT(busy, 0);
  Ran boards = run({"gpus", "-o", "json", "--filter", "node=whole-01"});
  EXPECT_NE(json_at(boards.out, "/0/telemetry/use_percent"), "null") << boards.out;
  EXPECT_NE(json_at(boards.out, "/0/telemetry/power_watts"), "null");
  EXPECT_EQ(json_at(boards.out, "/0/uuid").substr(0, 5), "\"GPU-");
}

TEST_F(KubernetesE2e, WhatAReaderMayNotAskIsSaidAndTheRestIsShown) {
  Ran ran = run({"doctor", "--context", "train-a-reader"});
  for (const char* missing : {"get pods/proxy in namespace gpu-operator", "list poddisruptionbudgets.policy",
                              "list events", "tessera doctor --rbac"})
    EXPECT_NE(ran.out.find(missing), std::string::npos) << missing << "\n" << ran.out;
  Ran nodes = run({"nodes", "-o", "json", "--context", "train-a-reader"});
  EXPECT_EQ(json_size(nodes.out), 18u);
}

// Killed, tessera cleans up nothing: its kubectl must end all the same, and the next start tidies up.
TEST_F(KubernetesE2e, NothingStaysBehindATesseraThatIsKilled) {
  std::string wrapper =
      folder_.write("bin/kubectl", "#!/bin/sh\necho $$ >> " + folder_.path() + "/pids\nexec " +
                                       *find_program("kubectl") + " \"$@\"\n");
  std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
  RunOptions options;
  options.environment = {{"PATH", folder_.path() + "/bin:" + std::getenv("PATH")}};
  pid_t kubectl = 0;
  options.signal = [&](const std::string& out) {
    if (out.find("whole-01") == std::string::npos) return 0;
    std::ifstream(folder_.path() + "/pids") >> kubectl;
    return SIGKILL;
  };
  auto folders = [&] {
    auto list = std::filesystem::directory_iterator(folder_.path());
    return std::count_if(begin(list), end(list), [](const auto& entry) {
      return entry.path().filename().string().starts_with("tessera-");
    });
  };
  Ran killed = run({"nodes", "--watch"}, options);
  EXPECT_EQ(killed.code, 128 + SIGKILL) << killed.err;
  ASSERT_GT(kubectl, 0);
  // It is no child of this process, so that it cannot be waited for: a descriptor reports its end.
  Descriptor end_of(static_cast<int>(::syscall(SYS_pidfd_open, kubectl, 0)));
  if (end_of.ok()) {
    pollfd one{end_of.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&one, 1, 20000), 1) << "kubectl proxy outlives a tessera that was killed";
  }
  EXPECT_EQ(folders(), 1) << "its folder is still there";
  EXPECT_EQ(run({"nodes"}).code, 0);
  EXPECT_EQ(folders(), 0);
}

TEST_F(KubernetesE2e, TheDoctorFindsTheNodeThatIsInvalid) {
  Ran ran = run({"doctor", "-o", "json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  for (const std::string& wrong : check_schema(schema_text("doctor"), ran.out)) ADD_FAILURE() << wrong;
  EXPECT_NE(ran.out.find("MIG-INVALID"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("broken-01"), std::string::npos);
}

TEST_F(KubernetesE2e, AnUnknownContextIsRefusedWithThoseThatAreKnown) {
  Ran ran = run({"nodes", "--context", "nowhere"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("no such context"), std::string::npos) << ran.err;
}

TEST_F(KubernetesE2e, AServerThatIsGoneIsSaidInKubectlsWords) {
  server_.reset();
  Ran ran = run({"nodes"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("the API server does not answer"), std::string::npos) << ran.err;
}

TEST(Doctor, TheRoleIsPrintedWithoutACluster) {
  Ran read = run_tessera({"doctor", "--rbac"});
  EXPECT_EQ(read.code, 0);
  EXPECT_NE(read.out.find("kind: ClusterRole\n"), std::string::npos);
  EXPECT_EQ(read.out.find("patch"), std::string::npos);
  for (const char* rule : {"[pods/proxy]", "[poddisruptionbudgets]", "[events]",
                           "[resourceslices, resourceclaims, devicetaintrules]"})
    EXPECT_NE(read.out.find(rule), std::string::npos) << rule;
  Ran write = run_tessera({"doctor", "--rbac", "--write"});
  EXPECT_NE(write.out.find("pods/eviction"), std::string::npos);
  EXPECT_NE(write.out.find("for\n# `tessera node restart-plugin`"), std::string::npos);
}

// Both roles were called tessera, so that the second took the place of the first; namespace and group were
// fixed.
TEST(Doctor, TheRolesHaveTheirOwnNamesAndGoWhereTheyAreWanted) {
  Ran read = run_tessera(
      {"doctor", "--rbac", "--operator-namespace", "nvidia-gpu-operator", "--group", "hpc: team #1"});
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_NE(read.out.find("namespace: nvidia-gpu-operator\n"), std::string::npos);
  EXPECT_EQ(read.out.find("namespace: gpu-operator\n"), std::string::npos);
  EXPECT_NE(read.out.find("name: \"hpc: team #1\"\n"), std::string::npos);
  EXPECT_NE(read.out.find("name: tessera-view\n"), std::string::npos);
  EXPECT_EQ(read.out.find('@'), std::string::npos);
  Ran write = run_tessera({"doctor", "--rbac", "--write"});
  EXPECT_NE(write.out.find("name: tessera-change\n"), std::string::npos);
  EXPECT_EQ(write.out.find("tessera-view"), std::string::npos);
  EXPECT_EQ(run_tessera({"doctor", "--rbac", "--operator-namespace", "a b"}).code, 2);
}

}  // namespace
}  // namespace tessera::test
