// What of a cluster may be planned, and what counts as free.
#include "engine/pack/cluster.hpp"

#include <gtest/gtest.h>

#include "engine/operators/claimed_devices.hpp"
#include "engine/pack/pack.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::pack {
namespace {

using test::at;

// Node n1: GPU 0 held whole by job 1; GPU 1 cut into two instances, the first held by job 2.
class EndsWithin : public testing::Test {
 protected:
  // Their ends in hours; 0: without a time limit.
  ClusterProblem problem(int first, int second, int hours) {
    Gpu whole = test::gpu(0, Strategy::whole, {test::whole(0)});
    Gpu cut =
        test::gpu(1, Strategy::mig, {test::instance("3g.40gb", 0, 4, 1), test::instance("3g.40gb", 4, 4, 2)});
    std::vector<Workload> jobs{test::running("1", "alice", {test::holds("n1", {{0, 1}})}),
                               test::running("2", "bob", {test::holds("n1", {{1, 1}})})};
    if (first > 0) jobs[0].ends = at(first * 3600);
    if (second > 0) jobs[1].ends = at(second * 3600);
    story_.tell(NodesListed{{test::node("n1", {whole, cut})}});
    story_.tell(WorkloadsListed{jobs});
    story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
    story_.tell(Loaded{});
    const std::vector<NodeName> nodes{NodeName("n1")};
    return problem_of(story_.cluster(), nodes, test::catalogue(), plan::simulator_capabilities(),
                      hours > 0 ? std::optional(at(hours * 3600)) : std::nullopt);
  }
  static int held(const ClusterProblem& found) {
    int held = 0;
    for (const Board& board : found.problem.boards)
      for (const Instance& one : board.instances) held += one.held;
    return held;
  }

