// What the guide says of a node's resources is what the plan of the same proposal says.
#include "engine/guide/advice.hpp"
#include "engine/guide/guide.hpp"
#include "engine/guide/hand_over.hpp"
#include "engine/sharing/limits.hpp"
#include "engine/sharing/resources.hpp"
#include "tests/engine/guide/guide_build.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera {
namespace {

using namespace test;
using namespace test::operator_story;
using Counts = std::map<std::string, std::int64_t>;

guide::Scope scope_of(const Kubernetes& k) {
  guide::Scope scope = guide::scope_of(k.cluster(), k.node("n1"), catalogue());
  scope.can = k.can();
  return scope;
}

const guide::Proposal& titled(const std::vector<guide::Proposal>& all, const std::string& title) {
  static const guide::Proposal none;
  for (const guide::Proposal& one : all)
    if (one.title == title) return one;
  ADD_FAILURE() << title;
  return none;
}

TEST(OneAnswer, OnMixedAUniformLayoutGoesByItsProfilesNames) {
  Kubernetes k;
  Workload pod = waiting("ml/half", "a", "nvidia.com/mig-3g.40gb");
  pod.requests[0].count = 4;
  pod.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb";
  k.tell(WorkloadsListed{{pod}});
  const auto all = guide::propose_layouts(scope_of(k), sharing::Platform::gpu_operator);
  const guide::Proposal& halves = titled(all, "2 × 3g.40gb");
  EXPECT_EQ(halves.advertised, (Counts{{"nvidia.com/mig-3g.40gb", 4}}));
  for (const guide::Advice& one :
       guide::advice(test::handouts(), Strategy::mig, sharing::Platform::gpu_operator, &halves))
    if (one.id == "pod") EXPECT_NE(one.text.find("nvidia.com/mig-3g.40gb: 1"), std::string::npos) << one.text;
}

TEST(OneAnswer, OnSingleItGoesByTheWholeGpusNameAndAMixtureIsNotOffered) {
  Kubernetes k;
  k.site.strategy = "single";
  for (auto& [key, text] : k.site.plugin_configs)
    if (auto at = text.find("mixed"); at != std::string::npos) text.replace(at, 5, "single");
  const auto all = guide::propose_layouts(scope_of(k), sharing::Platform::gpu_operator);
  EXPECT_EQ(titled(all, "2 × 3g.40gb").advertised, (Counts{{"nvidia.com/gpu", 4}}));
  EXPECT_EQ(all.front().title.find(" + "), std::string::npos) << "what is offered comes before what is not";
  for (const guide::Proposal& one : all) EXPECT_GT(one.advertised.at("nvidia.com/gpu"), 0) << one.title;
}

TEST(OneAnswer, SharesGoByTheNameThatTheNodeGivesThem) {
  Kubernetes k;
  plan::SiteRules renaming;
  renaming.rename_shared = true;
  guide::Scope scope = scope_of(k);
  scope.rules = renaming;
  const auto all = guide::propose_shares(scope, Strategy::time_slicing, sharing::Platform::gpu_operator);
  for (const guide::Proposal& one : all) {
    EXPECT_EQ(one.advertised.at("nvidia.com/gpu.shared"), 2 * *one.replicas);
    for (const guide::Advice& text :
         guide::advice(test::handouts(), Strategy::time_slicing, sharing::Platform::gpu_operator, &one)) {
      if (text.id == "pod") EXPECT_NE(text.text.find("nvidia.com/gpu.shared: 1"), std::string::npos);
      if (text.id == "sharing-config")
        EXPECT_NE(text.text.find("renameByDefault: true"), std::string::npos) << text.text;
    }
  }
}

// ACK's plugin splits memory: one row, in GiB, with neither clients nor a configuration of NVIDIA's plugin.
TEST(OneAnswer, OnAckPodsAskForMemory) {
  Kubernetes k;
  Gpu board = uncut(0, 0, "A10");
  board.memory = Mib{23028};
  Node node = test::node("n1", {board});
  node.features = {"ack.node.gpu.schedule=default", "alibabacloud.com/nodepool-id=np-7"};
  k.tell(NodesListed{{node}});
  const auto all = guide::propose_shares(scope_of(k), Strategy::mps, sharing::Platform::ack);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "22 GiB of each GPU, in the parts that pods ask for");
  EXPECT_EQ(all[0].advertised, (Counts{{"aliyun.com/gpu-mem", 22}, {"nvidia.com/gpu", 0}}));
  EXPECT_TRUE(guide::propose_shares(scope_of(k), Strategy::time_slicing, sharing::Platform::ack).empty());
  for (const guide::Advice& one :
       guide::advice(test::handouts(), Strategy::mps, sharing::Platform::ack, &all[0])) {
    EXPECT_EQ(one.text.find("hostIPC"), std::string::npos) << one.text;
    EXPECT_EQ(one.text.find("nvidia.com/gpu:"), std::string::npos) << one.text;
    EXPECT_NE(one.id, "sharing-config");
  }
  sharing::LimitContext context;
  context.platform = sharing::Platform::ack;
  for (const sharing::Limit& one : sharing::limits(Strategy::mps, context)) EXPECT_NE(one.id, "mps-clients");
  const auto offline = guide::propose_shares(guide::scope_of(*catalogue().by_key("A10")), Strategy::mps,
                                             sharing::Platform::ack);
  ASSERT_EQ(offline.size(), 1u);
  EXPECT_TRUE(offline[0].advertised.contains("aliyun.com/gpu-mem"));
}

