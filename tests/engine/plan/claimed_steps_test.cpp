// Nodes whose GPUs a DRA driver hands out: which of them are planned, and by which steps.
#include "engine/operators/claimed_devices.hpp"
#include "engine/plan/allowed.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace claimed_steps_test {

using namespace operator_story;
using operators::DraWay;
namespace words = plan::words;

// Two H100 of n1, the first whole and the second cut, told by a DRA driver beside which a MIG manager runs.
struct Claims : Kubernetes {
  explicit Claims(DraWay way = DraWay::at_start, bool manager = true) {
    site.readings.told(operators::SitePart::devices, operators::Reading::Is::value, at(0));
    site.dra_api = "resource.k8s.io/v1";
    site.dra_ns = "dra-driver";
    site.labels["n1"] = {{"nvidia.com/mig.config", "tessera-old"},
                         {"nvidia.com/mig.config.state", "success"}};
    Node node = test::node("n1", {uncut(0, 0), cut(1, {instance("3g.40gb", 0, 4, 1)})});
    for (Gpu& gpu : node.gpus) {
      gpu.origin.source = Source::kubernetes_claims;
      gpu.uuid = "GPU-" + std::to_string(gpu.index.value);
    }
    node.allocatable.emplace();
    if (manager) node.components = {{"MIG manager", Part::ready, ""}};
    operators::say_way(node, way);
    tell(NodesListed{{node}});
  }
  std::string why_not() const {
    auto made = make(everywhere("7x1g.10gb"));
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    EXPECT_TRUE(!made || made->nodes.at(0).steps.empty());
    return made ? made->no_steps : "";
  }
};

TEST(ClaimedSteps, TheMigManagerCutsAndTheDriverIsStartedAgainToFindWhatStands) {
  Claims k;
  const Plan made = k.plan(everywhere("7x1g.10gb"));
  const std::vector<Step>& steps = made.nodes.at(0).steps;
  EXPECT_EQ(
      verbs_of(steps),
      "review-access look-only set-mark hold-autoscaler close-node look-only order-mig "
      "recover-mig-manager look-only restart-dra-driver look-only open-node free-autoscaler clear-mark");
  const Step& restart = step_with(steps, "restart-dra-driver");
  const std::string wanted = "GPU 0: 7x1g.10gb; GPU 1: 7x1g.10gb";
  EXPECT_TRUE(has(restart.before, plan::WordIs{std::string(words::kGpuPods), ""})) << "nobody has a device";
  EXPECT_TRUE(has(restart.before, plan::WordIs{"nvidia.com/mig.config.state", "success"}));
  EXPECT_TRUE(has(restart.after, plan::WordIs{std::string(words::kDraAgain), ""}))
      << "a list from before the cut proves nothing";
  EXPECT_TRUE(has(restart.after, plan::WordIs{std::string(words::kDraDevices), wanted}));
  EXPECT_TRUE(
      has(step_with(steps, "order-mig").before, plan::WordIs{std::string(words::kDraStatic), "", false}))
      << "asked once more right before the cut";
  EXPECT_TRUE(
      has(step_with(steps, "open-node").before, plan::WordIs{std::string(words::kDraDevices), wanted}));
  EXPECT_NE(argument(step_with(steps, "review-access"), "verbs").find("delete pods in dra-driver"),
            std::string::npos);
  for (const Step& step : steps)
    for (const Condition& one : step.after)
      EXPECT_FALSE(std::holds_alternative<plan::Advertises>(one)) << "no kubelet counts these GPUs";
  EXPECT_EQ(
      made.offered_before.kubernetes,
      (plan::Counts{{"gpu.nvidia.com", 1}, {"mig.nvidia.com/1g.10gb", 0}, {"mig.nvidia.com/3g.40gb", 1}}));
  EXPECT_EQ(
      made.offered_after.kubernetes,
      (plan::Counts{{"gpu.nvidia.com", 0}, {"mig.nvidia.com/1g.10gb", 14}, {"mig.nvidia.com/3g.40gb", 0}}));
}

TEST(ClaimedSteps, WhereTheServerHasDeviceTaintRulesClaimsAreKeptOffTheDevices) {
  Claims k;
  k.site.rules_api = "resource.k8s.io/v1beta2";
  const std::vector<Step> steps = k.steps(everywhere("7x1g.10gb"));
  EXPECT_EQ(
      verbs_of(steps),
      "review-access look-only set-mark hold-autoscaler close-node close-devices look-only order-mig "
      "recover-mig-manager look-only restart-dra-driver look-only open-devices open-node free-autoscaler "
      "clear-mark");
  EXPECT_NE(argument(step_with(steps, "review-access"), "verbs").find("create devicetaintrules"),
            std::string::npos);
}

TEST(ClaimedSteps, AWholeGpuIsGivenBackTheSameWay) {
  Claims k;
  k.site.node_config.clear();
  k.site.mig_config = operators::mig_file(kStaticFile);
  plan::Intent whole = wants("none", std::nullopt);
  whole.boards[0].wish.strategy = Strategy::whole;
  EXPECT_TRUE(has(step_with(k.steps(whole), "restart-dra-driver").after,
                  plan::WordIs{std::string(words::kDraDevices), "GPU 0: whole; GPU 1: whole"}));
}

TEST(ClaimedSteps, DynamicMigIsTheDriversAlone) {
  for (const DraWay way : {DraWay::on_demand, DraWay::on_demand_dark}) {
    Claims k(way);
    const std::string why = k.why_not();
    EXPECT_NE(why.find("a DRA driver hands out the GPUs of n1, and cuts them itself"), std::string::npos)
        << why;
    EXPECT_NE(why.find("destroys every instance that it did not make"), std::string::npos) << why;
  }
}