  test::Story story_;
};

// Node n1 with two whole GPUs; alice's job holds the first, or both.
ClusterProblem with_alice(bool both, std::optional<bool> restartable, bool evict) {
  test::Story story;
  Gpu first = test::gpu(0, Strategy::whole, {test::whole(0)}),
      second = test::gpu(1, Strategy::whole, {test::whole(1)});
  story.tell(NodesListed{{test::node("n1", {first, second})}});
  Workload job = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  if (both) job = test::running("1", "alice", {test::holds("n1", {{0, 1}, {1, 1}})});
  job.restartable = restartable;
  story.tell(WorkloadsListed{{job}});
  story.tell(Loaded{});
  const std::vector<NodeName> nodes{NodeName("n1")};
  return problem_of(story.cluster(), nodes, test::catalogue(), plan::simulator_capabilities(), std::nullopt,
                    std::nullopt, nullptr, evict);
}

// `--way requeue` left every whole GPU that was held where it was.
TEST(MovedAsAWhole, AGpuIsPlannedWhereItsJobStartsAgainAndHoldsNothingElse) {
  const ClusterProblem kept = with_alice(false, true, false);
  EXPECT_EQ(kept.problem.boards.size(), 1u);
  EXPECT_EQ(kept.left_out.count("held as a whole, or not known to be free"), 1u);
  const ClusterProblem moved = with_alice(false, true, true);
  ASSERT_EQ(moved.problem.boards.size(), 2u);
  EXPECT_TRUE(moved.left_out.empty());
  const Board& held = moved.problem.boards[0];
  EXPECT_TRUE(held.whole_held && !held.whole);
  EXPECT_TRUE(moved.problem.boards[1].whole);
  for (const auto restartable : {std::optional(false), std::optional<bool>()}) {
    const ClusterProblem fixed = with_alice(false, restartable, true);
    EXPECT_EQ(fixed.problem.boards.size(), 1u);
    EXPECT_EQ(fixed.left_out.count("held as a whole by work that does not start again by itself"), 1u);
  }
  const ClusterProblem several = with_alice(true, true, true);
  EXPECT_TRUE(several.problem.boards.empty());
  EXPECT_EQ(several.left_out.at("held as a whole by work that holds more than this GPU"), 2);
}

TEST_F(EndsWithin, WithoutItWhatIsHeldKeepsItsPlace) {
  const ClusterProblem found = problem(1, 1, 0);
  EXPECT_EQ(found.problem.boards.size(), 1u);
  EXPECT_EQ(held(found), 1);
  EXPECT_EQ(found.left_out.size(), 1u);
}

TEST_F(EndsWithin, InstancesAndWholeGpusOfWorkThatEndsByThenCountAsFree) {
  const ClusterProblem found = problem(3, 4, 4);
  ASSERT_EQ(found.problem.boards.size(), 2u);
  EXPECT_TRUE(found.problem.boards[0].instances.empty());
  EXPECT_EQ(held(found), 0);
  EXPECT_TRUE(found.left_out.empty());
}

TEST_F(EndsWithin, AnEmptyCutGpuMayBeMadeWholeAndOneThatIsHeldMayNot) {
  EXPECT_FALSE(problem(1, 1, 0).problem.boards[0].may_be_whole);
  const ClusterProblem found = problem(3, 4, 4);
  ASSERT_EQ(found.problem.boards.size(), 2u);
  EXPECT_TRUE(found.problem.boards[0].whole);
  EXPECT_FALSE(found.problem.boards[0].may_be_whole);
  EXPECT_TRUE(found.problem.boards[1].may_be_whole);
}

TEST_F(EndsWithin, WorkThatEndsLaterOrWithoutATimeLimitKeepsItsPlace) {
  EXPECT_EQ(held(problem(3, 5, 4)), 1);
  EXPECT_EQ(held(problem(3, 0, 4)), 1);
  EXPECT_EQ(problem(5, 3, 4).problem.boards.size(), 1u);
  EXPECT_EQ(problem(0, 3, 4).problem.boards.size(), 1u);
}

// As a real Slurm tells it: how many instances of a type a job holds on a node, and not which. Node n1 has
// two GPUs of two instances each, and a whole one.
class ByNumber : public testing::Test {
 protected:
  ClusterProblem problem(std::vector<Workload> jobs, std::optional<TimePoint> until = std::nullopt) {
    std::vector<Gpu> gpus{
        test::gpu(0, Strategy::mig, {test::instance("3g.40gb", 0, 4, 0), test::instance("3g.40gb", 4, 4, 1)}),
        test::gpu(1, Strategy::mig, {test::instance("3g.40gb", 0, 4, 2), test::instance("3g.40gb", 4, 4, 3)}),
        test::gpu(2, Strategy::whole, {test::whole(4)})};
    story_.tell(NodesListed{{test::node("n1", std::move(gpus))}});
    story_.tell(WorkloadsListed{std::move(jobs)});
    story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
    story_.tell(Loaded{});
    const std::vector<NodeName> nodes{NodeName("n1")};
    return problem_of(story_.cluster(), nodes, test::catalogue(), plan::slurm_capabilities(), until);
  }
  Answer asked(ClusterProblem found, int count) {
    found.problem.demand = {{ProfileName("3g.40gb"), std::nullopt, count}};
    auto packed = pack(found.problem);
    EXPECT_TRUE(packed.ok()) << to_line(packed.error());
    return packed.ok() ? *packed : Answer{};
  }

