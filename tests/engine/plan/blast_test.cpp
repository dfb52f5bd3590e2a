// Who would be disturbed, and who must be gone first: no work is left out because of how it came to its GPU.
#include "engine/plan/effect/blast.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/disturbs.hpp"
#include "engine/plan/effect/moved.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/steps/steps.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::plan {
namespace {

using namespace tessera::test;

const Scope kFirstBoard{{{GpuIndex{0}, {}}}};
const Scope kFirstPlace{{{GpuIndex{0}, {Placement{0, 4}}}}};
const Scope kWholeNode{};

Workload unasked(const std::string& id, const std::string& way) {
  Workload pod = running(id, "alice", {holds_some("n1", "", 0)});
  pod.kind = WorkloadKind::pod;
  pod.requests.clear();
  pod.unasked = way;
  return pod;
}

class BlastRadius : public ::testing::Test {
 protected:
  void SetUp() override {
    story.tell(NodesListed{
        {node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  }
  std::vector<Disturbed> named(const Scope& scope) {
    return blast_radius(story.cluster(), story.node("n1"), {}, scope, catalogue(), at(0));
  }
  std::vector<std::string> ids(const Scope& scope) {
    std::vector<std::string> all;
    for (const Disturbed& one : named(scope)) all.push_back(one.id.text);
    return all;
  }
  // By the condition that a run waits for.
  std::string in_the_way(const Scope& scope) {
    NodeFacts facts;
    facts.node = story.node("n1");
    for (const Workload& one : story.cluster().workloads.all()) facts.workloads.push_back(one);
    return unmet(ScopeEmpty{scope}, facts, "r1").value_or("");
  }
  Story story;
};

using Ids = std::vector<std::string>;

// "No workload is disturbed", of a node with a privileged pod that tessera itself had flagged.
TEST_F(BlastRadius, NamesWhoReachesTheGpusWithoutHavingAsked) {
  story.tell(WorkloadsListed{{unasked("ml/debug", "privileged")}});
  for (const Scope& scope : {kFirstBoard, kFirstPlace, kWholeNode}) {
    ASSERT_EQ(ids(scope), Ids{"ml/debug"});
    EXPECT_EQ(named(scope)[0].hit, Hit::unasked);
    EXPECT_EQ(named(scope)[0].unasked, "privileged");
    EXPECT_NE(in_the_way(scope), "");
  }
  EXPECT_EQ(in_the_way(kFirstBoard), "ml/debug uses GPUs that it did not ask for (privileged)");
  Workload over = unasked("ml/debug", "privileged");
  over.state = WorkloadState::ended;
  story.tell(WorkloadSeen{over});
  EXPECT_EQ(in_the_way(kFirstBoard), "");
}

TEST_F(BlastRadius, APodOfADaemonSetThatOnlyLooksOnIsNamedAndNotWaitedFor) {
  Workload agent = unasked("monitoring/agent", "runtimeClassName nvidia");
  agent.stays = true;
  story.tell(WorkloadsListed{{agent}});
  ASSERT_EQ(ids(kFirstBoard), Ids{"monitoring/agent"});
  EXPECT_TRUE(named(kFirstBoard)[0].stays);
  for (const Scope& scope : {kFirstBoard, kWholeNode})
    EXPECT_EQ(in_the_way(scope), "") << "evicted or not, it is there again at once";
  Workload holder = running("monitoring/burn", "DaemonSet/burn", {holds("n1", {{0, 1}})});
  holder.stays = true;
  story.tell(WorkloadSeen{holder});
  EXPECT_NE(in_the_way(kFirstBoard).find("monitoring/burn"), std::string::npos)
      << "one that holds a GPU keeps the driver from changing it";
}

TEST_F(BlastRadius, WhatComesBackAtOnceIsNotEvicted) {
  Intent intent;
  intent.options.way = Way::cancel;
  const Means can = gpu_operator_capabilities();
  NodeChange change{story.node("n1"), Scheduler::kubernetes, intent, can, {}, kFirstBoard, {}, {}, {}, {},
                    nullptr};
  change.blast_radius.resize(2);
  change.blast_radius[0].id = WorkloadId("monitoring/burn");
  change.blast_radius[0].stays = true;
  change.blast_radius[1].id = WorkloadId("ml/train");
  auto away = sent_away(change);
  ASSERT_EQ(away.size(), 1u);
  EXPECT_EQ(away[0]->id.text, "ml/train");
}

TEST_F(BlastRadius, ANoticeSaysWhatComesBackAtOnceAndWhatATaintKeepsOff) {
  Node told = story.node("n1");
  told.taints = {"nvidia.com/gpu:NoSchedule", "team=x:NoExecute", "slow:PreferNoSchedule"};
  Intent intent;
  const Means can = gpu_operator_capabilities();
  NodeChange change{told, Scheduler::kubernetes, intent, can, {}, kFirstBoard, {}, {}, {}, {}, nullptr};
  change.blast_radius.resize(2);
  change.blast_radius[0].id = WorkloadId("monitoring/burn");
  change.blast_radius[0].user = "DaemonSet/burn";
  change.blast_radius[0].stays = true;
  change.blast_radius[1] = change.blast_radius[0];
  change.blast_radius[1].unasked = "runtimeClassName nvidia";
  std::vector<std::string> texts;
  for (const Notice& one : notices_for(change, {}))
    if (one.rule == "stays" || one.rule == "taints") texts.push_back(one.text);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_NE(texts[0].find("it is not evicted, the run waits"), std::string::npos);
  EXPECT_NE(texts[1].find("(runtimeClassName nvidia)"), std::string::npos);
  EXPECT_EQ(
      texts[2],
      "n1 is tainted team=x:NoExecute: of the work that waits only what tolerates that can start there");
}

// A pod whose image is still being pulled was in HELD and not in the plan.
TEST_F(BlastRadius, NamesAPodThatHasItsNodeAndDoesNotRunYet) {
  Workload pulling = running("ml/train", "alice", {holds("n1", {{0, 1}})});
  pulling.state = WorkloadState::pending;
  pulling.reason = "ImagePullBackOff";
  story.tell(WorkloadsListed{{pulling, waiting("ml/queued", "bob", "nvidia.com/gpu")}});
  for (const Scope& scope : {kFirstBoard, kWholeNode}) {
    EXPECT_EQ(ids(scope), Ids{"ml/train"}) << "and not one that has no node yet";
    EXPECT_NE(in_the_way(scope).find("ml/train"), std::string::npos);
  }
}

TEST_F(BlastRadius, NamesWorkThatIsSuspendedOrCompleting) {
  Workload still = running("7", "alice", {holds("n1", {{0, 1}})}),
           ending = running("8", "bob", {holds("n1", {{1, 1}})});
  still.state = WorkloadState::suspended;
  ending.state = WorkloadState::completing;
  story.tell(WorkloadsListed{{still, ending}});
  EXPECT_EQ(ids(kWholeNode), (Ids{"7", "8"}));
  EXPECT_EQ(ids(kFirstBoard), Ids{"7"});
  EXPECT_NE(in_the_way(kWholeNode), "");
}

// "7 (alice) holds GPU 0" was all that a run that waited for eight GPUs said.
TEST_F(BlastRadius, WhatIsInTheWayIsCountedBehindTheFirst) {
  const auto held_by = [&](std::vector<DeviceShare> devices) {
    std::vector<Gpu> gpus;
    for (int i = 0; i < 4; ++i) gpus.push_back(gpu(i, Strategy::whole, {whole(i)}));
    story.tell(NodesListed{{node("n1", std::move(gpus))}});
    story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", std::move(devices))})}});
    return in_the_way(Scope{{{GpuIndex{0}, {}}, {GpuIndex{1}, {}}, {GpuIndex{2}, {}}}});
  };
  EXPECT_EQ(held_by({{0, 1}}), "7 (alice) holds GPU 0");
  EXPECT_EQ(held_by({{0, 1}, {1, 1}}), "7 (alice) holds GPU 0, and 1 more is in use");
  EXPECT_EQ(held_by({{0, 1}, {1, 1}, {2, 1}, {3, 1}}), "7 (alice) holds GPU 0, and 2 more are in use")
      << "what is not in the way is not counted";
}

TEST_F(BlastRadius, ASliceWhosePlaceIsNotToldFillsItsBoard) {
  Slice somewhere = instance("3g.40gb", 4, 4, 0);
  somewhere.placement.reset();
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {somewhere})})}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})})}});
  EXPECT_EQ(ids(kFirstPlace), Ids{"7"});
  EXPECT_EQ(in_the_way(kFirstPlace), "7 (alice) holds GPU 0 3g.40gb");
  EXPECT_EQ(ids(Scope{{{GpuIndex{1}, {Placement{0, 4}}}}}), Ids{}) << "not another one";
}

