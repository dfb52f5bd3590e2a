// The packing planner: what it leaves alone, what it proves, and that nothing better exists.
#include "engine/pack/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "engine/pack/bounds.hpp"
#include "engine/pack/model.hpp"
#include "engine/pack/node_search.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/pack_world.hpp"
#include "tests/support/packing.hpp"

namespace tessera::pack {
namespace pack_test {

using test::packing::answer;
using test::packing::read;

const mig::Product& product(const char* key) { return *test::catalogue().by_key(key); }

std::string told(const Problem& problem, const Answer& packed) {
  std::string text = certificate(problem, packed) + "\n";
  for (const BoardPlan& plan : packed.boards) {
    const Board& board = problem.boards[plan.board];
    const mig::Product& of = *problem.products[board.product];
    mig::Layout created(plan.create.begin(), plan.create.end());
    text += board.node.text + "/" + std::to_string(board.gpu.value) + " keep " + mig::to_text(of, plan.keep) +
            " create " + mig::to_text(of, created) + "\n";
  }
  return text;
}

// Work on GPUs that are no part of the problem, and idle instances known by their number: on half of the
// nodes.
void add_what_no_board_tells(Problem& problem, std::mt19937& random) {
  if (problem.demand.empty()) return;
  const Nodes nodes = nodes_of(problem);
  for (std::size_t i = 0; i < nodes.boards.size(); ++i) {
    const NodeName& node = problem.boards[nodes.boards[i].front()].node;
    if (random() % 2 == 0) problem.busy.push_back({node, nodes.running[i] + static_cast<int>(random() % 3)});
    if (random() % 4 == 0)
      problem.spare.push_back({node, problem.demand[random() % problem.demand.size()].profile, nullptr, 1});
  }
}

// GPUs without instances are uncut or not, cut ones may be made whole or not, and some are asked for.
void add_whole_gpus(Problem& problem, std::mt19937& random) {
  for (Board& board : problem.boards) {
    if (board.whole_held) continue;
    board.whole = board.instances.empty() && random() % 2 == 0;
    board.may_be_whole = !board.whole && random() % 2 == 0;
  }
  if (random() % 3 == 0)
    problem.demand.push_back(
        {ProfileName("whole"), {}, 1 + static_cast<int>(random() % problem.boards.size())});
}

// Each demand may use some nodes alone, or none.
void add_pools(Problem& problem, std::mt19937& random) {
  for (Demand& one : problem.demand) {
    one.pool = problem.pools.size();
    problem.pools.emplace_back();
    for (const Board& board : problem.boards)
      if (random() % 3 != 0) problem.pools.back().insert(board.node);
  }
}

// Some of what runs may not be moved.
void add_what_stays(Problem& problem, std::mt19937& random) {
  if (!problem.evict) return;
  for (Board& board : problem.boards)
    for (Instance& instance : board.instances) instance.stays = instance.held && random() % 4 == 0;
}

// TESSERA_PACK_RUNS=100000 tries that many instead.
int runs(int usual) {
  const char* more = std::getenv("TESSERA_PACK_RUNS");
  return more ? std::atoi(more) : usual;
}

TEST(Pack, AnInstanceThatRunsStaysAndTheRestIsMadeAroundIt) {
  const Problem problem = read(R"(
demand: {3g.40gb: 1, 1g.10gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 5, held: true}]}
)");
  EXPECT_EQ(told(problem, answer(problem)),
            "touches 1 GPU on 1 node; proven minimum 1\nn1/0 keep 1g.10gb@5 create 3g.40gb@0,1g.10gb@6\n");
}

TEST(Pack, NothingChangesWhereIdleInstancesMeetTheDemand) {
  const Problem problem = read(R"(
demand: {2g.20gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 2g.20gb, start: 2}]}
)");
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  EXPECT_TRUE(packed.boards.empty());
  EXPECT_TRUE(packed.bounds.gpus_proven);
  EXPECT_EQ(headline(problem, packed), "Nothing to do: idle instances meet the demand.");
}

// "idle instances meet the demand" where there are none.
TEST(Pack, NothingThatIsAskedForIsNotADemandThatIsMet) {
  for (const char* demand : {"{}", "{7g.80gb: 0}"}) {
    const Problem problem = read(std::string("demand: ") + demand + R"(
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
)");
    const Answer packed = answer(problem);
    EXPECT_TRUE(packed.met() && packed.boards.empty());
    EXPECT_EQ(headline(problem, packed), "Nothing to do: the demand names no MIG slice and no whole GPU.");
  }
}

