// Running work that is moved for a demand: which may be, and the fewest jobs.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>

#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/pack_world.hpp"
#include "tests/support/packing.hpp"

namespace tessera::pack {
namespace moved_test {
namespace {

using test::packing::answer;
using test::packing::read;

// One instance was moved, and all eight jobs of its node with it, rather than the two of a quiet one.
TEST(Moved, ANodeIsChosenByTheJobsThatAreSentAwayAndNotByTheInstancesThatLoseTheirPlace) {
  const Problem problem = read(R"(
mode: whole-node
evict: true
demand: {7g.80gb: 1}
boards:
- {node: busy, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
- {node: busy, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true},
    {profile: 1g.10gb, start: 1, held: true}, {profile: 1g.10gb, start: 2, held: true},
    {profile: 1g.10gb, start: 3, held: true}, {profile: 1g.10gb, start: 4, held: true},
    {profile: 1g.10gb, start: 5, held: true}, {profile: 1g.10gb, start: 6, held: true}]}
- {node: quiet, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true},
    {profile: 1g.10gb, start: 1, held: true}]}
- {node: other, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0},
    {profile: 1g.10gb, start: 1}, {profile: 1g.10gb, start: 2, held: true},
    {profile: 1g.10gb, start: 3, held: true}, {profile: 1g.10gb, start: 4, held: true},
    {profile: 1g.10gb, start: 5, held: true}, {profile: 1g.10gb, start: 6, held: true}]}
)");
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  ASSERT_EQ(packed.boards.size(), 1u);
  EXPECT_EQ(problem.boards[packed.boards[0].board].node, NodeName("quiet"));
  EXPECT_EQ(packed.evicted, 2);
  EXPECT_EQ(disturbed(problem, packed), "jobs and pods on nodes that change: 2; no plan has fewer");
}

// Of what is moved it was not asked whether it starts again.
TEST(Moved, WhatMayNotBeMovedStaysAlsoWhereOtherWorkIsMoved) {
  Problem problem = read(R"(
evict: true
demand: {7g.80gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 3g.40gb, start: 0, held: true}]}
)");
  problem.boards[0].instances[0].stays = true;
  Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  ASSERT_EQ(packed.boards.size(), 2u);
  EXPECT_TRUE(packed.boards[0].evict.empty());
  EXPECT_EQ(packed.boards[1].evict.size(), 1u) << "the other one finds its place beside what stays";
  problem.boards[1].instances[0].stays = true;
  EXPECT_EQ(why_invalid(problem, packed), "n1 GPU 1: evicts what is not running there, or may not be moved");
  packed = answer(problem);
  EXPECT_EQ(packed.unmet, std::vector<int>{1});
  EXPECT_TRUE(packed.boards.empty());
}

// It was moved to wherever there was room, and that it may not run there was told as not checked.
TEST(Moved, WorkStaysWhereNoNodeThatItMayUseHasRoomForIt) {
  Problem problem = read(R"(
evict: true
demand: {7g.80gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
- {node: n2, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 3g.40gb, start: 0, held: true}]}
)");
  problem.boards[1].instances[0].stays = true;
  Homes& homes = problem.boards[0].instances[0].homes;
  const auto only = [](const char* node) {
    return Homes{std::make_shared<const std::set<NodeName>>(std::set<NodeName>{NodeName(node)})};
  };
  for (const Homes& open : {Homes{}, only("n2")}) {
    homes = open;
    const Answer packed = answer(problem);
    EXPECT_TRUE(packed.met());
    EXPECT_EQ(packed.evicted, 1);
    EXPECT_EQ(packed.homeless, 0);
  }
  homes = only("n1");
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, std::vector<int>{1});
  EXPECT_TRUE(packed.boards.empty());
  EXPECT_FALSE(packed.bounds.unmet_proven) << "other work might have been moved";
  EXPECT_EQ(packed.reason[0],
            "running work that would be moved for it has no room on those of these nodes that it may use");
}

// The idle instance on n2 is a place for it, as far as is known, and is none where its work may use n1 alone.
TEST(Moved, WhatHasNoNodeToGoToIsCountedWhereMoreIsMetByMovingIt) {
  Problem problem = read(R"(
evict: true
demand: {3g.40gb: 2}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 7g.80gb, start: 0, held: true}]}
)");
  problem.spare.push_back({NodeName("n2"), ProfileName("7g.80gb"), problem.products[0], 1});
  EXPECT_TRUE(answer(problem).met());
  problem.boards[0].instances[0].homes.nodes =
      std::make_shared<const std::set<NodeName>>(std::set<NodeName>{NodeName("n1")});
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, std::vector<int>{0});
  EXPECT_EQ(packed.evicted, 1);
  EXPECT_EQ(packed.homeless, 1);
  EXPECT_FALSE(packed.met());
  EXPECT_FALSE(packed.bounds.unmet_proven || packed.bounds.gpus_proven);
}