  test::Story story_;
};

TEST_F(ByNumber, OneJobLeavesTheOtherInstancesOfItsTypeFreeToServeAndNoneToCut) {
  const ClusterProblem found = problem({test::running("1", "ann", {test::holds_some("n1", "3g.40gb", 1)})});
  ASSERT_EQ(found.problem.spare.size(), 1u);
  EXPECT_EQ(found.problem.spare[0].count, 3);
  EXPECT_EQ(found.problem.spare[0].product, test::catalogue().by_key("H100-80GB-SXM5"));
  for (const Board& board : found.problem.boards)
    for (const Instance& one : board.instances) EXPECT_TRUE(one.held);
  EXPECT_TRUE(asked(found, 3).boards.empty()) << "nothing is to be done";
  const Answer more = asked(found, 4);
  EXPECT_TRUE(more.met());
  EXPECT_EQ(more.created, 1);
  EXPECT_EQ(more.running_on_touched_nodes, 1) << "one job runs there, not four";
}

TEST_F(ByNumber, InstancesWhoseWholeSetIsHeldServeNobody) {
  const ClusterProblem found = problem({test::running("1", "ann", {test::holds_some("n1", "3g.40gb", 4)})});
  EXPECT_TRUE(found.problem.spare.empty());
  EXPECT_EQ(asked(found, 1).created, 1);
}

TEST_F(ByNumber, WhatIsFreeOnceAllThatMayHoldItHasEndedIsCountedOnce) {
  Workload job = test::running("1", "ann", {test::holds_some("n1", "3g.40gb", 1)});
  job.ends = at(3600);
  const ClusterProblem found = problem({job}, at(7200));
  EXPECT_TRUE(found.problem.spare.empty());
  EXPECT_TRUE(asked(found, 4).boards.empty());
  EXPECT_EQ(asked(found, 5).running_on_touched_nodes, 0);
}

TEST_F(ByNumber, AJobOnAWholeGpuRunsOnTheNode) {
  const ClusterProblem found = problem({test::running("1", "ann", {test::holds("n1", {{4, 1}})})});
  EXPECT_EQ(found.problem.boards.size(), 2u);
  ASSERT_EQ(found.problem.busy.size(), 1u);
  EXPECT_EQ(found.problem.busy[0].running, 1);
}

// Kubernetes tells how many instances a GPU has, and not where.
TEST_F(ByNumber, AnEmptyGpuThatIsClearedAsAWholeNeedsNoPlaces) {
  std::vector<Gpu> gpus;
  for (int i = 0; i < 2; ++i) {
    std::vector<Slice> slices;
    for (const char* profile : {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"}) {
      slices.push_back(test::instance(profile, 0, 1, 0));
      slices.back().placement.reset();
      slices.back().device.reset();
      slices.back().told_held = false;
    }
    gpus.push_back(test::gpu(i, Strategy::mig, std::move(slices)));
  }
  gpus[1].slices[0].told_held = true;
  story_.tell(NodesListed{{test::node("n1", std::move(gpus))}});
  story_.tell(WorkloadsListed{{}});
  story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
  story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
  story_.tell(Loaded{});
  const std::vector<NodeName> nodes{NodeName("n1")};
  const auto problem = [&](const plan::Capabilities& can) {
    return problem_of(story_.cluster(), nodes, test::catalogue(), can);
  };
  const ClusterProblem found = problem(plan::gpu_operator_capabilities());
  ASSERT_EQ(found.problem.boards.size(), 1u);
  EXPECT_FALSE(found.problem.boards[0].placed);
  EXPECT_EQ(found.problem.boards[0].instances.size(), 4u);
  EXPECT_EQ(found.left_out, (std::map<std::string, int>{{"in use, where a change clears the whole GPU", 1}}));
  ClusterProblem asked = found;
  asked.problem.demand = {{ProfileName("7g.80gb"), std::nullopt, 1}};
  const auto packed = pack(asked.problem);
  ASSERT_TRUE(packed.ok()) << to_line(packed.error());
  EXPECT_TRUE(packed->met());
  EXPECT_EQ(packed->idle_destroyed, 4);
  // Who chooses starts has to know them.
  asked = problem(plan::slurm_capabilities());
  EXPECT_TRUE(asked.problem.boards.empty());
  asked.problem.demand = {{ProfileName("7g.80gb"), std::nullopt, 1}};
  const auto refused = pack(asked.problem);
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->reason[0], "no GPU that has the profile 7g.80gb may be planned: 2 are left out");
  auto by_product =
      read_demand(std::vector<std::string>{"H100-80GB-SXM5:7g.80gb=1"}, asked.problem, test::catalogue());
  ASSERT_FALSE(by_product.ok());
  EXPECT_NE(to_line(by_product.error()).find("no GPU of that product may be planned now"), std::string::npos);
}

// As the console asks for them, whose command is copied.
TEST_F(EndsWithin, WholeGpusOfAProductThatNoPlanMayChangeAreUnmetByTheirName) {
  Problem problem;
  problem.passed_by = {{NodeName("n1"), test::catalogue().by_key("A100-80GB"), 2}};
  const std::vector<std::string> words{"A100-80GB:whole=2"};
  const auto demand = read_demand(words, problem, test::catalogue());
  ASSERT_TRUE(demand.ok()) << to_line(demand.error());
  EXPECT_EQ(word_of(demand->front(), problem.products), "A100-80GB:whole");
  problem.demand = *demand;
  const auto packed = pack(problem);
  ASSERT_TRUE(packed.ok()) << to_line(packed.error());
  EXPECT_EQ(packed->unmet, std::vector<int>{2});
  problem = {};
  EXPECT_FALSE(read_demand(words, problem, test::catalogue()).ok()) << "none is there at all";
}

TEST_F(EndsWithin, SharesAreRefusedAsADemandByWhatMakesThem) {
  Problem problem;
  for (const char* word :
       {"shard=4", "mps=50", "nvidia.com/gpu.shared=4", "nvidia.com/mig-1g.10gb.shared=2"}) {
    const auto demand = read_demand(std::vector<std::string>{word}, problem, test::catalogue());
    ASSERT_FALSE(demand.ok()) << word;
    EXPECT_NE(demand.error().reason.find("from no layout"), std::string::npos) << demand.error().reason;
  }
  for (const char* word : {"gpu=4", "gpu:h100=4", "nvidia.com/gpu=4"}) {
    const auto demand = read_demand(std::vector<std::string>{word}, problem, test::catalogue());
    ASSERT_FALSE(demand.ok()) << word;
    EXPECT_NE(demand.error().reason.find("whole=4"), std::string::npos) << demand.error().reason;
  }
}

// 99999999999 was said to be no whole number.
TEST_F(EndsWithin, ACountThatIsTooLargeIsRefusedWithItsBound) {
  Problem problem;
  for (const char* word : {"1g.10gb=99999999999", "1g.10gb=-3"}) {
    const auto demand = read_demand(std::vector<std::string>{word}, problem, test::catalogue());
    ASSERT_FALSE(demand.ok()) << word;
    EXPECT_TRUE(demand.error().reason.ends_with("the count is not a whole number from 0 to 100000000"))
        << demand.error().reason;
  }
}

TEST_F(EndsWithin, OneGpuThatIsLeftOutIsOneGpu) {
  EXPECT_EQ(left_out_text(1, "of AMD"), "left out: 1 GPU of AMD");
  EXPECT_EQ(left_out_text(2, "of AMD"), "left out: 2 GPUs of AMD");
}

// Two A100 that are whole, beside one that is cut: their MIG mode changes by a reset of every GPU of the
// node.
class Resets : public testing::Test {
 protected:
  static Gpu a100(int index, Strategy strategy, std::vector<Slice> slices) {
    Gpu gpu = test::gpu(index, strategy, std::move(slices));
    gpu.product = ProductKey("A100-40GB");
    gpu.model = "NVIDIA A100-SXM4-40GB";
    return gpu;
  }
  ClusterProblem problem(std::vector<Node> nodes) {
    std::vector<NodeName> names;
    for (const Node& node : nodes) names.push_back(node.name);
    story_.tell(NodesListed{std::move(nodes)});
    story_.tell(WorkloadsListed{{}});
    story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
    story_.tell(Loaded{});
    return problem_of(story_.cluster(), names, test::catalogue(), plan::simulator_capabilities());
  }
  static Answer asked(ClusterProblem found, int count) {
    found.problem.demand = {{ProfileName("7g.40gb"), std::nullopt, count}};
    auto packed = pack(found.problem);
    EXPECT_TRUE(packed.ok()) << to_line(packed.error());
    return packed.ok() ? *packed : Answer{};
  }
  test::Story story_;
};

TEST_F(Resets, AGpuWhoseChangeResetsOthersIsTakenOnlyWhereNothingElseServes) {
  const ClusterProblem found =
      problem({test::node("cut", {a100(0, Strategy::whole, {test::whole(0)}),
                                  a100(1, Strategy::mig, {test::instance("3g.20gb", 0, 4, 1)})}),
               test::node("whole", {a100(0, Strategy::whole, {test::whole(0)}),
                                    a100(1, Strategy::whole, {test::whole(1)})})});
  ASSERT_EQ(found.problem.boards.size(), 4u);
  EXPECT_TRUE(found.problem.boards[0].resets_others);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(found.problem.boards[i].resets_others) << i;
  const auto taken = [&](int count) {
    std::vector<std::size_t> boards;
    for (const BoardPlan& plan : asked(found, count).boards) boards.push_back(plan.board);
    return boards;
  };
  EXPECT_EQ(taken(3), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(taken(4), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(asked(found, 5).unmet, std::vector<int>{1});
}

TEST_F(Resets, AGpuThatIsPendingOrWhoseResetWouldMakeAnotherOneSoIsLeftOut) {
  std::vector<Gpu> gpus;
  for (int i = 0; i < 3; ++i) gpus.push_back(a100(i, Strategy::whole, {test::whole(i)}));
  gpus[1].mig_mode = MigMode::enable_pending;
  gpus[2].strategy = Strategy::mig, gpus[2].slices.clear();
  const ClusterProblem found = problem({test::node("n1", std::move(gpus))});
  ASSERT_EQ(found.problem.boards.size(), 1u);
  EXPECT_EQ(found.problem.boards[0].gpu, GpuIndex{2});
  EXPECT_EQ(found.left_out,
            (std::map<std::string, int>{
                {"with a MIG mode that is pending", 1},
                {"whose change would reset another one with a MIG mode that is pending", 1}}));
  ASSERT_EQ(found.problem.spare.size(), 1u);
  EXPECT_EQ(found.problem.spare[0].count, 1) << "the one that is pending is cut by the next reset";
}

TEST_F(ByNumber, AWholeGpuBesideInstancesOfThePoolHasNoNumberAndIsLeftOut) {
  Node node = test::node("n1", {test::gpu(14, Strategy::whole, {test::whole(14)})});
  for (int i = 0; i < 3; ++i) {
    node.pool.push_back(test::instance("1g.10gb", 0, 1, i));
    node.pool.back().placement.reset();
  }
  story_.tell(NodesListed{{node}});
  story_.tell(WorkloadsListed{{test::running("1", "ann", {test::holds("n1", {{0, 1}})})}});
  story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
  story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
  story_.tell(Loaded{});
  const std::vector<NodeName> nodes{NodeName("n1")};
  const ClusterProblem found =
      problem_of(story_.cluster(), nodes, test::catalogue(), plan::slurm_capabilities());
  EXPECT_TRUE(found.problem.boards.empty());
  EXPECT_EQ(found.left_out.at("whose number on the node is not known"), 1);
  EXPECT_EQ(found.left_out.at("with instances whose placement is not known"), 1)
      << "the fewest that hold them";
  EXPECT_TRUE(asked(found, 1).boards.empty());
  ASSERT_EQ(found.problem.spare.size(), 2u);
  EXPECT_EQ(found.problem.spare[0].count, 2) << "instances of the pool that nobody holds serve";
  EXPECT_EQ(found.problem.spare[1].profile, ProfileName("whole"))
      << "so does the uncut GPU, which stays as it is";
  EXPECT_EQ(found.problem.spare[1].count, 1);
  ASSERT_TRUE(found.problem.spare[1].product) << "also for whoever asks for whole GPUs of this product";
  EXPECT_EQ(found.problem.spare[1].product->key.text, "H100-80GB-SXM5");
}

// Eight free ones of AMD met a demand of eight whole GPUs, and nothing was planned.
TEST_F(ByNumber, AWholeGpuOfAmdServesNoDemandOfWholeGpus) {
  Gpu amd = test::gpu(0, Strategy::whole, {test::whole(0)});
  amd.model = "AMD Instinct MI300X", amd.product.reset();
  Gpu other = test::gpu(0, Strategy::whole, {test::whole(0)});
  other.model = "NVIDIA L40S", other.product.reset();
  story_.tell(NodesListed{{test::node("n1", {amd}), test::node("n2", {other})}});
  story_.tell(WorkloadsListed{{}});
  story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
  story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
  story_.tell(Loaded{});
  const std::vector<NodeName> nodes{NodeName("n1"), NodeName("n2")};
  const ClusterProblem found =
      problem_of(story_.cluster(), nodes, test::catalogue(), plan::slurm_capabilities());
  ASSERT_EQ(found.problem.spare.size(), 1u);
  EXPECT_EQ(found.problem.spare[0].node, NodeName("n2"));
  EXPECT_EQ(found.problem.spare[0].count, 1);
}

TEST_F(ByNumber, GpusOfANodeThatRunsInAPodAreKubernetesToChange) {
  Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  node.host_pod = HostPod{"slurm", "worker-0"};
  story_.tell(NodesListed{{node}});
  story_.tell(Loaded{});
  const std::vector<NodeName> nodes{NodeName("n1")};
  for (const auto& can : {plan::slurm_capabilities(), plan::simulator_capabilities()}) {
    const ClusterProblem found = problem_of(story_.cluster(), nodes, test::catalogue(), can);
    EXPECT_TRUE(found.problem.boards.empty());
    EXPECT_EQ(
        found.left_out.begin()->first,
        "of a node whose slurmd runs in a pod: tessera plan of its Kubernetes node cuts them, and drains "
        "both schedulers");
  }
}

TEST_F(ByNumber, WhereASlurmdRunsInAPodItsJobsCountOnTheKubernetesNode) {
  story_.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Workload pod = test::running("slurm/worker-0", "slurm", {test::holds("n1", {{0, 1}})});
  pod.kind = WorkloadKind::pod;
  const auto found = [&](const std::string& comment, const plan::Capabilities& can) {
    pod.comment = comment;
    story_.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                               test::gpu(1, Strategy::whole, {test::whole(1)})})}});
    story_.tell(WorkloadsListed{{pod}});
    story_.tell(Loaded{});
    const std::vector<NodeName> nodes{NodeName("n1")};
    return problem_of(story_.cluster(), nodes, test::catalogue(), can);
  };
  const plan::Capabilities beside = plan::simulator_capabilities(Scheduler::kubernetes);
  const plan::Capabilities closed = plan::gpu_operator_capabilities();
  for (const char* working : {"runs slurmd of gpu01: MIXED", "runs slurmd of gpu01"}) {
    EXPECT_TRUE(found(working, beside).problem.boards.empty()) << working;
    EXPECT_EQ(found(working, closed).problem.busy[0].running, 2) << working;
  }
  EXPECT_TRUE(found("runs slurmd of gpu01: IDLE", beside).problem.boards.empty())
      << "a job may start at any time";
  EXPECT_TRUE(found("runs slurmd of gpu01: IDLE", beside).problem.spare.empty())
      << "and take what Kubernetes has for free";
  EXPECT_EQ(found("runs slurmd of gpu01: IDLE", closed).problem.busy[0].running, 1);
  EXPECT_EQ(found("runs slurmd of gpu01: IDLE+DRAIN (maintenance)", beside).problem.boards.size(), 1u);
}