TEST(Pack, WhatCannotBeMetIsNamedWithTheReasonAndTheRestIsPlanned) {
  const Problem problem = read(R"(
demand: {7g.80gb: 1, 1g.10gb: 2, 1g.6gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
)");
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(packed.reason[0], "running instances leave room for 0 of 1 on 1 GPU");
  EXPECT_EQ(packed.reason[2], "none of these GPUs has the profile 1g.6gb");
  EXPECT_EQ(packed.created, 2);
  EXPECT_TRUE(packed.bounds.unmet_proven);
}

TEST(Pack, RunningInstancesAreMovedOnlyWhenAllowedAndOnlyAsFarAsNeeded) {
  const std::string text = R"(
demand: {7g.80gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 3g.40gb, start: 0, held: true}]}
)";
  EXPECT_EQ(answer(read(text)).unmet, std::vector<int>{1});
  const Problem problem = read("evict: true" + text);
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(packed.evicted, 1) << told(problem, packed);
  EXPECT_EQ(packed.gpus_touched, 2) << "the 7g on one, a place for what was evicted on the other";
}

TEST(Pack, WhatCannotBeMovedForLackOfAPlaceIsTheReasonWhereWorkMayBeMoved) {
  const Problem problem = read(R"(
evict: true
demand: {7g.80gb: 4}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
- {node: n1, gpu: 2, product: H100-80GB-SXM5, instances: [{profile: 4g.40gb, start: 0, held: true}]}
- {node: n1, gpu: 3, product: H100-80GB-SXM5, instances: [{profile: 4g.40gb, start: 0, held: true}]}
)");
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, std::vector<int>{2});
  EXPECT_EQ(packed.reason[0],
            "2 of 4 can be met: more running work would have to be moved, and finds no other place");
}

TEST(Pack, ANodeThatIsDrainedForAChangeIsTheQuietest) {
  const Problem problem = read(R"(
mode: whole-node
demand: {7g.80gb: 2}
boards:
- {node: busy, gpu: 0, product: H100-80GB-SXM5, count: 2}
- {node: busy, gpu: 2, product: H100-80GB-SXM5, instances: [{profile: 7g.80gb, start: 0, held: true}]}
- {node: a, gpu: 0, product: H100-80GB-SXM5}
- {node: b, gpu: 0, product: H100-80GB-SXM5}
)");
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.running_on_touched_nodes, 0);
  EXPECT_EQ(certificate(problem, packed), "touches 2 GPUs on 2 nodes; proven minimum 2 nodes");
}

TEST(Pack, AJobOnAGpuThatIsLeftOutCountsWhereItsNodeIsDrained) {
  Problem problem = read(R"(
mode: whole-node
demand: {7g.80gb: 3}
boards:
- {node: a, gpu: 0, product: H100-80GB-SXM5, count: 2}
- {node: b, gpu: 0, product: H100-80GB-SXM5, count: 2}
- {node: c, gpu: 0, product: H100-80GB-SXM5, count: 2}
)");
  problem.busy = {{NodeName("a"), 1}, {NodeName("b"), 0}, {NodeName("c"), 0}};
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.running_on_touched_nodes, 0);
  for (const BoardPlan& plan : packed.boards) EXPECT_NE(problem.boards[plan.board].node, NodeName("a"));
  problem.busy = {{NodeName("a"), 1}, {NodeName("b"), 2}, {NodeName("c"), 2}};
  EXPECT_EQ(answer(problem).running_on_touched_nodes, 3);
}

TEST(Pack, IdleInstancesThatAreKnownByTheirNumberAloneServeAndStay) {
  Problem problem = read(R"(
demand: {1g.10gb: 3}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
)");
  problem.spare = {{NodeName("n1"), ProfileName("1g.10gb"), nullptr, 2}};
  EXPECT_EQ(answer(problem).created, 1);
  problem.spare[0].count = 3;
  EXPECT_TRUE(answer(problem).boards.empty());
  problem.demand[0].product = 0;
  EXPECT_EQ(answer(problem).created, 3) << "of which product they are is not known";
  problem.spare[0].product = problem.products[0];
  EXPECT_TRUE(answer(problem).boards.empty());
}

