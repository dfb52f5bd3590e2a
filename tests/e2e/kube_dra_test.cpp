// GPUs that a DRA driver hands out, the whole way: a simulated API server of Kubernetes 1.34 with devices and
// claims, the real kubectl and its proxy, and the real tessera.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/process.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/kube_lab.hpp"
#include "tests/support/pty.hpp"

namespace tessera::test {
namespace kube_dra_test {

constexpr const char* kDraLab = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    version: kubernetes v1.34.2
    users: [ann]
    nodes:
      - {names: d1, product: H100-80GB-SXM5, gpus: 2, layouts: [whole, all-balanced], dra: true, driver: 580.65.06}
      - {names: h1, product: H100-80GB-SXM5, gpus: 1, driver: 580.65.06}
    jobs:
      - {name: sft, namespace: training, want: "gpu.nvidia.com", on: d1/gpu0, runs: 9d, ran: 1h, does: training}
      - {name: infer, namespace: serving, want: "mig.nvidia.com/3g.40gb", on: d1/gpu1, runs: 9d, ran: 1h, does: inference}
      - {name: wide, namespace: training, want: "gpu.nvidia.com:2", runs: 9d, does: training}
)";

// Both GPUs are held, and a pod waits for one.
constexpr const char* kFullDraLab = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    version: kubernetes v1.34.2
    users: [ann]
    nodes:
      - {names: d1, product: H100-80GB-SXM5, gpus: 2, dra: true, driver: 580.65.06}
    jobs:
      - {name: sft, namespace: training, want: "gpu.nvidia.com:2", on: d1, runs: 9d, ran: 1h, does: training}
      - {name: small, namespace: training, want: "gpu.nvidia.com", runs: 9d, does: training}
)";

class KubeDraE2e : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    serve(kDraLab);
  }
  void serve(const char* lab) {
    server_.reset();
    sim::kube::ServeOptions options = kube_lab(folder_);
    options.world.scenario = folder_.write("dra.yaml", lab);
    options.world.speed = 0;
    auto server = sim::kube::Server::start(std::move(options));
    ASSERT_TRUE(server) << to_line(server.error());
    server_ = std::move(*server);
  }
  std::string kubeconfig() const { return folder_.path() + "/kubeconfig"; }
  std::map<std::string, std::string> dra_environment() const {
    return {{"PATH", std::getenv("PATH")},
            {"HOME", folder_.path()},
            {"TMPDIR", folder_.path()},
            {"XDG_STATE_HOME", folder_.path() + "/state"}};
  }
  Ran run(std::vector<std::string> words) {
    RunOptions options;
    options.environment = dra_environment();
    words.insert(words.end(), {"--kubeconfig", kubeconfig(), "--timeout", "40s"});
    return run_tessera(words, options);
  }
  std::string kubectl(std::vector<std::string> words) {
    RunOptions options;
    options.program = *find_program("kubectl");
    options.environment = dra_environment();
    words.insert(words.begin(), {"--kubeconfig", kubeconfig()});
    return run_tessera(words, options).out;
  }
  static std::string row(const std::string& json, const std::string& key, const std::string& start) {
    for (std::size_t i = 0; i < json_size(json); ++i) {
      std::string at = "/" + std::to_string(i);
      if (json_at(json, at + "/" + key).starts_with("\"" + start)) return at;
    }
    return "/none";
  }
  Scratch folder_;
  std::unique_ptr<sim::kube::Server> server_;
};

TEST_F(KubeDraE2e, KubectlSeesDevicesAndClaims) {
  std::string slices = kubectl({"get", "resourceslices"});
  EXPECT_NE(slices.find("gpu.nvidia.com"), std::string::npos) << slices;
  EXPECT_NE(slices.find("d1"), std::string::npos) << slices;
  std::string claims = kubectl({"get", "resourceclaims", "-A"});
  EXPECT_NE(claims.find("allocated,reserved"), std::string::npos) << claims;
  EXPECT_NE(claims.find("pending"), std::string::npos) << claims;
  EXPECT_NE(kubectl({"get", "deviceclasses"}).find("mig.nvidia.com"), std::string::npos);
}

