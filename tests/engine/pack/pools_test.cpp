// Demand that some nodes alone meet: no node of one is cut for another.
#include "engine/pack/pools.hpp"

#include <gtest/gtest.h>

#include "engine/pack/pack.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/pack_world.hpp"
#include "tests/support/packing.hpp"

namespace tessera::pack {
namespace pools_test {
namespace {

using test::packing::answer;

using Names = std::set<NodeName>;

// Empty H100, one a node.
Problem empty_nodes(const std::vector<std::string>& names) {
  Problem problem;
  problem.products = {test::catalogue().by_key("H100-80GB-SXM5")};
  for (const std::string& name : names) problem.boards.push_back({NodeName(name), GpuIndex{0}, 0, {}});
  return problem;
}

void ask(Problem& problem, const std::string& profile, int count, const Names& nodes) {
  problem.demand.push_back({ProfileName(profile), std::nullopt, count, problem.pools.size()});
  problem.pools.push_back(nodes);
}

std::vector<std::string> changed(const Problem& problem, const Answer& packed) {
  std::vector<std::string> nodes;
  for (const BoardPlan& plan : packed.boards) nodes.push_back(problem.boards[plan.board].node.text);
  return nodes;
}

// As it is there afterwards, or it is why not.
std::optional<std::string> why_not_legal(Problem problem, Answer packed) {
  problem.demand.clear(), problem.pools.clear();
  packed.unmet.clear(), packed.reason.clear();
  return why_invalid(problem, packed);
}

// A GPU of partition short was cut for a job of partition long.
TEST(Pools, NodesOfOnePartitionAreNotCutForAnother) {
  Problem problem = empty_nodes({"s1", "s2", "l1"});
  problem.boards[2].instances = {{{0, 0}, true}};
  ask(problem, "7g.80gb", 1, {NodeName("l1")});
  ask(problem, "3g.40gb", 1, {NodeName("s1"), NodeName("s2")});
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, (std::vector<int>{1, 0}));
  EXPECT_FALSE(packed.reason[0].empty());
  EXPECT_EQ(changed(problem, packed), std::vector<std::string>{"s1"});
  EXPECT_EQ(packed.bounds.gpus, 1);
  EXPECT_TRUE(packed.bounds.gpus_proven);
  EXPECT_EQ(why_not_legal(problem, packed), std::nullopt);
}

TEST(Pools, IdleInstancesServeOnTheirNodesAlone) {
  Problem problem = empty_nodes({"a", "b"});
  const int profile = *problem.products[0]->index_of("3g.40gb");
  problem.boards[0].instances = {{{profile, 0}, false}};
  ask(problem, "3g.40gb", 1, {NodeName("b")});
  ask(problem, "3g.40gb", 1, {NodeName("a")});
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(changed(problem, packed), std::vector<std::string>{"b"});
}

// It was told as met, whatever there was for it: of a demand without a pool no part was asked.
TEST(Pools, ADemandWithoutAPoolBesideOthersMayUseAnyNode) {
  Problem problem = empty_nodes({"a", "b"});
  ask(problem, "7g.80gb", 1, {NodeName("a")});
  problem.demand.push_back({ProfileName("7g.80gb"), std::nullopt, 2});
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, (std::vector<int>{0, 1}));
  EXPECT_FALSE(packed.reason[1].empty());
  EXPECT_EQ(changed(problem, packed), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(why_not_legal(problem, packed), std::nullopt);
}

TEST(Pools, WhatSharesNodesIsProvenTogetherWhereItsInstancesCanBeSharedOut) {
  Problem problem = empty_nodes({"w", "y1", "y2"});
  const NodeName w("w"), y1("y1"), y2("y2");
  ask(problem, "7g.80gb", 1, {w, y1, y2});
  ask(problem, "7g.80gb", 1, {y1, y2});
  ask(problem, "7g.80gb", 1, {w});
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(packed.gpus_touched, 3);
  EXPECT_TRUE(packed.bounds.gpus_proven);
}

// All three have room on one GPU, which serves either a or b or neither: whichever it is, they cannot share
// it.
TEST(Pools, WhereTheyCannotBeSharedOutTheOneWithTheFewestNodesComesFirst) {
  Problem problem = empty_nodes({"c", "b", "a"});
  ask(problem, "2g.20gb", 1, {NodeName("a"), NodeName("b"), NodeName("c")});
  ask(problem, "2g.20gb", 1, {NodeName("a")});
  ask(problem, "2g.20gb", 1, {NodeName("b")});
  const Answer packed = answer(problem);
  EXPECT_FALSE(packed.bounds.rest_proven) << "they were planned for one after the other";
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(changed(problem, packed), (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(packed.bounds.gpus, 1) << "what all together need at least";
  EXPECT_FALSE(packed.bounds.gpus_proven);
  EXPECT_EQ(why_not_legal(problem, packed), std::nullopt);
}

// What is there for it afterwards, by node.
std::map<NodeName, int> supply_of(const Problem& problem, const Answer& packed, const ProfileName& profile) {
  std::map<NodeName, int> supply;
  const auto count = [&](const Board& board, const mig::Placed& placed, int by) {
    if (problem.products[board.product]->profiles[static_cast<std::size_t>(placed.profile)].name == profile)
      supply[board.node] += by;
  };
  for (const Board& board : problem.boards)
    for (const Instance& one : board.instances)
      if (!one.held) count(board, one.placed, 1);
  for (const Spare& spare : problem.spare)
    if (spare.profile == profile) supply[spare.node] += spare.count;
  for (const BoardPlan& plan : packed.boards) {
    for (const mig::Placed& one : plan.create) count(problem.boards[plan.board], one, 1);
    for (const mig::Placed& one : plan.destroy) count(problem.boards[plan.board], one, -1);
  }
  return supply;
}

// Both idle slices of a, of which it is not told where they stand, served its own work, and one of them was
// counted once more for work that may use other nodes, too.
TEST(Pools, AnIdleSliceOfAGpuWhosePlacementsAreNotToldServesOneAlone) {
  Problem problem = empty_nodes({"a", "c", "d", "e"});
  const int profile = *problem.products[0]->index_of("3g.40gb");
  problem.boards[0].instances = {{{profile, 0}, false}, {{profile, 4}, false}};
  problem.boards[0].placed = false;
  const NodeName a("a"), c("c"), d("d"), e("e");
  ask(problem, "3g.40gb", 2, {a});
  // All together one GPU has room for the rest, which serves c and d in no way: one is asked after the other.
  ask(problem, "1g.10gb", 1, {c});
  ask(problem, "1g.10gb", 1, {d});
  ask(problem, "3g.40gb", 1, {a, c, d, e});
  const Answer packed = answer(problem);
  EXPECT_FALSE(packed.bounds.rest_proven) << "one after the other";
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(changed(problem, packed), (std::vector<std::string>{"c", "d", "e"}));
  EXPECT_EQ(supply_of(problem, packed, ProfileName("3g.40gb")), (std::map<NodeName, int>{{a, 2}, {e, 1}}));
  EXPECT_EQ(why_not_legal(problem, packed), std::nullopt);
}

// That no plan leaves less unmet was told of a where its pod has a place on b, which no part was asked for.
TEST(Pools, WhatMayBeMovedToNodesOfNoPoolLeavesNothingProven) {
  Problem problem = empty_nodes({"a", "b"});
  const int profile = *problem.products[0]->index_of("1g.10gb");
  problem.boards[0].instances = {{{profile, 0}, true}};
  ask(problem, "7g.80gb", 1, {NodeName("a")});
  EXPECT_TRUE(answer(problem).bounds.unmet_proven) << "nothing is moved";
  problem.evict = true;
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, std::vector<int>{1});
  EXPECT_FALSE(packed.bounds.unmet_proven);
  problem.boards.pop_back();
  EXPECT_TRUE(answer(problem).bounds.unmet_proven) << "there is no other node";
}

// A pod that is moved may have a selector of its own: it was told only where the demand had one, too.
TEST(Pools, WhereRunningWorkIsMovedItsNodesAreToldAsNotChecked) {
  Answer moves;
  EXPECT_EQ(unchecked_text(moves), "");
  moves.evicted = 2;
  EXPECT_EQ(unchecked_text(moves),
            "not checked: whether running work that is moved (2) may use the nodes that have room for it");
}

// Of an answer that was made up it was asked: no plan that moves anything was.
TEST(Pools, WhatIsMovedForTheDemandOfSomeNodesAndFindsNoPlaceThereIsCounted) {
  Problem problem = empty_nodes({"a"});
  problem.boards[0].instances = {{{*problem.products[0]->index_of("7g.80gb"), 0}, true}};
  ask(problem, "3g.40gb", 2, {NodeName("a")});
  EXPECT_EQ(answer(problem).unmet, std::vector<int>{2}) << "nothing is moved";
  problem.evict = true;
  const Answer packed = answer(problem);
  EXPECT_EQ(packed.unmet, std::vector<int>{0});
  EXPECT_EQ(packed.evicted, 1);
  EXPECT_EQ(packed.homeless, 1) << "no node has room for another 7g";
  EXPECT_FALSE(packed.met());
  EXPECT_EQ(why_not_legal(problem, packed), std::nullopt);
  EXPECT_NE(unchecked_text(packed).find("that is moved (1)"), std::string::npos);
}

TEST(Pools, WhatIsMovedForTheDemandOfSomeNodesFindsItsPlaceOnOneOfThem) {
  Problem problem = empty_nodes({"a", "b"});
  const int small = *problem.products[0]->index_of("1g.10gb"),
            half = *problem.products[0]->index_of("3g.40gb");
  problem.boards[0].instances = {{{small, 0}, true}};
  problem.boards[1].instances = {{{half, 0}, true, true}};
  ask(problem, "7g.80gb", 1, {NodeName("a"), NodeName("b")});
  problem.evict = true;
  const Answer packed = answer(problem);
  EXPECT_TRUE(packed.met());
  EXPECT_EQ(changed(problem, packed), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(packed.evicted, 1);
  EXPECT_EQ(packed.homeless, 0) << "b has room beside what stays there";
  EXPECT_EQ(why_not_legal(problem, packed), std::nullopt);
}

// Idle slices on no GPU that is known, and GPUs of which it is not told where their idle slices stand.
void add_what_is_not_told(Problem& problem, std::mt19937& random) {
  for (Board& board : problem.boards) {
    const bool idle = std::none_of(board.instances.begin(), board.instances.end(),
                                   [](const Instance& instance) { return instance.held; });
    board.placed = !idle || random() % 2 != 0;
    if (!problem.demand.empty() && random() % 6 == 0)
      problem.spare.push_back(
          {board.node, problem.demand[random() % problem.demand.size()].profile, nullptr, 1});
  }
}

// Of any pools together no more is told as met than stands on their nodes: then it can be shared out.
TEST(Pools, WhatIsToldAsMetIsThereForEachOfThem) {
  std::mt19937 random(11);
  int unmet = 0, met = 0;
  for (int run = 0; run < 60; ++run) {
    test::PackKind kind;
    kind.products = {test::catalogue().by_key("A30-24GB")};
    kind.boards = 6;
    Problem problem = test::random_problem(kind, random);
    problem.mode = run % 2 == 0 ? Mode::in_place : Mode::whole_node;
    problem.evict = run % 3 == 0;
    add_what_is_not_told(problem, random);
    const std::vector<Demand> drawn = std::exchange(problem.demand, {});
    for (const Demand& one : drawn)
      for (int part = 0; part < 3; ++part) {
        Names nodes;
        for (int node = 0; node < 3; ++node)
          if (random() % 2 == 0) nodes.insert(NodeName("n" + std::to_string(node)));
        ask(problem, one.profile.text, 1 + static_cast<int>(random() % 3), nodes);
      }
    const Answer packed = answer(problem);
    EXPECT_EQ(why_not_legal(problem, packed), std::nullopt) << run;
    EXPECT_LE(packed.bounds.gpus, packed.gpus_touched) << run;
    EXPECT_LE(packed.bounds.nodes, packed.nodes_touched) << run;
    for (const Demand& one : drawn) {
      const auto supply = supply_of(problem, packed, one.profile);
      std::vector<std::size_t> asking;
      for (std::size_t i = 0; i < problem.demand.size(); ++i)
        if (problem.demand[i].profile == one.profile) asking.push_back(i);
      for (std::size_t some = 1; some < std::size_t{1} << asking.size(); ++some) {
        Names nodes;
        int told = 0, there = 0;
        for (std::size_t i = 0; i < asking.size(); ++i) {
          if ((some >> i & 1) == 0) continue;
          const Demand& demand = problem.demand[asking[i]];
          told += demand.count - packed.unmet[asking[i]];
          nodes.insert(problem.pools[*demand.pool].begin(), problem.pools[*demand.pool].end());
        }
        for (const auto& [node, count] : supply) there += nodes.contains(node) ? count : 0;
        EXPECT_LE(told, there) << run << ": " << one.profile.text;
      }
    }
    for (std::size_t i = 0; i < problem.demand.size(); ++i) {
      unmet += packed.unmet[i] > 0, met += packed.unmet[i] == 0;
      EXPECT_EQ(packed.unmet[i] > 0, !packed.reason[i].empty()) << run;
    }
  }
  EXPECT_GT(unmet, 0);
  EXPECT_GT(met, 0);
}

}  // namespace
}  // namespace pools_test
}  // namespace tessera::pack
