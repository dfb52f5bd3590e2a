// What a claim asks a DRA driver for, as a resource beside those that a device plugin counts.
#include <gtest/gtest.h>

#include "engine/operators/claimed_devices.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/why/demand.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

using sharing::parse_resource;
using sharing::ResourceKind;

TEST(ClaimedNames, AreThoseOfDeviceClassesAndProfiles) {
  const auto whole = parse_resource("gpu.nvidia.com", Scheduler::kubernetes);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->kind, ResourceKind::gpu);
  EXPECT_TRUE(whole->claimed);
  const auto slice = parse_resource("mig.nvidia.com/1g.10gb+me", Scheduler::kubernetes);
  ASSERT_TRUE(slice && slice->profile);
  EXPECT_EQ(slice->profile->text, "1g.10gb+me");
  EXPECT_EQ(sharing::claimed_as(*slice->profile), "mig.nvidia.com/1g.10gb+me");
  EXPECT_EQ(sharing::claimed_as({}), "gpu.nvidia.com");
  EXPECT_TRUE(parse_resource("mig.nvidia.com", Scheduler::kubernetes));
  EXPECT_FALSE(parse_resource("mig.nvidia.com/", Scheduler::kubernetes));
  EXPECT_FALSE(parse_resource("mig.nvidia.com/anything", Scheduler::kubernetes));
  EXPECT_FALSE(parse_resource("gpu.nvidia.com", Scheduler::slurm));
}

TEST(ClaimedNames, AreNoDevicePluginsAndViceVersa) {
  const auto answers = [](const char* wanted, const char* offered) {
    return plan::answers(wanted, offered, Scheduler::kubernetes);
  };
  EXPECT_TRUE(answers("mig.nvidia.com/1g.10gb", "mig.nvidia.com/1g.10gb"));
  EXPECT_TRUE(answers("mig.nvidia.com", "mig.nvidia.com/1g.10gb")) << "its profile is not known";
  EXPECT_FALSE(answers("mig.nvidia.com/1g.10gb", "mig.nvidia.com/2g.20gb"));
  EXPECT_FALSE(answers("mig.nvidia.com", "gpu.nvidia.com"));
  EXPECT_FALSE(answers("nvidia.com/mig-1g.10gb", "mig.nvidia.com/1g.10gb"));
  EXPECT_FALSE(answers("mig.nvidia.com/1g.10gb", "nvidia.com/mig-1g.10gb"));
  EXPECT_FALSE(answers("nvidia.com/gpu", "gpu.nvidia.com"));
}

TEST(ClaimedNames, AreThoseOfASliceThatADriverHandsOut) {
  Story story;
  ClusterSeen seen;
  seen.scheduler = Scheduler::kubernetes;
  story.tell(seen);
  Node node = test::node("n1", {uncut(0, 0), cut(1, {instance("1g.10gb", 0, 1, 1)})});
  for (Gpu& gpu : node.gpus) gpu.origin.source = Source::kubernetes_claims;
  story.tell(NodesListed{{node}});
  std::map<std::string, int> names;
  plan::each_named_slice(story.cluster(), story.node("n1"), catalogue(),
                         [&](const Slice&, const std::string& name) { ++names[name]; });
  EXPECT_EQ(names, (std::map<std::string, int>{{"gpu.nvidia.com", 1}, {"mig.nvidia.com/1g.10gb", 1}}));
}

// A claim waits: it is counted by its profile, and so is what could be cut for it.
TEST(ClaimedNames, AreRowsOfTheDemand) {
  Story story;
  ClusterSeen seen;
  seen.scheduler = Scheduler::kubernetes;
  story.tell(seen);
  Node node = test::node("n1", {cut(0, {instance("1g.10gb", 4, 1, 0)})});
  node.gpus[0].origin.source = Source::kubernetes_claims;
  node.gpus[0].slices[0].told_held = true;
  story.tell(NodesListed{{node}});
  Workload waits = waiting("team/half", "ann", "mig.nvidia.com/3g.40gb");
  waits.kind = WorkloadKind::pod;
  waits.reason = "0/1 nodes are available: 1 cannot allocate all claims.";
  story.tell(WorkloadsListed{{waits}});
  const auto rows = why::demand(story.cluster(), catalogue());
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [](const auto& one) { return one.resource == "mig.nvidia.com/3g.40gb"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->wanted, 1);
  EXPECT_EQ(row->could, 1);
}

// No plan may change what its driver cuts.
TEST(ClaimedNames, AreNotPackedWhereTheDriverCutsOrMay) {
  using operators::DraWay;
  for (const DraWay way : {DraWay::not_told, DraWay::at_start, DraWay::on_demand, DraWay::on_demand_dark}) {
    Story story;
    ClusterSeen seen;
    seen.scheduler = Scheduler::kubernetes;
    story.tell(seen);
    Node node = test::node("n1", {uncut(0, 0)});
    node.gpus[0].origin.source = Source::kubernetes_claims;
    operators::say_way(node, way);
    story.tell(NodesListed{{node}});
    const std::vector<NodeName> all{NodeName("n1")};
    const auto found = pack::problem_of(story.cluster(), all, catalogue(), plan::gpu_operator_capabilities());
    EXPECT_EQ(found.left_out.size(), way == DraWay::at_start ? 0u : 1u);
    EXPECT_EQ(found.problem.boards.size(), way == DraWay::at_start ? 1u : 0u);
  }
}

}  // namespace
}  // namespace tessera::test