TEST_F(BlastRadius, ASliceWhoseBoardIsNotToldMayBeOnAnyOfThem) {
  Slice loose = instance("3g.40gb", 0, 4, 5);
  loose.placement.reset();
  Node told = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  told.pool = {loose};
  story.tell(NodesListed{{told}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{5, 1}})})}});
  EXPECT_EQ(ids(kFirstBoard), Ids{"7"});
  EXPECT_EQ(in_the_way(kFirstBoard), "7 (alice) holds a 3g.40gb");
}

TEST_F(BlastRadius, APlanRestsOnWhoReachesTheGpusUnasked) {
  story.tell(WorkloadsListed{{unasked("ml/debug", "privileged")}});
  auto lines = relied_on(story.cluster(), story.node("n1"), {GpuIndex{0}}, kFirstBoard);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "GPUs used unasked by ml/debug (privileged)"), lines.end());
}

// A look at thousands of nodes asks for it without their plans: it may name no other than these do.
TEST_F(BlastRadius, WhomAChangeDisturbsIsTheSameWithoutThePlan) {
  story.tell(
      WorkloadsListed{{running("1", "alice", {holds_some("n1", "", 1)}), unasked("ml/debug", "privileged")}});
  const Means can = simulator_capabilities();
  for (const char* profile : {"3g.40gb", "7g.80gb"}) {
    Intent intent;
    intent.cluster = story.cluster().name;
    intent.nodes = {NodeName("n1")};
    Wish wish;
    wish.strategy = Strategy::mig;
    wish.instances = {{ProfileName(profile), std::nullopt}};
    intent.boards = {{GpuIndex{0}, wish}};
    const auto plan = make_plan(story.cluster(), catalogue(), intent, can, {}, at(0));
    const auto whom = disturbed_by(story.cluster(), catalogue(), intent, can, {}, at(0));
    ASSERT_TRUE(plan && whom) << (plan ? to_line(whom.error()) : to_line(plan.error()));
    ASSERT_EQ(whom->size(), 1U);
    EXPECT_FALSE(whom->front().whom.empty());
    EXPECT_EQ(whom->front().whom, plan->nodes.front().blast_radius);
  }
  Intent stays;
  stays.cluster = story.cluster().name;
  stays.nodes = {NodeName("n1")};
  stays.boards = {{GpuIndex{0}, Wish{}}};
  const auto plan = make_plan(story.cluster(), catalogue(), stays, can, {}, at(0));
  const auto whom = disturbed_by(story.cluster(), catalogue(), stays, can, {}, at(0));
  ASSERT_TRUE(plan && whom);
  EXPECT_EQ(whom->front().whom, plan->nodes.front().blast_radius) << "nothing changes";
}

}  // namespace
}  // namespace tessera::plan