TEST(ClaimedSteps, WhereItIsNotCertainWhoCutsNothingIsPlanned) {
  Claims k(DraWay::not_told);
  const std::string why = k.why_not();
  EXPECT_NE(why.find("is not certain"), std::string::npos) << why;
  EXPECT_NE(why.find("featureGates.DynamicMIG=false"), std::string::npos) << why;
}

TEST(ClaimedSteps, WithoutAMigManagerTheCommandsAreToldInstead) {
  Claims k(DraWay::at_start, false);
  const std::string why = k.why_not();
  for (const char* part :
       {"no MIG manager runs there", "kubectl cordon n1", "nvidia-smi -i GPU-0 -mig 1",
        "nvidia-smi mig -i GPU-1 -dci && nvidia-smi mig -i GPU-1 -dgi",
        "nvidia-smi mig -i GPU-0 -cgi 1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb -C",
        "--selector dra-driver-nvidia-gpu-component=kubelet-plugin", "kubectl uncordon n1"})
    EXPECT_NE(why.find(part), std::string::npos) << part << "\n" << why;
  EXPECT_EQ(why.find("nvidia-smi -i GPU-1 -mig"), std::string::npos) << "its mode stays\n" << why;
}

TEST(ClaimedSteps, AGpuClusterHasNoMigManagerWhateverRunsThere) {
  Claims k;
  k.site.gpu_cluster = "gpu-cluster";
  const std::string why = k.why_not();
  EXPECT_NE(why.find("the GPUCluster gpu-cluster"), std::string::npos) << why;
  EXPECT_NE(why.find("By hand: kubectl cordon n1"), std::string::npos) << why;
  EXPECT_EQ(why.find("nvidia.com/mig.config"), std::string::npos) << "no label helps there\n" << why;
}

TEST(ClaimedSteps, WithoutTheDriversNamespaceItsPodsCannotBeWatched) {
  Claims k;
  k.site.dra_ns.clear();
  EXPECT_NE(k.why_not().find("the DRA driver's namespace is not known"), std::string::npos);
}

TEST(ClaimedSteps, ClaimsKnowNoShares) {
  Claims k;
  for (const plan::Intent& intent :
       {sharing_everywhere(Strategy::mps, 4), sharing_everywhere(Strategy::time_slicing, 4)})
    EXPECT_NE(k.refusal(intent).find(
                  "a DRA driver hands out its GPUs, which are whole or cut there, and not shared"),
              std::string::npos);
}

// The MIG manager counts as nvidia-smi does, and the driver's devices bear minor numbers.
TEST(ClaimedSteps, OnlyWhatIsTheSameForAllGpusIsOrderedOfAManagerThatMayCountOtherwise) {
  Claims k;
  const plan::Intent one = wants("7x1g.10gb", 0);
  EXPECT_NE(k.refusal(one).find("its MIG manager may count GPUs otherwise than its DRA driver does"),
            std::string::npos);
}

TEST(ClaimedSteps, AGpuThatTheDriverDoesNotTellOfIsNotCutUnseen) {
  Claims k;
  k.site.labels["n1"]["nvidia.com/gpu.count"] = "3";
  EXPECT_NE(k.refusal(everywhere("7x1g.10gb")).find("its DRA driver tells of 2 GPUs"), std::string::npos);
  k.site.labels["n1"]["nvidia.com/gpu.count"] = "2";
  EXPECT_FALSE(k.steps(everywhere("7x1g.10gb")).empty());
}

// A journal whose restart was taken to a node that work is still on, or that proves something else.
TEST(ClaimedSteps, AStepThatWasEditedIsRefused) {
  Claims k;
  const plan::Intent intent = everywhere("7x1g.10gb");
  const Plan made = k.plan(intent);
  plan::NodePlan busy = made.nodes.at(0);
  for (Step& step : busy.steps)
    if (verb_of(step) == "restart-dra-driver") step.before.clear();
  EXPECT_TRUE(plan::why_not_allowed(busy, intent, k.can()));
  plan::NodePlan other = made.nodes.at(0);
  for (Step& step : other.steps)
    for (Condition& one : step.after)
      if (auto* word = std::get_if<plan::WordIs>(&one); word && word->key == words::kDraDevices)
        word->value = "GPU 0: 7x1g.10gb; GPU 1: whole";
  EXPECT_TRUE(plan::why_not_allowed(other, intent, k.can())) << "the plan promises another GPU 1";
}

TEST(ClaimedDevices, AreTextsByGpuWithoutStarts) {
  using operators::devices_text;
  EXPECT_EQ(devices_text({}), "no device");
  EXPECT_EQ(
      devices_text({{0, {}}, {3, {ProfileName("3g.40gb"), ProfileName("1g.10gb"), ProfileName("1g.10gb")}}}),
      "GPU 0: whole; GPU 3: 2x1g.10gb 3g.40gb");
  Claims k;
  EXPECT_EQ(devices_text(operators::claimed_boards(k.node("n1").gpus)), "GPU 0: whole; GPU 1: 3g.40gb");
}

TEST(ClaimedDevices, TheWayOfTheDriverStandsBesideWhatIsWrongWithIt) {
  for (const DraWay way : {DraWay::at_start, DraWay::on_demand, DraWay::on_demand_dark}) {
    Node node;
    EXPECT_EQ(operators::way_of(node), DraWay::not_told);
    node.components = {{"DRA driver", Part::not_ready, "CrashLoopBackOff"}};
    operators::say_way(node, way);
    ASSERT_EQ(node.components.size(), 1u);
    EXPECT_EQ(node.components[0].detail, std::string(operators::word(way)) + "; CrashLoopBackOff");
    EXPECT_EQ(operators::way_of(node), way);
  }
}

}  // namespace claimed_steps_test
}  // namespace tessera::test