// n1 is in partition short and n2 in partition long; alice's job on n1 is of these. Beside what stays on n2
// there is room for it.
Answer moved_for_7g(const std::string& partitions) {
  test::Story story;
  const auto cut = [] { return test::gpu(0, Strategy::mig, {test::instance("1g.10gb", 0, 1, 0)}); };
  Node first = test::node("n1", {cut()}), second = test::node("n2", {cut()});
  first.partitions = {"short"}, second.partitions = {"long"};
  story.tell(NodesListed{{first, second}});
  Workload job = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  Workload staying = test::running("2", "bob", {test::holds("n2", {{0, 1}})});
  job.restartable = true, job.group = partitions;
  staying.restartable = false, staying.group = "long";
  story.tell(WorkloadsListed{{job, staying}});
  story.tell(Loaded{});
  story.model.clusters.front().scheduler = Scheduler::slurm;
  const std::vector<NodeName> nodes{NodeName("n1"), NodeName("n2")};
  Problem problem = problem_of(story.cluster(), nodes, test::catalogue(), plan::simulator_capabilities(),
                               std::nullopt, std::nullopt, nullptr, true)
                        .problem;
  problem.evict = true;
  problem.demand = {{ProfileName("7g.80gb"), std::nullopt, 1}};
  return answer(problem);
}

TEST(Moved, AJobOfAPartitionIsMovedToNodesOfItsPartitionAlone) {
  EXPECT_TRUE(moved_for_7g("short,long").met());
  const Answer kept = moved_for_7g("short");
  EXPECT_EQ(kept.unmet, std::vector<int>{1});
  EXPECT_EQ(kept.evicted, 0);
}

// Node n1 with a GPU of two instances; alice's job holds the first, or both.
ClusterProblem with_alice_on_slices(bool both, std::optional<bool> restartable,
                                    const plan::Capabilities& can = plan::simulator_capabilities()) {
  test::Story story;
  Gpu cut =
      test::gpu(0, Strategy::mig, {test::instance("3g.40gb", 0, 4, 0), test::instance("3g.40gb", 4, 4, 1)});
  story.tell(NodesListed{{test::node("n1", {cut})}});
  Workload job = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  if (both) job = test::running("1", "alice", {test::holds("n1", {{0, 1}, {1, 1}})});
  job.restartable = restartable;
  story.tell(WorkloadsListed{{job}});
  story.tell(Loaded{});
  const std::vector<NodeName> nodes{NodeName("n1")};
  return problem_of(story.cluster(), nodes, test::catalogue(), can, std::nullopt, std::nullopt, nullptr,
                    true);
}

// It was asked of whole GPUs alone: a slice was taken from a job that does not start again.
TEST(Moved, ASliceIsMovedWhereItsJobStartsAgainAndHoldsNothingElse) {
  const auto first = [](const ClusterProblem& found) { return found.problem.boards.at(0).instances.at(0); };
  EXPECT_TRUE(first(with_alice_on_slices(false, true)).held);
  EXPECT_FALSE(first(with_alice_on_slices(false, true)).stays);
  EXPECT_TRUE(first(with_alice_on_slices(false, false)).stays);
  EXPECT_TRUE(first(with_alice_on_slices(false, std::nullopt)).stays) << "it is not told";
  EXPECT_TRUE(first(with_alice_on_slices(true, true)).stays) << "the other slice would be lost, too";
}

TEST(Moved, OnANodeThatIsDrainedAJobOnTwoSlicesIsOneJobAndMayBeMoved) {
  const ClusterProblem found = with_alice_on_slices(true, true, plan::slurm_capabilities());
  ASSERT_EQ(found.problem.mode, Mode::whole_node);
  ASSERT_EQ(found.problem.busy.size(), 1u);
  EXPECT_EQ(found.problem.busy[0].running, 1) << "one job, on two slices";
  for (const Instance& one : found.problem.boards.at(0).instances) EXPECT_TRUE(one.held && !one.stays);
  const ClusterProblem staying = with_alice_on_slices(true, false, plan::slurm_capabilities());
  for (const Instance& one : staying.problem.boards.at(0).instances) EXPECT_TRUE(one.stays);
}

