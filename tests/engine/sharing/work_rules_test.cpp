// Live: pods and jobs as they run or wait, held against what their platform takes.
#include "engine/sharing/work_rules.hpp"

#include <gtest/gtest.h>

#include "engine/guide/findings.hpp"
#include "tests/engine/sharing/sharing_build.hpp"
#include "tests/support/build.hpp"

namespace tessera::sharing {
namespace {

Node shared_node(const std::string& name, Strategy method, int replicas, SliceKind kind) {
  Slice slice = test::whole(0);
  slice.kind = kind, slice.capacity = replicas;
  Gpu gpu = test::gpu(0, method, {slice});
  gpu.replicas = replicas;
  return test::node(name, {gpu});
}

Workload pod(const std::string& id, std::int64_t count, bool host_ipc = true, int processes = 0) {
  Workload one = test::running(id, "alice", {test::holds("n1", {})});
  one.kind = WorkloadKind::pod;
  one.name = id.substr(id.find('/') + 1);
  one.requests = {{"nvidia.com/gpu", count}};
  one.pod = PodUse{"main", processes, host_ipc};
  return one;
}

test::Story told(Scheduler scheduler, Node node, std::vector<Workload> work,
                 const std::string& version = "kubernetes v1.32.2") {
  test::Story story;
  ClusterSeen seen;
  seen.scheduler = scheduler, seen.version = version;
  story.tell(seen);
  story.tell(NodesListed{{std::move(node)}});
  story.tell(WorkloadsListed{std::move(work)});
  return story;
}

std::vector<std::string> rules_of(const std::vector<WorkFinding>& found) {
  std::vector<std::string> all;
  for (const WorkFinding& one : found) all.push_back(one.workload.text + " " + one.rule);
  return all;
}
using Rules = std::vector<std::string>;

std::vector<WorkFinding> live(const test::Story& story, Platform platform) {
  return check_work(story.cluster(), test::catalogue(), platform);
}

TEST(Live, UnderMpsAContainerAsksForExactlyOneRunsOneProcessAndItsPodSetsHostIpc) {
  const auto story =
      told(Scheduler::kubernetes, shared_node("n1", Strategy::mps, 8, SliceKind::mps),
           {pod("a/good", 1), pod("a/many", 2), pod("a/alone", 1, false), pod("a/mpi", 1, true, 4)});
  const auto found = live(story, Platform::fpt);
  EXPECT_EQ(rules_of(found), (Rules{"a/alone fpt-c", "a/many fpt-c", "a/mpi fpt-c"}));
  EXPECT_EQ(found[1].text, "a/many: container main asks for 2 GPUs; with MPS it must ask for exactly 1");
  EXPECT_EQ(found[2].text, "a/mpi: container main runs 4 processes; with MPS it may run one");
  EXPECT_EQ(found[0].node, NodeName("n1"));
  EXPECT_FALSE(found[0].hint.empty());
}

// A source that does not tell hostIPC is no pod without it.
TEST(Live, WhatIsNotToldOfAPodBreaksNoRule) {
  Workload untold = pod("a/untold", 1);
  untold.pod.reset();
  EXPECT_TRUE(live(told(Scheduler::kubernetes, shared_node("n1", Strategy::mps, 8, SliceKind::mps), {untold}),
                   Platform::fpt)
                  .empty());
}

TEST(Live, SeveralSharesByTimeSlicingGiveNothingMore) {
  const Node node = shared_node("n1", Strategy::time_slicing, 4, SliceKind::time_slice);
  const auto found =
      live(told(Scheduler::kubernetes, node, {pod("a/two", 2), pod("a/one", 1)}), Platform::gpu_operator);
  EXPECT_EQ(rules_of(found), Rules{"a/two share-request"});
  EXPECT_EQ(found[0].text,
            "a/two: container main asks for 2 of nvidia.com/gpu; these are shares by time-slicing, and more "
            "than 1 gives it nothing more");
  EXPECT_EQ(rules_of(live(told(Scheduler::kubernetes, node, {pod("a/two", 2)}), Platform::fpt)),
            Rules{"a/two fpt-d"});
  // Two containers with one share each ask for one each.
  Workload both = pod("a/both", 2);
  both.requests[0].largest = 1;
  EXPECT_TRUE(live(told(Scheduler::kubernetes, node, {both}), Platform::gpu_operator).empty());
}

TEST(Live, APodThatWaitsIsJudgedByTheNodesThatOfferWhatItAsksFor) {
  Workload waits = test::waiting("a/waits", "bob", "nvidia.com/gpu");
  waits.kind = WorkloadKind::pod, waits.requests[0].count = 3, waits.pod = PodUse{"main", 0, true};
  const Node node = shared_node("n1", Strategy::mps, 8, SliceKind::mps);
  EXPECT_EQ(rules_of(live(told(Scheduler::kubernetes, node, {waits}), Platform::gpu_operator)),
            Rules{"a/waits plugin-request"});
  waits.requests[0].resource = "nvidia.com/mig-1g.10gb";
  EXPECT_TRUE(live(told(Scheduler::kubernetes, node, {waits}), Platform::gpu_operator).empty());
}

// It may start on the node whose shares allow it: what another node would refuse is no finding.
TEST(Live, APodThatWaitsIsNotWarnedOfANodeThatItNeedNotGoTo) {
  Workload waits = test::waiting("a/waits", "bob", "nvidia.com/gpu");
  waits.kind = WorkloadKind::pod, waits.requests[0].count = 2, waits.pod = PodUse{"main", 0, true};
  const Node shares = shared_node("n1", Strategy::mps, 8, SliceKind::mps);
  const Node wholes = test::node("n2", {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                        test::gpu(1, Strategy::whole, {test::whole(1)})});
  test::Story story = told(Scheduler::kubernetes, shares, {waits});
  EXPECT_FALSE(live(story, Platform::fpt).empty());
  for (const auto& order : {std::vector<Node>{shares, wholes}, std::vector<Node>{wholes, shares}}) {
    story.tell(NodesListed{order});
    EXPECT_EQ(rules_of(live(story, Platform::fpt)), Rules{});
  }
}

TEST(Live, APodThatCompletesOrHasItsNodeIsNotJudgedAsOneThatWaits) {
  const Node node = shared_node("n1", Strategy::mps, 8, SliceKind::mps);
  Workload over = pod("a/over", 3);
  const auto found = [&] { return live(told(Scheduler::kubernetes, node, {over}), Platform::gpu_operator); };
  EXPECT_EQ(found().size(), 1u);
  over.state = WorkloadState::completing;
  EXPECT_TRUE(found().empty());
  // Its image is being pulled: it is judged on the node that it has, once.
  over.state = WorkloadState::pending;
  EXPECT_EQ(found().size(), 1u);
}

TEST(Live, OnWholeGpusOfTheManagedPlatformAPodAsksForNoMoreThanAWorkerHas) {
  Workload waits = test::waiting("a/waits", "bob", "nvidia.com/gpu");
  waits.kind = WorkloadKind::pod, waits.requests[0].count = 3, waits.pod = PodUse{"main", 0, true};
  Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                test::gpu(1, Strategy::whole, {test::whole(1)})});
  node.features = {"nvidia.com/mig.strategy=mixed"};
  node.allocatable = {{"nvidia.com/gpu", 2}};
  const auto found = live(told(Scheduler::kubernetes, node, {waits}), Platform::fpt);
  EXPECT_EQ(rules_of(found), Rules{"a/waits fpt-e"});
  EXPECT_NE(found[0].text.find("asks for 3 GPUs, n1 has 2; a GPU serves one container"), std::string::npos);
  EXPECT_TRUE(live(told(Scheduler::kubernetes, node, {waits}), Platform::gpu_operator).empty());
  // Three containers with one GPU each ask for as many.
  waits.requests[0].largest = 1;
  EXPECT_EQ(rules_of(live(told(Scheduler::kubernetes, node, {waits}), Platform::fpt)),
            Rules{"a/waits fpt-e"});
  waits.requests[0].count = 2;
  EXPECT_TRUE(live(told(Scheduler::kubernetes, node, {waits}), Platform::fpt).empty());
}

