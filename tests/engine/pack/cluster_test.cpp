// What of a cluster may be planned, and what counts as free.
#include "engine/pack/cluster.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tessera::pack