// Each side sent whoever asked to the other one: on Kubernetes they were held as any other GPU is, and with
// evict the pod was one to move.
TEST_F(ByNumber, GpusOfASlurmdsPodNameThePlanThatCutsThemOnBothSides) {
  story_.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Workload pod = test::running("slurm/worker-0", "slurm", {test::holds("n1", {{0, 1}})});
  pod.kind = WorkloadKind::pod, pod.comment = "runs slurmd of gpu01: IDLE+DRAIN (maintenance)";
  pod.restartable = true;
  const std::vector<NodeName> nodes{NodeName("n1")};
  const auto left_out = [&](bool evict) {
    story_.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
    story_.tell(WorkloadsListed{{pod}});
    story_.tell(Loaded{});
    return problem_of(story_.cluster(), nodes, test::catalogue(), plan::gpu_operator_capabilities(),
                      std::nullopt, std::nullopt, nullptr, evict)
        .left_out;
  };
  for (const bool evict : {false, true}) {
    const auto all = left_out(evict);
    ASSERT_EQ(all.size(), 1u) << evict;
    EXPECT_EQ(all.begin()->first,
              "held by a pod that runs slurmd: tessera plan of their node cuts them, and drains both "
              "schedulers");
  }
  pod.comment.clear();
  EXPECT_EQ(left_out(false).begin()->first, "held as a whole, or not known to be free");
}