TEST(Live, AJobAsksMpsForOneGpuAtMost) {
  Workload much = test::waiting("7", "bob", "mps"), spread = test::waiting("8", "bob", "mps");
  much.requests[0].count = 150;
  spread.requests[0].count = 150, spread.node_count = 2;
  const auto found =
      live(told(Scheduler::slurm, test::node("n1", {}), {much, spread}, "slurm 24.11"), Platform::slurm);
  EXPECT_EQ(rules_of(found), Rules{"7 mps-one-gpu"});
  EXPECT_NE(found[0].text.find("7 asks for mps:150, more than one GPU has"), std::string::npos);
}

TEST(Live, AcksVersionsAreHeldAgainstWhatSharingNeeds) {
  const Node node = test::node("n1", {});
  EXPECT_EQ(rules_of(live(told(Scheduler::kubernetes, node, {}, "kubernetes v1.18.8"), Platform::ack)),
            Rules{" ack-version"});
  EXPECT_EQ(rules_of(live(
                told(Scheduler::kubernetes, node, {}, "kubernetes v1.28.3-aliyun.1, sharing component 1.9.9"),
                Platform::ack)),
            Rules{" ack-component"});
  for (const char* good : {"kubernetes v1.28.3-aliyun.1, sharing component 1.9.13", "kubernetes v1.28.3", ""})
    EXPECT_TRUE(live(told(Scheduler::kubernetes, node, {}, good), Platform::ack).empty()) << good;
  EXPECT_TRUE(live(told(Scheduler::kubernetes, node, {}, "kubernetes v1.18.8"), Platform::eks).empty());
}

TEST(Live, SeenHereHoldsHabitsAndRulesTogether) {
  Workload several = pod("a/several", 1);
  several.requests = {{"nvidia.com/mig-1g.10gb", 2}};
  const auto story =
      told(Scheduler::kubernetes, shared_node("n1", Strategy::time_slicing, 4, SliceKind::time_slice),
           {several, pod("a/two", 2)});
  Rules ids;
  for (const guide::HabitFinding& one :
       guide::seen_here(story.cluster(), test::catalogue(), Platform::gpu_operator))
    ids.push_back(one.id);
  EXPECT_EQ(ids, (Rules{"several-instances", "share-request", "share-request"}));
}

}  // namespace
}  // namespace tessera::sharing