// Forty nodes of many kinds: too many for a program that tells nodes apart.
Problem many_nodes(unsigned seed) {
  test::PackKind kind;
  kind.products = {&product("H100-80GB-SXM5")};
  kind.boards = 40 * 4;
  kind.boards_a_node = 4;
  kind.held = 0.6;
  std::mt19937 random(seed);
  Problem problem = test::random_problem(kind, random);
  problem.mode = Mode::whole_node;
  problem.demand.clear();
  for (int profile : mig::base_profiles(*problem.products[0], true)) {
    const mig::Profile& one = problem.products[0]->profiles[static_cast<std::size_t>(profile)];
    int idle = 0;
    for (const Board& board : problem.boards)
      for (const Instance& instance : board.instances)
        idle += !instance.held && instance.placed.profile == profile ? 1 : 0;
    problem.demand.push_back({one.name, {}, idle + 16 / one.memory_slices});
  }
  return problem;
}

TEST(Pack, ManyMixedNodesAreChosenNearWhatNoPlanCanBeBelow) {
  for (int seed = 1; seed <= runs(3); ++seed) {
    const Problem problem = many_nodes(static_cast<unsigned>(seed));
    const Answer packed = answer(problem);
    ASSERT_TRUE(packed.met()) << seed;
    EXPECT_LE(packed.bounds.running, packed.running_on_touched_nodes);
    EXPECT_LE(packed.running_on_touched_nodes, packed.bounds.running * 3 / 2 + 1)
        << seed << " " << told(problem, packed) << disturbed(problem, packed);
    EXPECT_LE(packed.nodes_touched, packed.bounds.nodes + 3) << seed << told(problem, packed);
  }
}

TEST(Pack, WhatSomeNodesLeaveUnmetIsTheSameHoweverManyWereAskedBefore) {
  const Problem problem = many_nodes(1);
  const auto classes = classify(problem);
  ASSERT_TRUE(classes.ok());
  const Nodes nodes = nodes_of(problem);
  std::mt19937 random(6);
  UnmetOn kept(*classes, nodes, {});
  bool some_unmet = false;
  for (int run = 0; run < runs(20); ++run) {
    std::vector<bool> some;
    for (std::size_t node = 0; node < nodes.boards.size(); ++node) some.push_back(random() % 16 == 0);
    const double unmet = kept(some);
    ASSERT_NEAR(unmet, UnmetOn(*classes, nodes, {})(some), 1e-6) << run;
    some_unmet = some_unmet || unmet > 1;
  }
  EXPECT_TRUE(some_unmet);
}

// Prices of one set bound every other one: whatever the search leaves out by them would not have sufficed.
TEST(Pack, NoNodesLeaveLessUnmetThanPricesOfOthersSay) {
  const Problem problem = many_nodes(2);
  const auto classes = classify(problem);
  ASSERT_TRUE(classes.ok());
  const Nodes nodes = nodes_of(problem);
  std::vector<int> needed;
  for (const Row& row : classes->rows) needed.push_back(row.count - row.standing);
  std::mt19937 random(7);
  const auto some_nodes = [&](unsigned one_in) {
    std::vector<bool> some;
    for (std::size_t node = 0; node < nodes.boards.size(); ++node) some.push_back(random() % one_in == 0);
    return some;
  };
  UnmetOn unmet(*classes, nodes, {});
  int tight = 0;
  for (int run = 0; run < runs(20); ++run) {
    const std::vector<bool> some = some_nodes(16);
    const double left = unmet(some);
    const Cut cut(*classes, nodes, unmet.prices(), needed);
    EXPECT_NEAR(cut.unmet_at_least(some), left, 1e-5) << run << ": of these nodes it says how many";
    for (const unsigned one_in : {4u, 12u, 20u}) {
      const std::vector<bool> other = some_nodes(one_in);
      const double least = cut.unmet_at_least(other), there = unmet(other);
      EXPECT_LE(least, there + 1e-5) << run;
      tight += least > 1 && least > there - 1 ? 1 : 0;
    }
  }
  EXPECT_GT(tight, 0) << "a bound that says nothing is none";
}

// Of several searches the one that leaves least unmet is taken: one that found nothing was it.
TEST(Pack, ASearchThatFoundNothingLeavesUnmetWhatStandsDoesNotServe) {
  Problem problem;
  problem.products = {test::catalogue().by_key("H100-80GB-SXM5")};
  problem.boards = {{NodeName("n1"), GpuIndex{0}, 0, {{{0, 0}, false}}}};
  problem.demand = {{problem.products[0]->profiles[0].name, std::nullopt, 3}};
  const auto classes = classify(problem);
  ASSERT_TRUE(classes);
  const Nodes nodes = nodes_of(problem);
  const Model model = by_class(*classes, nodes, std::vector<bool>(nodes.boards.size(), true));
  const Cost costs[] = {Cost::unmet, Cost::gpus};
  const Selection selection = select(model, *classes, costs, 2000, [] { return true; });
  EXPECT_TRUE(selection.passes.empty()) << "it was stopped at once";
  EXPECT_EQ(selection.unmet, std::vector<std::int64_t>{2});
}

