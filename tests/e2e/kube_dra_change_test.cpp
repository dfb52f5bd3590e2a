// Cutting a node whose GPUs a DRA driver hands out, the whole way: the real tessera, the real kubectl proxy,
// and a simulated API server behind which a MIG manager cuts and a driver finds instances only when it
// starts.
#include <gtest/gtest.h>
#include <signal.h>

#include "engine/operators/claimed_devices.hpp"
#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

// d1 may be cut; d2 has no MIG manager; m1 is its driver's own.
constexpr const char* kDraLab = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    version: kubernetes v1.35.2
    users: [ann]
    nodes:
      - {names: d1, product: H100-80GB-SXM5, gpus: 2, dra: true, mig_manager: true, driver: 580.65.06}
      - {names: d2, product: H100-80GB-SXM5, gpus: 1, dra: true, driver: 580.65.06}
      - {names: h1, product: H100-80GB-SXM5, gpus: 1, driver: 580.65.06}
)";
constexpr const char* kWork = R"(    jobs:
      - {name: sft, namespace: training, want: "gpu.nvidia.com", on: d1/gpu0, runs: 9d, ran: 1h, does: training}
)";
constexpr const char* kDynamicLab = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    version: kubernetes v1.36.0
    users: [ann]
    nodes:
      - {names: m1, product: H100-80GB-SXM5, gpus: 2, layouts: [whole, "1g.10gb@4"], dra: true, dynamic_mig: true,
         mig_manager: true, driver: 580.65.06}
    jobs:
      - {name: small, namespace: team, want: "mig.nvidia.com/1g.10gb", on: m1/gpu1, runs: 9d, ran: 1h, does: inference}
      - {name: sft, namespace: team, want: "gpu.nvidia.com", on: m1/gpu0, runs: 9d, ran: 1h, does: training}
      - {name: half, namespace: team, want: "mig.nvidia.com/7g.80gb", runs: 9d, does: training}
)";

class KubeDraChange : public KubeChangeLab {
 protected:
  void SetUp() override {
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    serve_lab(kDraLab);
  }
  void serve_lab(const std::string& scenario) {
    sim::kube::ServeOptions options = kube_lab(folder_);
    options.world.scenario = folder_.write("dra.yaml", scenario);
    serve(std::move(options));
  }
  std::string devices(const std::string& node) {
    return kubectl({"get", "resourceslices", "--field-selector", "spec.nodeName=" + node, "-o",
                    "jsonpath={.items[*].spec.devices[*].name}"});
  }
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  void expect_cut(const Ran& ran) {
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(json_at(ran.out, "/outcome"), "\"wanted\"") << ran.out;
    EXPECT_EQ(count(devices("d1"), "mig-1g10gb"), 14) << devices("d1");
    expect_given_back("d1");
  }
  void expect_whole() {
    EXPECT_EQ(devices("d1"), "gpu-0 gpu-1");
    expect_given_back("d1");
  }
  std::string newest_run() {
    Ran runs = run({"journal", "-o", "json"});
    std::string text = json_at(runs.out, "/0/run");
    return text.size() > 1 ? text.substr(1, text.size() - 2) : text;
  }
  const KubeWords cut_{"--node", "d1", "--preset", "all-1g.10gb"};
};

