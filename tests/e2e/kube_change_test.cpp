// Changing nodes through the GPU operator, the whole way, when nothing goes wrong but what a manager does.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

using Words = KubeWords;

// A100: a changed MIG mode waits for a reset, and the MIG manager resets every GPU of the node.
constexpr const char* kAmpereLab = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: a1, product: A100-80GB, gpus: 2, driver: 570.124.06}
    jobs:
      - {name: infer, namespace: serving, want: "nvidia.com/gpu:1", on: a1/gpu1, runs: 9d, ran: 1h, does: training}
)";

class KubeChangeE2e : public KubeChangeLab {};

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
  EXPECT_NE(late.err.find("what it relies on has changed"), std::string::npos) << late.err;
  EXPECT_NE(late.err.find("no longer: GPU 0"), std::string::npos) << late.err;
}

TEST_F(KubeChangeE2e, APlanFileIsAppliedWhileNothingHasChanged) {
  Ran plan = run({"plan", "--node", "h2", "--preset", "all-1g.10gb", "-o", "json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("\"cluster_id\": \""), std::string::npos) << plan.out;
  Ran cut = apply({folder_.write("plan.json", plan.out)});
  ASSERT_EQ(cut.code, 0) << cut.out << cut.err;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  expect_given_back("h2");
}