TEST_F(KubeDraE2e, DevicesAndTheirHoldersAreShownLikeAllOthers) {
  Ran gpus = run({"gpus", "-o", "json", "--filter", "node=d1"});
  ASSERT_EQ(gpus.code, 0) << gpus.err;
  for (const std::string& wrong : check_schema(schema_text("gpus"), gpus.out)) ADD_FAILURE() << wrong;
  ASSERT_EQ(json_size(gpus.out), 2u) << gpus.out;
  EXPECT_EQ(json_at(gpus.out, "/0/product"), "\"H100-80GB-SXM5\"");
  EXPECT_EQ(json_at(gpus.out, "/1/sharing/strategy"), "\"mig\"");
  EXPECT_NE(json_at(gpus.out, "/0/telemetry/use_percent"), "null") << "by the exporter, found by its UUID";

  Ran slices = run({"slices", "-o", "json", "--filter", "node=d1"});
  ASSERT_EQ(slices.code, 0) << slices.err;
  for (const std::string& wrong : check_schema(schema_text("slices"), slices.out)) ADD_FAILURE() << wrong;
  ASSERT_EQ(json_size(slices.out), 5u) << slices.out;  // one GPU, and 3g 2g 1g 1g
  EXPECT_EQ(json_at(slices.out, "/0/state"), "\"held\"");
  EXPECT_TRUE(json_at(slices.out, "/0/holders/0/id").starts_with("\"training/sft-")) << slices.out;
  std::string big = row(slices.out, "profile", "3g.40gb");
  EXPECT_TRUE(json_at(slices.out, big + "/holders/0/id").starts_with("\"serving/infer-")) << slices.out;
  EXPECT_EQ(json_at(slices.out, big + "/exact"), "true");
  EXPECT_NE(json_at(slices.out, big + "/placement"), "null") << "a device's name tells where it stands";
  EXPECT_NE(json_at(slices.out, big + "/use_percent"), "null") << "no other instance there is like it";
  EXPECT_NE(json_at(slices.out, "/0/use_percent"), "null");
  std::string small = row(slices.out, "profile", "1g.10gb");
  EXPECT_EQ(json_at(slices.out, small + "/state"), "\"free\"");

  Ran pods = run({"workloads", "-o", "json"});
  std::string waits = row(pods.out, "name", "wide");
  EXPECT_EQ(json_at(pods.out, waits + "/state"), "\"pending\"") << pods.out;
  EXPECT_NE(json_at(pods.out, waits + "/reason").find("cannot allocate all claims"), std::string::npos);
  EXPECT_EQ(json_at(pods.out, waits + "/requests"), "{\"gpu.nvidia.com\":2}");
  EXPECT_NE(pods.out.find("claim infer-"), std::string::npos) << pods.out;

  Ran doctor = run({"doctor"});
  EXPECT_EQ(doctor.out.find("by the labels"), std::string::npos)
      << "no device plugin counts them, and none is missed\n"
      << doctor.out;
}

// A pod whose claim has no devices is looked at node by node, and starts when they are given back.
TEST_F(KubeDraE2e, APodThatWaitsForItsClaimIsToldWhatIsHeldAndStartsOnceItIsGivenBack) {
  serve(kFullDraLab);
  const std::string pods = run({"workloads", "-o", "json"}).out;
  const std::string id = text_at(pods, row(pods, "name", "small") + "/id");
  const std::string holder = text_at(pods, row(pods, "name", "sft") + "/id");
  const Ran said = run({"why", id, "-o", "json"});
  ASSERT_EQ(said.code, 0) << said.err;
  for (const std::string& wrong : check_schema(schema_text("why"), said.out)) ADD_FAILURE() << wrong;
  EXPECT_EQ(text_at(said.out, "/topic"), "claim") << said.out;
  EXPECT_EQ(text_at(said.out, "/nodes/0/text"), "0 of 2 × gpu.nvidia.com are free, and it asks for 1")
      << said.out;
  EXPECT_NE(said.out.find("not allocated: asks for gpu.nvidia.com"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("kubectl -n training get resourceclaims"), std::string::npos) << said.out;
  const auto name = [](const std::string& pod) { return pod.substr(pod.find('/') + 1); };
  kubectl({"-n", "training", "delete", "pod", name(holder), "--grace-period=0", "--force"});
  const std::string node =
      kubectl({"-n", "training", "get", "pod", name(id), "-o", "jsonpath={.spec.nodeName}"});
  EXPECT_EQ(node, "d1");
  EXPECT_EQ(run({"why", id, "-o", "json"}).out.find("\"waits\": true"), std::string::npos);
}

TEST_F(KubeDraE2e, NothingIsChangedBehindTheDriversBack) {
  Ran plan = run({"plan", "--node", "d1", "--preset", "all-1g.10gb"});
  EXPECT_NE((plan.out + plan.err).find("a DRA driver hands out the GPUs of d1"), std::string::npos)
      << plan.out << plan.err;
  Ran refused = run({"apply", "--node", "d1", "--preset", "all-1g.10gb", "--write", "--yes"});
  EXPECT_NE(refused.code, 0) << refused.out;
  EXPECT_EQ(kubectl({"get", "node", "d1", "-o", "jsonpath={.metadata.annotations}"}), "");
}

TEST_F(KubeDraE2e, TheConsoleShowsWhoHoldsADevice) {
  PtyOptions options;
  options.columns = 160;
  options.rows = 44;
  options.arguments = {"--kubeconfig", kubeconfig()};
  options.environment = dra_environment();
  Pty pty(options);
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press("2/d1\r\r"));
  for (const char* shown : {"sft-", "infer-", "3g.40gb", "1g.10gb"})
    EXPECT_TRUE(pty.wait_for(shown)) << shown << "\n" << pty.screen();
}

}  // namespace kube_dra_test
}  // namespace tessera::test