// Three nodes with a GPU that is cut into idle slices: d1 hands them out by claims, p1 by the device plugin
// and by profile, s1 as nvidia.com/gpu; and w1, of the strategy single, too, has a free whole GPU.
class ByName : public testing::Test {
 protected:
  ByName() {
    story_.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
    const auto idle = [] {
      return test::gpu(0, Strategy::mig,
                       {test::instance("3g.40gb", 0, 4, 0), test::instance("3g.40gb", 4, 4, 1)});
    };
    Node claims = test::node("d1", {idle()}), profiles = test::node("p1", {idle()}),
         single = test::node("s1", {idle()}),
         whole = test::node("w1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
    claims.gpus[0].origin.source = Source::kubernetes_claims;
    operators::say_way(claims, operators::DraWay::at_start);
    profiles.features = {"nvidia.com/mig.strategy=mixed"};
    single.features = whole.features = {"nvidia.com/mig.strategy=single"};
    story_.tell(NodesListed{{claims, profiles, single, whole}});
    story_.tell(WorkloadsListed{{}});
    story_.tell(Loaded{});
  }
  ClusterProblem problem(std::optional<Naming> asked) {
    const std::vector<NodeName> nodes{NodeName("d1"), NodeName("p1"), NodeName("s1"), NodeName("w1")};
    return problem_of(story_.cluster(), nodes, test::catalogue(), plan::gpu_operator_capabilities(),
                      std::nullopt, asked);
  }
  static std::vector<std::string> nodes_of(const ClusterProblem& found) {
    std::vector<std::string> nodes;
    for (const Board& board : found.problem.boards) nodes.push_back(board.node.text);
    return nodes;
  }
  // The nodes that change so that one more 1g.10gb is there.
  std::string changed_for(Naming asked) {
    ClusterProblem found = problem(asked);
    found.problem.demand = {{ProfileName("1g.10gb"), std::nullopt, 1}};
    const auto packed = pack(found.problem);
    EXPECT_TRUE(packed.ok() && packed->met());
    std::string nodes;
    for (const BoardPlan& plan : packed->boards) nodes += found.problem.boards[plan.board].node.text;
    return nodes;
  }

  test::Story story_;
};

TEST_F(ByName, EachRequestIsPlannedForOnNodesThatServeItsName) {
  EXPECT_EQ(nodes_of(problem(std::nullopt)), (std::vector<std::string>{"d1", "p1", "s1", "w1"}));
  EXPECT_EQ(nodes_of(problem(Naming::profiles)), std::vector<std::string>{"p1"});
  EXPECT_EQ(nodes_of(problem(Naming::claims)), std::vector<std::string>{"d1"});
  EXPECT_EQ(changed_for(Naming::profiles), "p1");
  EXPECT_EQ(changed_for(Naming::claims), "d1");
  const auto left_out = problem(Naming::profiles).left_out;
  EXPECT_EQ(left_out.size(), 2u) << "with a reason for claims, and one for the strategy single";
}

TEST_F(ByName, IdleSlicesWithOtherNamesMeetNothing) {
  for (const Naming asked : {Naming::profiles, Naming::claims}) {
    ClusterProblem found = problem(asked);
    found.problem.demand = {{ProfileName("3g.40gb"), std::nullopt, 3}};
    const auto packed = pack(found.problem);
    ASSERT_TRUE(packed.ok()) << to_line(packed.error());
    EXPECT_EQ(packed->unmet, std::vector<int>{1}) << "two are there by that name, and six in all";
  }
}

TEST_F(ByName, AFreeWholeGpuHasTheSameNameUnderEitherStrategy) {
  const auto whole = [&](Naming asked) {
    int count = 0;
    const ClusterProblem found = problem(asked);
    for (const Spare& spare : found.problem.spare) {
      EXPECT_EQ(spare.profile.text, "whole") << "slices of s1 serve no profile";
      count += spare.count;
    }
    return count;
  };
  EXPECT_EQ(whole(Naming::profiles), 1);
  EXPECT_EQ(whole(Naming::claims), 0);
}

}  // namespace
}  // namespace tessera::pack