TEST_F(KubeDraChange, ANodeIsCutItsDriverStartedAgainAndTakenBack) {
  Ran plan = run({"plan", "--node", "d1", "--preset", "all-1g.10gb", "-o", "json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("restart the DRA driver's pod"), std::string::npos) << plan.out;
  EXPECT_EQ(devices("d1"), "gpu-0 gpu-1");
  Ran cut = apply(cut_);
  expect_cut(cut);
  EXPECT_EQ(devices("d2"), "gpu-0") << "its neighbour is left alone";
  Ran seen = run({"slices", "-o", "json", "--filter", "node=d1"});
  EXPECT_EQ(json_size(seen.out), 14u) << seen.out;
  Ran undone = run({"undo", run_of(cut), "--write", "--yes", "-o", "json"});
  ASSERT_EQ(undone.code, 0) << undone.out << undone.err;
  expect_whole();
}

TEST_F(KubeDraChange, WorkThatHasADeviceByAClaimIsWaitedForOrSentAway) {
  serve_lab(std::string(kDraLab) + kWork);
  KubeWords gently = cut_;
  gently.push_back("--when-empty");
  Ran waits = apply(gently);
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  EXPECT_EQ(devices("d1"), "gpu-0 gpu-1");
  KubeWords hard = cut_;
  hard.insert(hard.end(), {"--way", "cancel"});
  Ran back = resume(waits, {"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  Ran cut = apply(hard);
  expect_cut(cut);
  EXPECT_NE(cut.err.find("training/sft-"), std::string::npos) << cut.err;
}

// Wherever it dies: it goes on, and can be taken back.
TEST_F(KubeDraChange, KilledAtAnyStepItIsCarriedOnAndCanBeUndone) {
  for (const char* said :
       {"close d1", "ask the MIG manager", "follow the MIG manager", "restart the DRA driver"}) {
    RunOptions options;
    options.signal_on_err = [said](const std::string& err) {
      return err.find(said) != std::string::npos ? SIGKILL : 0;
    };
    SCOPED_TRACE(said);
    // What comes after may be over before the signal is there.
    const Ran killed = apply(cut_, options);
    expect_cut(killed.code == 0 ? killed : run({"resume", newest_run(), "--write", "--yes", "-o", "json"}));
    Ran undone = run({"undo", newest_run(), "--write", "--yes", "-o", "json"});
    ASSERT_EQ(undone.code, 0) << undone.out << undone.err;
    expect_whole();
  }
}

// The driver's list is still that from before the cut: it looks like the way back had nothing to do.
TEST_F(KubeDraChange, KilledBetweenTheCutAndTheRestartItGoesBackToWhatWasThere) {
  RunOptions options;
  options.signal_on_err = [](const std::string& err) {
    return err.find("restart the DRA driver") != std::string::npos ? SIGKILL : 0;
  };
  apply(cut_, options);
  Ran back = run({"resume", newest_run(), "--back", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  expect_whole();
  EXPECT_EQ(told("d1", ".metadata.labels.nvidia\\.com/mig\\.config"), "all-disabled");
}

// Kubernetes 1.36 has rules that taint devices: while a run has the node, claims are kept off all of them.
TEST_F(KubeDraChange, WhereTheServerHasDeviceTaintRulesTheDevicesAreClosedToo) {
  std::string lab = std::string(kDraLab) + kWork;
  lab.replace(lab.find("v1.35.2"), 7, "v1.36.1");
  serve_lab(lab);
  const auto rules = [&] {
    return kubectl({"get", "devicetaintrules", "-o",
                    "jsonpath={range .items[*]}{.metadata.name} {.spec.deviceSelector.pool} "
                    "{.spec.taint.effect}{end}"});
  };
  KubeWords gently = cut_;
  gently.push_back("--when-empty");
  Ran waits = apply(gently);
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  EXPECT_EQ(rules(), operators::device_rule(run_of(waits), NodeName("d1")) + " d1 NoSchedule");
  Ran back = resume(waits, {"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(rules(), "") << "a run that gives the node back takes its rule away";
  KubeWords hard = cut_;
  hard.insert(hard.end(), {"--way", "cancel"});
  expect_cut(apply(hard));
  EXPECT_EQ(rules(), "");
}

TEST_F(KubeDraChange, WithoutAMigManagerTheCommandsAreToldAndNothingIsDone) {
  Ran plan =
      run({"plan", "--node", "d2", "--preset", "all-1g.10gb", "-o", "json"});  // no text is wrapped there
  EXPECT_EQ(plan.code, 1) << plan.out << plan.err;
  const std::string told_all = plan.out + plan.err;
  EXPECT_NE(told_all.find("no MIG manager runs there"), std::string::npos) << told_all;
  EXPECT_NE(told_all.find("-cgi"), std::string::npos) << told_all;
  Ran refused = apply({"--node", "d2", "--preset", "all-1g.10gb"});
  EXPECT_NE(refused.code, 0);
  EXPECT_EQ(told("d2", ".metadata.annotations"), "");
  EXPECT_EQ(told("d2", ".metadata.labels.nvidia\\.com/mig\\.config"), "");
}

TEST_F(KubeDraChange, WithDynamicMigItIsTheDriversAndWhatItCouldCutIsShown) {
  serve_lab(kDynamicLab);
  Ran refused = apply({"--node", "m1", "--preset", "all-1g.10gb"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE((refused.out + refused.err).find("cuts them itself as claims ask for it (dynamic MIG)"),
            std::string::npos)
      << refused.out << refused.err;
  EXPECT_EQ(told("m1", ".metadata.annotations"), "");

  Ran gpus = run({"gpus", "-o", "json"});
  ASSERT_EQ(gpus.code, 0) << gpus.err;
  for (const std::string& wrong : check_schema(schema_text("gpus"), gpus.out)) ADD_FAILURE() << wrong;
  ASSERT_EQ(json_size(gpus.out), 2u) << gpus.out;
  EXPECT_EQ(json_at(gpus.out, "/1/on_demand"), "true") << gpus.out;
  bool seen = false;
  for (int i = 0; i < 8; ++i) {
    const std::string at = "/1/could_be/" + std::to_string(i);
    if (json_at(gpus.out, at + "/profile") != "\"3g.40gb\"") continue;
    seen = true;
    EXPECT_EQ(json_at(gpus.out, at + "/at_once"), "1");
    EXPECT_EQ(json_at(gpus.out, at + "/starts"), "[0]");
    EXPECT_EQ(json_at(gpus.out, at + "/blocked/0/by/0/profile"), "\"1g.10gb\"");
    EXPECT_TRUE(json_at(gpus.out, at + "/blocked/0/by/0/holder").starts_with("\"team/small-")) << gpus.out;
  }
  EXPECT_TRUE(seen) << gpus.out;
  Ran slices = run({"slices", "-o", "json"});
  EXPECT_EQ(json_size(slices.out), 2u) << "what could be made is no slice\n" << slices.out;

  Ran pods = run({"workloads", "-o", "json"});
  std::string id;
  for (std::size_t i = 0; i < json_size(pods.out); ++i)
    if (json_at(pods.out, "/" + std::to_string(i) + "/name").starts_with("\"half"))
      id = json_at(pods.out, "/" + std::to_string(i) + "/id");
  ASSERT_GT(id.size(), 2u) << pods.out;
  EXPECT_NE(pods.out.find("\"mig.nvidia.com/7g.80gb\": 1"), std::string::npos) << pods.out;
  Ran why = run({"why", id.substr(1, id.size() - 2)});
  std::string said = why.out;
  for (std::size_t at = 0; (at = said.find("\n", at)) != std::string::npos;) {
    const std::size_t end = said.find_first_not_of(" \n", at);
    said.replace(at, end == std::string::npos ? std::string::npos : end - at, " ");
  }
  EXPECT_NE(said.find("1g.10gb@4 is in the way, held by team/small-"), std::string::npos)
      << why.out << why.err;
}

}  // namespace
}  // namespace tessera::test
