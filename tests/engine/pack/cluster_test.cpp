// What of a cluster may be planned, and what counts as free.
#include "engine/pack/cluster.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tessera::pack