TEST(Pack, WhetherLessCouldBeDisturbedIsSaidWhereWorkRuns) {
  const Problem problem = read(R"(
mode: whole-node
demand: {7g.80gb: 1}
boards:
- {node: a, gpu: 0, product: H100-80GB-SXM5}
- {node: a, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 7g.80gb, start: 0, held: true}]}
)");
  Answer packed = answer(problem);
  EXPECT_EQ(disturbed(problem, packed), "jobs and pods on nodes that change: 1; no plan has fewer");
  packed.bounds.running_proven = false, packed.bounds.running = 0;
  EXPECT_EQ(disturbed(problem, packed),
            "jobs and pods on nodes that change: 1; not proven least: no plan has fewer than 0");
  packed.running_on_touched_nodes = 0;
  EXPECT_EQ(disturbed(problem, packed), "");
}

TEST(Pack, WhereTheSearchEndsAboveTheBoundTheGapIsSaid) {
  Problem problem = many_nodes(1);
  Answer packed = answer(problem);
  ASSERT_LT(packed.bounds.nodes, packed.nodes_touched) << "choose another seed";
  EXPECT_EQ(certificate(problem, packed), "touches " + std::to_string(packed.gpus_touched) + " GPUs on " +
                                              std::to_string(packed.nodes_touched) +
                                              " nodes; not proven minimal: no plan needs fewer than " +
                                              std::to_string(packed.bounds.nodes) + " nodes");
  problem.mode = Mode::in_place;
  packed.gpus_touched = 14, packed.nodes_touched = 1;
  packed.bounds.gpus = 12, packed.bounds.gpus_proven = false;
  EXPECT_EQ(certificate(problem, packed),
            "touches 14 GPUs on 1 node; not proven minimal: no plan needs fewer than 12 GPUs");
}

TEST(Pack, DemandByProductIsMetOnThatProduct) {
  const Problem problem = read(R"(
demand: {H100-80GB-SXM5: {1g.10gb: 2}, A100-80GB: {1g.10gb: 3}, A30-24GB: {1g.6gb: 1}}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5}
- {node: n2, gpu: 0, product: A100-80GB}
- {node: n3, gpu: 0, product: A30-24GB}
)");
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  ASSERT_EQ(packed.boards.size(), 3u);
  EXPECT_EQ(packed.boards[0].create.size(), 2u);
  EXPECT_EQ(packed.boards[1].create.size(), 3u);
}

// Instances whose places nobody tells, and GPUs whose change resets others.
void add_doubts(Problem& problem, std::mt19937& random) {
  for (Board& board : problem.boards) {
    const bool idle = std::none_of(board.instances.begin(), board.instances.end(),
                                   [](const Instance& instance) { return instance.held; });
    board.placed = !idle || random() % 4 != 0;
    board.resets_others = problem.mode == Mode::in_place && random() % 4 == 0;
  }
}

TEST(Pack, AWholeGpuThatIsAskedForIsAnUncutOneThatNoSliceTakes) {
  const Problem problem = read(R"(
demand: {whole: 1, 3g.40gb: 2}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, whole: true}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, whole: true}
)");
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(packed.gpus_touched, 1) << told(problem, packed);
  EXPECT_FALSE(packed.boards[0].to_whole);
}