// Each for its own reason, and before anything is touched.
TEST_F(KubeChangeE2e, APlanFileIsRefusedOnceTheClusterPolicyWasEditedOrTheFileItself) {
  Ran plan = run({"plan", "--node", "h2", "--preset", "all-1g.10gb", "-o", "json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  auto refused = [&](const std::string& text, const std::string& words) {
    Ran late = apply({folder_.write("plan.json", text)});
    EXPECT_EQ(late.code, 1) << late.out << late.err;
    EXPECT_NE(late.err.find(words), std::string::npos) << late.err;
  };
  std::string edited = plan.out;
  const std::string honest = "\"verb\": \"order-mig\"";
  ASSERT_NE(edited.find(honest), std::string::npos) << edited;
  edited.replace(edited.find(honest), honest.size(), "\"verb\": \"format-disk\"");
  refused(edited, "is not the step that tessera makes of this change");
  edited = plan.out;
  const std::string id = "\"cluster_id\": \"";
  edited.insert(edited.find(id) + id.size(), "another-");
  refused(edited, "another cluster that is called");
  kubectl({"patch", "clusterpolicy", "cluster-policy", "--type=merge", "-p",
           R"({"spec":{"mig":{"strategy":"single"}}})"});
  refused(plan.out, "ClusterPolicy changed");
  // The edit restarts the device plugin once, which offers nothing for a moment: before, at or after the
  // first wait.
  auto wait = [&] {
    kubectl(
        {"wait", "node/h2", R"(--for=jsonpath={.status.allocatable.nvidia\.com/gpu}=2)", "--timeout=60s"});
    return offers("h2", "gpu");
  };
  if (std::string offered = wait(); offered != "2") EXPECT_EQ(wait(), "2") << "first " << offered;
  expect_given_back("h2");
}

// Contexts of two clusters often have one name: kubernetes-admin@kubernetes.
TEST_F(KubeChangeE2e, ARunOfAnotherClusterOfThatNameIsNeitherListedNorTakenUp) {
  Ran waits = apply({"--node", "h1", "--preset", "all-1g.10gb", "--when-empty"});
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  sim::kube::ServeOptions other = kube_lab(folder_);
  other.world.seed = 77;
  serve(std::move(other));
  Ran listed = run({"journal", "-o", "json"});
  EXPECT_EQ(listed.out.find(run_of(waits)), std::string::npos) << listed.out;
  for (KubeWords how : {KubeWords{}, KubeWords{"--back"}}) {
    Ran taken = resume(waits, how);
    EXPECT_NE(taken.code, 0);
    EXPECT_NE(taken.err.find("no such run"), std::string::npos) << taken.err;
  }
  Ran due = run({"resume", "--due", "--write", "--yes"});
  EXPECT_EQ(due.code, 0) << due.err;
  expect_given_back("h1");
}

// The other ways of sharing, by command.
TEST_F(KubeChangeE2e, ANodeIsSharedByTimeSlicesThenByMps) {
  // Who looks after the file is told, and what is added to it can be kept.
  kubectl({"label", "configmap", "device-plugin-config", "-n", "gpu-operator", "--overwrite",
           "app.kubernetes.io/managed-by=Helm"});
  Words wish{"--node", "t1", "--strategy", "time-slicing", "--replicas", "6"};
  Words look{"plan"};
  look.insert(look.end(), wish.begin(), wish.end());
  Ran plan = run(look);
  EXPECT_NE(plan.out.find("device-plugin-config: managed by Helm"), std::string::npos)
      << plan.out << plan.err;
  Words with_patch = look;
  with_patch.push_back("--patch");
  Ran patch = run(with_patch);
  EXPECT_NE(patch.out.find("+++ device-plugin-config/tessera-"), std::string::npos) << patch.out << patch.err;
  // Argo CD renders charts that say Helm; it is reported by what it leaves behind, whichever way it tracks.
  auto owned_by_argo = [&](const char* by) {
    Ran again = run(look);
    EXPECT_NE(again.out.find("device-plugin-config: managed by Argo CD"), std::string::npos)
        << by << "\n"
        << again.out << again.err;
    Ran kept = run(with_patch);
    EXPECT_NE(kept.out.find("+++ device-plugin-config/tessera-"), std::string::npos) << by << kept.out;
  };
  Words map{"configmap", "device-plugin-config", "-n", "gpu-operator"};
  auto change_map = [&](const char* verb, Words how) {
    how.insert(how.begin(), map.begin(), map.end());
    how.insert(how.begin(), verb);
    return kubectl(how);
  };
  change_map("annotate",
             {"argocd.argoproj.io/tracking-id=gpus:/ConfigMap:gpu-operator/device-plugin-config"});
  owned_by_argo("its annotation");
  change_map("annotate", {"argocd.argoproj.io/tracking-id-"});
  change_map("label", {"argocd.argoproj.io/instance=gpus"});
  owned_by_argo("its label");
  change_map("label", {"argocd.argoproj.io/instance-"});
  change_map("patch", {"--type=merge", "-p",
                       R"({"metadata":{"managedFields":[{"manager":"argocd-controller","operation":"Update",
                           "apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}}]}})"});
  owned_by_argo("its field manager");
  Ran sliced = apply(wish);
  ASSERT_EQ(sliced.code, 0) << sliced.out << sliced.err;
  EXPECT_EQ(offers("t1", "gpu"), "24");
  Ran mps = apply({"--node", "t1", "--strategy", "mps", "--replicas", "10"});
  ASSERT_EQ(mps.code, 0) << mps.out << mps.err;
  EXPECT_EQ(offers("t1", "gpu"), "40");
  EXPECT_EQ(told("t1", ".metadata.labels.nvidia\\.com/gpu\\.sharing-strategy"), "mps");
}

// The GPUs stay shared as they are: the plugin is set up again, the offer is read back by its new name.
TEST_F(KubeChangeE2e, TheNameOfSharesIsChangedAloneThenKeptAndTakenBack) {
  Words wish{"--node", "t1", "--strategy", "time-slicing", "--replicas", "6"};
  ASSERT_EQ(apply(wish).code, 0);
  EXPECT_EQ(offers("t1", "gpu"), "24");
  wish.push_back("--rename-shared");
  Ran renamed = apply(wish);
  ASSERT_EQ(renamed.code, 0) << renamed.out << renamed.err;
  EXPECT_EQ(offers("t1", "gpu"), "0");
  EXPECT_EQ(offers("t1", "gpu\\.shared"), "24");
  Ran more = apply({"--node", "t1", "--strategy", "time-slicing", "--replicas", "8"});
  ASSERT_EQ(more.code, 0) << more.out << more.err;
  EXPECT_EQ(offers("t1", "gpu\\.shared"), "32") << "no other name was requested";
  Ran back = run({"undo", run_of(renamed), "--write", "--yes", "-o", "json"});
  ASSERT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(offers("t1", "gpu"), "24");
  EXPECT_EQ(offers("t1", "gpu\\.shared"), "0");
  expect_given_back("t1");
}

TEST_F(KubeChangeE2e, OnAmpereEveryGpuOfTheNodeIsResetSoAllPodsAreInTheWay) {
  sim::kube::ServeOptions ampere = kube_lab(folder_);
  ampere.world.scenario = folder_.write("ampere.yaml", kAmpereLab);
  serve(std::move(ampere));
  Words wish{"--node", "a1", "--gpu", "0", "--layout", "7x1g.10gb"};
  Words look{"plan", "-o", "json"};
  look.insert(look.end(), wish.begin(), wish.end());
  Ran plan = run(look);
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_EQ(json_at(plan.out, "/needs/reset"), "true");
  EXPECT_NE(plan.out.find("serving/infer-"), std::string::npos) << "it holds the other GPU\n" << plan.out;
  wish.insert(wish.end(), {"--way", "cancel"});
  Ran cut = apply(wish);
  ASSERT_EQ(cut.code, 0) << cut.out << cut.err;
  EXPECT_EQ(offers("a1", "mig-1g\\.10gb"), "7");
  EXPECT_EQ(offers("a1", "gpu"), "1");
  EXPECT_NE(kubectl({"logs", "-n", "gpu-operator", "-l", "app=nvidia-mig-manager", "--tail=-1"})
                .find("Resetting all GPUs"),
            std::string::npos);
}

// The node turns from containers to virtual machines and back.
TEST_F(KubeChangeE2e, ANodeOffersVgpusAndIsTakenBack) {
  Words wish{"--node", "t1", "--strategy", "vgpu", "--vgpu", "T4-4Q"};
  Ran off = apply(wish);
  EXPECT_NE(off.code, 0);
  EXPECT_NE((off.out + off.err).find("sandboxWorkloads"), std::string::npos) << off.out << off.err;
  kubectl({"patch", "clusterpolicy", "cluster-policy", "--type=merge", "-p",
           R"({"spec":{"sandboxWorkloads":{"enabled":true}}})"});
  Ran made = apply(wish);
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_EQ(offers("t1", "NVIDIA_T4-4Q"), "16");
  EXPECT_EQ(offers("t1", "gpu"), "0");
  EXPECT_EQ(told("t1", ".metadata.labels.nvidia\\.com/vgpu\\.config\\.state"), "success");
  std::string done = json_at(made.out, "/run");
  Ran undone = run({"undo", done.substr(1, done.size() - 2), "--write", "--yes", "-o", "json"});
  ASSERT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(offers("t1", "gpu"), "4");
  EXPECT_EQ(told("t1", ".metadata.labels.nvidia\\.com/gpu\\.workload\\.config"), "");
}

TEST_F(KubeChangeE2e, WithoutTheRightToEvictNothingIsTouched) {
  sim::kube::ServeOptions options = kube_lab(folder_);
  auto users = sim::kube::parse_user_ports(
      "ops=0:get,list,watch:*;patch:nodes;delete:pods@gpu-operator;create:pods/eviction@elsewhere");
  ASSERT_TRUE(users.ok());
  options.users = *users;
  serve(std::move(options));
  Ran refused = apply({"--node", "h1", "--preset", "all-1g.10gb", "--way", "cancel", "--context", "lab-ops"});
  EXPECT_EQ(refused.code, 1) << refused.out << refused.err;
  EXPECT_NE(refused.out.find("not allowed to create pods/eviction in training"), std::string::npos)
      << refused.out << refused.err;
  EXPECT_EQ(told("h1", ".metadata.annotations"), "");
  EXPECT_EQ(told("h1", ".spec.unschedulable"), "");
  EXPECT_EQ(kubectl({"get", "pods", "-n", "training", "-o", "jsonpath={.items[*].status.phase}"}), "Running");
}

// On twin worlds: what goes from a node, and what is left alone.
TEST_F(KubeChangeE2e, KubectlsDrainAndOursMakeTheSamePodsGo) {
  auto pods = [&] {
    std::set<std::string> names;
    std::istringstream all(
        kubectl({"get", "pods", "-A", "-o",
                 "jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {end}"}));
    // A change of sharing restarts parts of the stack on purpose; a drain does not.
    for (std::string name; all >> name;)
      if (!name.starts_with("gpu-operator/")) names.insert(name);
    return names;
  };
  auto gone_by = [&](const std::function<void()>& drain) {
    serve(kube_lab(folder_, R"(
      - {count: 2, name: rank, namespace: serving, want: "nvidia.com/gpu", on: t1, runs: 9d, ran: 1h, does: training}
      - {name: once, namespace: serving, want: "nvidia.com/gpu", on: t1, runs: 9d, ran: 1h, does: training,
         restartable: false}
)"));
    std::set<std::string> before = pods();
    drain();
    std::set<std::string> after = pods(), gone;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                        std::inserter(gone, gone.end()));
    return gone;
  };
  std::set<std::string> by_kubectl = gone_by([&] {
    kubectl({"drain", "t1", "--ignore-daemonsets", "--force", "--timeout=80s"});
  });
  std::set<std::string> by_us = gone_by([&] {
    Ran done = apply({"--node", "t1", "--strategy", "time-slicing", "--replicas", "4", "--way", "cancel"});
    EXPECT_EQ(done.code, 0) << done.out << done.err;
  });
  EXPECT_EQ(by_kubectl.size(), 3u);
  EXPECT_EQ(by_us, by_kubectl);
}

TEST_F(KubeChangeE2e, ExportersWithACertificateAreAskedByHttps) {
  sim::kube::ServeOptions options = kube_lab(folder_);
  options.world.speed = 0;
  serve(std::move(options));
  kubectl({"patch", "daemonset", "nvidia-dcgm-exporter", "-n", "gpu-operator", "--type=json", "-p",
           R"([{"op":"add","path":"/spec/template/spec/containers/0/ports",)"
           R"("value":[{"name":"https-metrics","containerPort":9400}]}])"});
  ASSERT_NE(kubectl({"get", "pods", "-n", "gpu-operator", "-l", "app=nvidia-dcgm-exporter", "-o",
                     "jsonpath={.items[*].spec.containers[0].ports[0].name}"}),
            "");
  Ran gpus = run({"gpus", "-o", "json", "--filter", "node=h1"});
  EXPECT_NE(json_at(gpus.out, "/0/telemetry/use_percent"), "null") << gpus.out << gpus.err;
  Ran doctor = run({"doctor"});
  EXPECT_EQ(doctor.out.find("DCGM exporter"), std::string::npos) << doctor.out;
}

}  // namespace
}  // namespace tessera::test