// Three nodes with an A30 that is cut at random, whose instances jobs hold, some of them several. Beside it
// may stand a whole one, which a job holds that does not start again.
struct Drained {
  test::Story story;
  test::JobsByNode jobs;
  Problem problem;

  explicit Drained(std::mt19937& random) {
    test::PackKind kind;
    kind.products = {test::catalogue().by_key("A30-24GB")};
    kind.boards_a_node = 1, kind.held = 0.7;
    const Problem drawn = test::random_problem(kind, random);
    std::vector<Node> nodes;
    std::vector<NodeName> names;
    for (const Board& board : drawn.boards) {
      nodes.push_back(test::node(board.node.text, {cut(board, random)}));
      names.push_back(board.node);
      if (random() % 2 == 0) continue;
      nodes.back().gpus.push_back(a30(1, Strategy::whole, {test::whole(9)}));
      add_job(board.node, {{9, 1}}, false);
    }
    story.tell(NodesListed{std::move(nodes)});
    story.tell(WorkloadsListed{work_});
    story.tell(Loaded{});
    problem = problem_of(story.cluster(), names, test::catalogue(), plan::slurm_capabilities(), std::nullopt,
                         std::nullopt, nullptr, true)
                  .problem;
    problem.evict = true;
    problem.demand = drawn.demand;
  }

 private:
  static Gpu a30(int index, Strategy strategy, std::vector<Slice> slices) {
    Gpu gpu = test::gpu(index, strategy, std::move(slices));
    gpu.product = ProductKey("A30-24GB"), gpu.model = "NVIDIA A30";
    return gpu;
  }
  Gpu cut(const Board& board, std::mt19937& random) {
    const mig::Product& product = *test::catalogue().by_key("A30-24GB");
    std::vector<Slice> slices;
    std::vector<DeviceShare> mine;  // of the job that holds the next one, too
    for (const Instance& one : board.instances) {
      const mig::Profile& profile = product.profiles[static_cast<std::size_t>(one.placed.profile)];
      const int device = static_cast<int>(slices.size());
      slices.push_back(test::instance(profile.name.text, one.placed.start, profile.memory_slices, device));
      if (!one.held) continue;
      mine.push_back({device, 1});
      if (random() % 2 == 0) add_job(board.node, std::exchange(mine, {}), true);
    }
    if (!mine.empty()) add_job(board.node, std::move(mine), true);
    return a30(0, Strategy::mig, std::move(slices));
  }
  void add_job(const NodeName& node, std::vector<DeviceShare> devices, bool restartable) {
    const std::string id = std::to_string(work_.size() + 1);
    work_.push_back(test::running(id, "alice", {test::holds(node.text, std::move(devices))}));
    work_.back().restartable = restartable;
    jobs[node].insert(id);
  }

  std::vector<Workload> work_;
};

// Eight jobs were sent away where two would have done: instances were counted, and a job on four as four.
TEST(Moved, NoChangeOfDrainedNodesSendsFewerJobsAway) {
  std::mt19937 random(9);
  int moved = 0;
  for (int run = 0; run < 40; ++run) {
    const Drained site(random);
    const auto packed = pack(site.problem);
    ASSERT_TRUE(packed.ok()) << run << ": " << to_line(packed.error());
    std::set<std::string> away;
    for (const BoardPlan& plan : packed->boards)
      if (const auto at = site.jobs.find(site.problem.boards[plan.board].node); at != site.jobs.end())
        away.insert(at->second.begin(), at->second.end());
    EXPECT_EQ(packed->running_on_touched_nodes, static_cast<int>(away.size())) << run;
    const std::size_t sent = packed->evicted > 0 ? away.size() : 0;
    moved += packed->evicted > 0 ? 1 : 0;
    EXPECT_EQ(static_cast<std::int64_t>(sent), test::fewest_sent_away(site.problem, site.jobs)) << run;
  }
  EXPECT_GT(moved, 0) << "choose another seed";
}

// Nothing is moved by these, and the plan sent away whoever was in its way.
TEST(Moved, WhereNothingIsMovedWorkInTheWayIsWaitedFor) {
  Answer answer;
  EXPECT_EQ(way_of(answer, plan::Way::requeue), plan::Way::wait);
  answer.evicted = 1;
  EXPECT_EQ(way_of(answer, plan::Way::requeue), plan::Way::requeue);
  EXPECT_EQ(way_of(answer, plan::Way::wait), plan::Way::wait);
}

}  // namespace
}  // namespace moved_test
}  // namespace tessera::pack