TEST(Pack, ACutGpuOnWhichNothingRunsIsMadeWholeWhereItMayBe) {
  Problem problem = read(R"(
demand: {whole: 2}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 3g.40gb, start: 0}]}
- {node: n1, gpu: 2, product: H100-80GB-SXM5, whole: true}
)");
  Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  ASSERT_EQ(packed.boards.size(), 1u);
  EXPECT_TRUE(packed.boards[0].to_whole);
  EXPECT_EQ(problem.boards[packed.boards[0].board].gpu, GpuIndex{1});
  EXPECT_EQ(packed.idle_destroyed, 1);
  EXPECT_EQ(certificate(problem, packed), "touches 1 GPU on 1 node; proven minimum 1");
  Answer wrong = packed;
  wrong.boards[0].board = 0, wrong.boards[0].destroy.clear();
  EXPECT_EQ(why_invalid(problem, wrong), "n1 GPU 0: what is kept is not what is left");
  problem.boards[1].may_be_whole = false;
  packed = answer(problem);
  EXPECT_EQ(packed.unmet, std::vector<int>{1});
  EXPECT_TRUE(packed.boards.empty());
  EXPECT_EQ(
      packed.reason[0],
      "GPUs that are whole and free, or can be made so: 1, as the others are in use, left out, or serve "
      "the rest of the demand")
      << "\"1 of 2 GPUs\" would be taken for the number of GPUs that there are";
  // Beside other products nothing said which GPUs are short.
  problem.demand[0].product = 0;
  EXPECT_EQ(answer(problem).reason[0],
            "GPUs of the product H100-80GB-SXM5 that are whole and free, or can be made so: 1, as the others "
            "are in "
            "use, left out, or serve the rest of the demand");
}

TEST(Pack, WhatRunsOnAWholeGpuIsMovedToAnotherOneWhereThatIsAllowed) {
  const std::string boards = R"(
demand: {7g.80gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, whole: true, held: true}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 3g.40gb, start: 0, held: true}]}
)";
  const Problem fixed = read(boards);
  EXPECT_EQ(answer(fixed).unmet, std::vector<int>{1});
  EXPECT_TRUE(answer(fixed).boards.empty());
  const Problem homeless = read("evict: true" + boards);
  EXPECT_FALSE(answer(homeless).met())
      << "it would have no other place: " << told(homeless, answer(homeless));
  const Problem problem = read("evict: true" + boards +
                               "- {node: n2, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: "
                               "1g.10gb, start: 0}, {profile: 1g.10gb, start: 1, held: true}]}\n"
                               "- {node: n3, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: "
                               "1g.10gb, start: 0}]}\n");
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(packed.evicted, 0) << "n3's GPU serves without anyone being moved: " << told(problem, packed);
}

TEST(Pack, AWholeGpuThatIsCutForItsRoomCountsWhatIsMoved) {
  // Without a driver's MIG mode to switch off elsewhere, the uncut GPU that is free takes the work.
  const Problem problem = read(R"(
evict: true
demand: {4g.20gb: 1}
boards:
- {node: n1, gpu: 0, product: A100-40GB, whole: true, held: true}
- {node: n2, gpu: 0, product: H100-80GB-SXM5, whole: true}
)");
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met()) << told(problem, packed);
  ASSERT_EQ(packed.boards.size(), 1u);
  EXPECT_TRUE(packed.boards[0].evicts_whole);
  EXPECT_EQ(packed.evicted, 1);
  EXPECT_EQ(packed.homeless, 0);
  Answer wrong = packed;
  wrong.boards[0].evicts_whole = false;
  EXPECT_EQ(why_invalid(problem, wrong), "n1 GPU 0: what runs on the whole GPU is neither kept nor evicted");
}

TEST(Pack, NoPlanIsInvalidOnRandomGpus) {
  std::mt19937 random(1);
  for (int run = 0; run < runs(300); ++run) {
    test::PackKind kind;
    kind.products = {&product("H100-80GB-SXM5")};
    if (run % 3 == 1) kind.products = {&product("A30-24GB"), &product("A100-80GB")};
    kind.boards = 1 + static_cast<int>(random() % 12);
    // Now and then more nodes than a program tells apart.
    if (run % 100 == 99) kind.boards = 160, kind.boards_a_node = 4, kind.profiles = 6;
    if (run % 3 == 0) kind.whole_held = 0.5, kind.empty = 0.4;
    Problem problem = test::random_problem(kind, random);
    problem.mode = run % 2 == 0 ? Mode::in_place : Mode::whole_node;
    problem.evict = run % 5 == 0;
    add_what_no_board_tells(problem, random);
    add_what_stays(problem, random);
    add_doubts(problem, random);
    add_whole_gpus(problem, random);
    if (run % 7 == 3 && kind.boards < 100) add_pools(problem, random);
    auto packed = pack(problem);  // which refuses an answer that fails why_invalid()
    ASSERT_TRUE(packed.ok()) << run << ": " << to_line(packed.error());
    ASSERT_LE(packed->bounds.gpus, packed->gpus_touched) << run;
    ASSERT_LE(packed->bounds.nodes, packed->nodes_touched) << run;
  }
}