TEST(OneAnswer, VirtualGpusAreNamedAsKubeVirtNamesThem) {
  EXPECT_EQ(sharing::kubernetes_vgpu("A10-12Q"), "nvidia.com/NVIDIA_A10-12Q");
  EXPECT_EQ(sharing::kubernetes_vgpu("A100D-40C"), "nvidia.com/GRID_A100D-40C");
  Kubernetes k;
  k.boards({uncut(0, 0, "A10"), uncut(1, 1, "A10")});
  k.site.vm_nodes = true;
  const auto rows = guide::propose_vgpu(scope_of(k), sharing::Platform::gpu_operator);
  auto half = std::find_if(rows.begin(), rows.end(),
                           [](const guide::Proposal& one) { return one.vgpu == ProfileName("A10-12Q"); });
  ASSERT_NE(half, rows.end());
  plan::Intent intent = everywhere("none");
  intent.boards = guide::wishes_of(*half, Scheduler::kubernetes, {}).value();
  const Plan made = k.plan(intent);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/NVIDIA_A10-12Q"), 4);
  EXPECT_EQ(half->advertised, (Counts{{"nvidia.com/NVIDIA_A10-12Q", 4}}));
}

// The row that serves most is one that can be planned: each GPU's own layout, read back GPU by GPU.
TEST(OneAnswer, ALayoutForEachGpuIsPlannedGpuByGpu) {
  Kubernetes k;
  std::vector<Workload> work{waiting("ml/large", "a", "nvidia.com/mig-7g.80gb")};
  for (int i = 0; i < 7; ++i)
    work.push_back(waiting("ml/small-" + std::to_string(i), "b", "nvidia.com/mig-1g.10gb"));
  for (Workload& one : work) one.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/mig-x";
  k.tell(WorkloadsListed{work});
  const auto all = guide::propose_layouts(scope_of(k), sharing::Platform::gpu_operator);
  ASSERT_FALSE(all.empty());
  ASSERT_EQ(all[0].title, "a layout for each GPU");
  plan::Intent intent = everywhere("none");
  intent.boards = guide::wishes_of(all[0], Scheduler::kubernetes, {}).value();
  ASSERT_EQ(intent.boards.size(), 2u);
  const Plan made = k.plan(intent);
  EXPECT_EQ(made.will_run_count, 8);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/mig-7g.80gb"), 1);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/mig-1g.10gb"), 7);
}

}  // namespace
}  // namespace tessera
