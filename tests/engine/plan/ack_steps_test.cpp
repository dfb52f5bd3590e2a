// Plans for ACK's node pools.
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test::operator_story {
namespace {

// No GPU operator there: ACK's own plugins follow the label of the node's pool.
struct Ack : Kubernetes {
  Ack() {
    site = {};
    Gpu board = test::gpu(0, Strategy::whole, {test::whole(0)});
    board.memory = Mib{23028};
    node = test::node("n1", {board});
    node.features = {"alibabacloud.com/nodepool-id=np-7"};
    node.partitions = {"np-7"};
    list({node});
  }
  void list(std::vector<Node> nodes) { tell(NodesListed{{std::move(nodes)}}); }
  void label(const std::string& mode) {
    node.features = {"ack.node.gpu.schedule=" + mode, "alibabacloud.com/nodepool-id=np-7"};
  }
  // 22 GiB of the GPU's memory are offered.
  void shared_by(Strategy strategy, SliceKind kind) {
    node.gpus[0].strategy = strategy;
    node.gpus[0].replicas = 22;
    node.gpus[0].slices = {test::shared(kind, 22, 0)};
    list({node});
  }
  Node node;
};

TEST(AckSteps, ALabelSharesTheGpusOfANodeByMemory) {
  Ack k;
  Plan plan = k.plan(sharing_everywhere(Strategy::mps, 1));
  const std::vector<Step>& steps = plan.nodes[0].steps;
  EXPECT_EQ(verbs_of(steps),
            "review-access set-mark hold-autoscaler close-node look-only label-node look-only look-only "
            "open-node free-autoscaler clear-mark");
  const Step& label = step_with(steps, "label-node");
  EXPECT_EQ(argument(label, "ack.node.gpu.schedule"), "mps");
  EXPECT_EQ(label.undo, "set ack.node.gpu.schedule=default") << "taking it off would change nothing";
  EXPECT_TRUE(has(label.before, plan::NodeClosed{}));
  EXPECT_TRUE(has(step_with(steps, "open-node").before, plan::WordIs{"ACK's offer", "mps"}));
  EXPECT_EQ(plan.offered_after.kubernetes.at("aliyun.com/gpu-mem"), 22) << "GiB, whatever --replicas says";
  EXPECT_EQ(plan.offered_after.kubernetes.at("nvidia.com/gpu"), 0);
  EXPECT_TRUE(plan.violations.empty());
}

TEST(AckSteps, WholeGpusComeBackByDefault) {
  Ack k;
  k.label("mps");
  k.shared_by(Strategy::mps, SliceKind::mps);
  Plan plan = k.plan(sharing_everywhere(Strategy::whole, 1));
  EXPECT_EQ(argument(step_with(plan.nodes[0].steps, "label-node"), "ack.node.gpu.schedule"), "default");
  EXPECT_EQ(plan.offered_after.kubernetes.at("nvidia.com/gpu"), 1);
  EXPECT_EQ(plan.offered_after.kubernetes.at("aliyun.com/gpu-mem"), 0);
  EXPECT_FALSE(k.plan(sharing_everywhere(Strategy::mps, 1)).changes_anything()) << "already in that state";
}

// The label has ordered memory in parts, and nothing of it is offered yet.
TEST(AckSteps, AnOrderThatIsNotCarriedOutYetIsTakenBack) {
  Ack k;
  k.label("mps");
  k.list({k.node});
  Plan back = k.plan(sharing_everywhere(Strategy::whole, 1));
  ASSERT_FALSE(back.nodes[0].steps.empty());
  EXPECT_EQ(argument(step_with(back.nodes[0].steps, "label-node"), "ack.node.gpu.schedule"), "default");
  k.label("default");
  k.list({k.node});
  EXPECT_FALSE(k.plan(sharing_everywhere(Strategy::whole, 1)).changes_anything());
}

TEST(AckSteps, WhoHoldsAPartOfABoardsMemoryHoldsOneSliceOfIt) {
  Ack k;
  k.label("mps");
  Workload pod = running("ml/infer-0", "ml", {});
  pod.kind = WorkloadKind::pod;
  pod.allocations = {{NodeName("n1"), Family::mps, "", 8, {}}};
  k.tell(WorkloadsListed{{pod}});
  k.shared_by(Strategy::mps, SliceKind::mps);
  Plan plan = k.plan(sharing_everywhere(Strategy::whole, 1));
  ASSERT_EQ(plan.nodes[0].blast_radius.size(), 1u);
  EXPECT_EQ(plan.nodes[0].blast_radius[0].gpus, 1);
}

TEST(AckSteps, APoolIsChangedAsAWhole) {
  Ack k;
  Node other = k.node;
  other.name = NodeName("n2");
  k.list({k.node, other});
  plan::Intent one = sharing_everywhere(Strategy::mps, 1);
  Plan half = k.plan(one);
  ASSERT_EQ(half.violations.size(), 1u);
  EXPECT_EQ(half.violations[0].rule, "ack-pool");
  EXPECT_NE(half.violations[0].text.find("n1 would be mps, n2 whole"), std::string::npos)
      << half.violations[0].text;
  plan::SiteRules told;
  told.platform = sharing::Platform::gpu_operator;
  auto otherwise = plan::make_plan(k.cluster(), catalogue(), one, k.can(), told, at(0));
  ASSERT_TRUE(otherwise.ok());
  EXPECT_EQ(otherwise->violations.size(), 1u) << "whatever the site calls itself";
  one.nodes.emplace_back("n2");
  EXPECT_TRUE(k.plan(one).violations.empty());
}

TEST(AckSteps, WhatTesseraCouldNotBringBackIsLeftAlone) {
  Ack k;
  EXPECT_NE(k.refusal(everywhere("7x1g.10gb")).find("ACK hands out its GPUs"), std::string::npos);
  EXPECT_NE(k.refusal(sharing_everywhere(Strategy::time_slicing, 4)).find("time-slicing is not among"),
            std::string::npos);
  for (const char* mode : {"cgpu", "core_mem", "share", "topology"}) {
    k.label(mode);
    k.list({k.node});
    std::string why = k.make(sharing_everywhere(Strategy::mps, 1))->no_steps;
    EXPECT_NE(why.find(std::string("ack.node.gpu.schedule=") + mode), std::string::npos) << why;
    EXPECT_NE(why.find("--overwrite ack.node.gpu.schedule=default"), std::string::npos) << why;
  }
  k.node.features = {"alibabacloud.com/nodepool-id=np-7"};
  k.shared_by(Strategy::shard, SliceKind::shard);
  EXPECT_NE(k.make(sharing_everywhere(Strategy::mps, 1))->no_steps.find("its label does not say in which"),
            std::string::npos);
  k.label("mig");
  k.list({k.node});
  EXPECT_NE(k.make(sharing_everywhere(Strategy::mps, 1))->no_steps.find("make another node pool"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::test::operator_story