TEST(Pack, NothingThatCouldBeDoneIsBetter) {
  std::mt19937 random(2);
  for (int run = 0; run < runs(60); ++run) {
    test::PackKind kind;
    const bool small = run % 4 != 0;
    kind.products = {&product(small ? "A30-24GB" : "H100-80GB-SXM5")};
    kind.boards = small ? 3 : 2;
    kind.doubles = small;
    kind.held = small ? 0.5 : 0.8;
    kind.empty = small ? 0.2 : 0;
    if (small && run % 2 == 1) kind.whole_held = 0.6, kind.empty = 0.6;
    Problem problem = test::random_problem(kind, random);
    problem.mode = run % 2 == 0 ? Mode::in_place : Mode::whole_node;
    problem.evict = small && run % 3 == 0;
    add_what_no_board_tells(problem, random);
    add_what_stays(problem, random);
    add_whole_gpus(problem, random);
    const Answer packed = answer(problem);
    ASSERT_EQ(test::costs_of(problem, packed), test::best_costs(problem)) << run << "\n"
                                                                          << told(problem, packed);
    ASSERT_TRUE(packed.bounds.rest_proven) << run;
    ASSERT_LE(packed.bounds.nodes, packed.nodes_touched) << run;
    if (problem.mode == Mode::whole_node)
      ASSERT_LE(packed.bounds.running, packed.running_on_touched_nodes) << run;
  }
}

TEST(Pack, TheSameProblemHasTheSameAnswer) {
  std::mt19937 random(3);
  test::PackKind kind;
  kind.products = {&product("H100-80GB-SXM5")};
  kind.boards = 60;
  const Problem problem = test::random_problem(kind, random);
  EXPECT_EQ(told(problem, answer(problem)), told(problem, answer(problem)));
}

TEST(Pack, TheHalvesOfAnEmptyGpuAreCountedAsTheSolverCounts) {
  std::mt19937 random(4);
  const mig::Product& h100 = product("H100-80GB-SXM5");
  const std::vector<int> profiles = mig::base_profiles(h100, true);
  for (int run = 0; run < runs(40); ++run) {
    Problem problem;
    problem.products = {&h100};
    for (int i = 0; i < 40; ++i) problem.boards.push_back({NodeName("n" + std::to_string(i)), {}, 0, {}});
    std::vector<Needed> needed;
    for (int profile : profiles) {
      const mig::Profile& one = h100.profiles[static_cast<std::size_t>(profile)];
      const int count = static_cast<int>(random() % 9);
      problem.demand.push_back({one.name, {}, count});
      needed.push_back({&one, count});
    }
    const Answer packed = answer(problem);
    ASSERT_TRUE(packed.met());
    ASSERT_EQ(packed.gpus_touched, empty_boards(h100, needed)) << run;
  }
}

// As they are now: a test that was started in the background ignores SIGINT from the start.
std::vector<sighandler_t> handlers() {
  std::vector<sighandler_t> all;
  for (int signal : {SIGINT, SIGTERM, SIGABRT, SIGSEGV}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    all.push_back(now.sa_handler);
  }
  return all;
}

TEST(Pack, TheSolverInstallsNoSignalHandlerAndPrintsNothing) {
  const std::vector<sighandler_t> before = handlers();
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  std::mt19937 random(5);
  test::PackKind kind;
  kind.products = {&product("H100-80GB-SXM5")};
  kind.boards = 20;
  answer(test::random_problem(kind, random));
  std::fflush(nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(handlers(), before);
}

TEST(Pack, AnAnswerThatTouchesWhatRunsFailsItsCheck) {
  const Problem problem = read(R"(
demand: {1g.10gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 2g.20gb, start: 0, held: true}]}
)");
  Answer packed = answer(problem);
  EXPECT_EQ(why_invalid(problem, packed), std::nullopt);
  Answer wrong = packed;
  wrong.boards[0].create[0].start = 1;
  EXPECT_EQ(why_invalid(problem, wrong), "n1 GPU 0: an instance is created where there is no room");
  wrong = packed;
  wrong.boards[0].destroy = wrong.boards[0].keep;
  wrong.boards[0].keep.clear();
  EXPECT_EQ(why_invalid(problem, wrong), "n1 GPU 0: destroys what is not idle there");
  wrong = packed;
  wrong.unmet[0] = 1;
  EXPECT_EQ(why_invalid(problem, wrong), "1g.10gb: 0 are unmet, not 1");
}

}  // namespace pack_test
}  // namespace tessera::pack
