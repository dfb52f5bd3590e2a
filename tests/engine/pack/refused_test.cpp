// Nodes of which no plan is made are left out of a packing, named, and the others serve.
#include "engine/pack/refused.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "engine/pack/pack.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace {

using operator_story::kStaticFile;
using pack::Answer;
using pack::ClusterProblem;

constexpr const char* kManaged = "cloud.google.com/gke-nodepool=a100s";
constexpr const char* kUpgrading = "nvidia.com/gpu-driver-upgrade-state=upgrade-failed";

// Nodes n1, n2 … of the GPU operator with two whole GPUs each, told with these labels.
class Refused : public testing::Test, public operator_story::Kubernetes {
 protected:
  void nodes(const std::vector<std::string>& labels) {
    std::vector<Node> all;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string name = "n" + std::to_string(i + 1);
      all.push_back(test::node(name.c_str(), {uncut(0, 0), uncut(1, 1)}));
      if (!labels[i].empty()) all.back().features = {labels[i]};
      site.node_config[name] = operators::mig_file(kStaticFile);
      site.labels[name] = site.labels["n1"];
      names_.push_back(NodeName(name));
    }
    tell(NodesListed{all});
    tell(WorkloadsListed{{}});
    tell(Loaded{});
  }
  // So many nodes of a pool of the cloud's, no two alike: each has one GPU, with a number of its own.
  void unlike_nodes(int managed, int others = 0) {
    std::vector<Node> all;
    for (int i = 0; i < managed + others; ++i) {
      const std::string name = (i < managed ? "m" : "o") + std::to_string(i + 1);
      all.push_back(test::node(name, {uncut(i, i)}));
      if (i < managed) all.back().features = {kManaged};
      site.node_config[name] = operators::mig_file(kStaticFile);
      site.labels[name] = site.labels["n1"];
      names_.push_back(NodeName(name));
    }
    tell(NodesListed{all});
    tell(WorkloadsListed{{}});
    tell(Loaded{});
  }
  Answer packed(const std::vector<std::string>& demand) {
    auto answer = kept(demand);
    EXPECT_TRUE(answer) << (answer ? "" : to_line(answer.error()));
    EXPECT_EQ(pack::why_invalid(found.problem, *answer), std::nullopt);
    return *answer;
  }
  Result<Answer> kept(const std::vector<std::string>& demand, const pack::Stop& stop = {}) {
    const plan::Means means = can();
    const plan::SiteRules rules;
    const pack::ReadFrom from{cluster(), catalogue(), means, rules, {}, {}, {}};
    found = pack::problem_of(cluster(), names_, catalogue(), means);
    auto wanted = pack::read_demand(demand, found.problem, catalogue());
    EXPECT_TRUE(wanted) << (wanted ? "" : to_line(wanted.error()));
    found.problem.demand = *wanted;
    if (!demand_of.empty()) ask_of_some();
    first = pack::pack(found.problem).value();
    return pack::keep_to_plans(found, first, from, stop);
  }
  std::set<std::string> changed(const Answer& answer) const {
    std::set<std::string> all;
    for (const pack::BoardPlan& plan : answer.boards) all.insert(found.problem.boards[plan.board].node.text);
    return all;
  }
  plan::Plan planned(const Answer& answer) const {
    auto made = make(pack::intent_of(found.problem, answer, cluster().name));
    EXPECT_TRUE(made) << (made ? "" : to_line(made.error()));
    return made ? *made : plan::Plan{};
  }

  const std::vector<NodeName>& names() const { return names_; }

  ClusterProblem found;
  Answer first;
  std::vector<std::set<NodeName>> demand_of;  // the demand is asked of each of these; empty: of all nodes

 private:
  void ask_of_some() {
    const std::vector<pack::Demand> each = std::exchange(found.problem.demand, {});
    for (std::size_t pool = 0; pool < demand_of.size(); ++pool)
      for (pack::Demand one : each) {
        one.pool = pool;
        found.problem.demand.push_back(std::move(one));
      }
    found.problem.pools = demand_of;
  }

  std::vector<NodeName> names_;
};

TEST_F(Refused, ANodeThatNoPlanChangesIsLeftOutAndNamedAndTheOthersServe) {
  nodes({kManaged, "", ""});
  const Answer answer = packed({"7g.80gb=4"});
  EXPECT_TRUE(answer.met());
  EXPECT_EQ(changed(answer), (std::set<std::string>{"n2", "n3"}));
  ASSERT_EQ(found.left_out.size(), 1u);
  const auto& [why, gpus] = *found.left_out.begin();
  EXPECT_EQ(gpus, 2);
  EXPECT_EQ(why.rfind("of n1, which no plan changes: ", 0), 0u) << why;
  EXPECT_NE(why.find("GKE fixes how GPUs are cut"), std::string::npos) << why;
  const plan::Plan plan = planned(answer);
  EXPECT_EQ(plan.no_steps, "") << "the whole packing was refused for it";
  EXPECT_TRUE(plan.changes_anything());
}

TEST_F(Refused, NodesThatAreRefusedForTheSameReasonAreToldTogetherAndOthersByTheirs) {
  nodes({kManaged, kManaged, kUpgrading, "", kManaged});
  const Answer answer = packed({"7g.80gb=2"});
  EXPECT_TRUE(answer.met());
  EXPECT_EQ(changed(answer), (std::set<std::string>{"n4"}));
  ASSERT_EQ(found.left_out.size(), 2u);
  std::string all;
  for (const auto& [why, gpus] : found.left_out) all += std::to_string(gpus) + " " + why + "\n";
  EXPECT_NE(all.find("6 of n[1-2,5], which no plan changes: GKE"), std::string::npos) << all;
  EXPECT_NE(all.find("2 of n3, which no plan changes: the driver upgrade of n3 has failed"),
            std::string::npos)
      << all;
}

// Only a GPU's change is refused there.
TEST_F(Refused, WhatIsFreeOnANodeThatIsLeftOutServes) {
  nodes({kManaged, ""});
  const Answer answer = packed({"whole=2", "7g.80gb=2"});
  EXPECT_TRUE(answer.met());
  EXPECT_EQ(changed(answer), (std::set<std::string>{"n2"}));
}

TEST_F(Refused, WhereNoNodeCanBeChangedTheAnswerStaysAndItsPlanSaysWhy) {
  nodes({kManaged, kManaged});
  const Answer answer = packed({"7g.80gb=2"});
  EXPECT_EQ(changed(answer), changed(first));
  EXPECT_FALSE(answer.boards.empty());
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_NE(planned(answer).no_steps.find("GKE"), std::string::npos);
}

// Each answer met one of them, and where the sixty-fifth did there was no answer at all.
TEST_F(Refused, OfAManagedPoolWhoseNodesAllDifferEveryNodeIsLeftOutAtOnce) {
  unlike_nodes(70, 2);
  const Answer answer = packed({"7g.80gb=2"});
  EXPECT_TRUE(answer.met());
  EXPECT_EQ(changed(answer), (std::set<std::string>{"o71", "o72"}));
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out.begin()->first.find("], which no plan changes: GKE"), std::string::npos)
      << found.left_out.begin()->first;
  EXPECT_EQ(found.left_out.begin()->second, 70);
}

// The same where the demand may use some nodes alone: a node asked alone has the demand that it may serve.
TEST_F(Refused, OfAManagedPoolWhoseNodesAllDifferEveryNodeIsLeftOutAtOnceAlsoForDemandOfSomeNodes) {
  unlike_nodes(70, 2);
  std::set<NodeName> all;
  for (const NodeName& name : names()) all.insert(name);
  demand_of = {{NodeName("m1"), NodeName("m2")}, all};
  const auto answer = kept({"7g.80gb=1"});
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->unmet, (std::vector<int>{1, 0})) << "no plan changes m1 and m2";
  ASSERT_EQ(changed(*answer).size(), 1u);
  EXPECT_EQ(changed(*answer).begin()->front(), 'o');
}

// Of each answer it is asked again which nodes a plan may change: of the last one, too, before it is told.
TEST_F(Refused, WhereEveryAnswerHasRefusedNodesThereIsNoPlanAndTheLastReasonIsTold) {
  unlike_nodes(1);
  (void)kept({"7g.80gb=1"});
  const plan::Means means = can();
  const plan::SiteRules rules;
  int asked = 0;
  const auto answer = pack::without_refused(
      found.problem, first, {cluster(), catalogue(), means, rules, {}, {}, {}},
      [&](const auto&) -> Result<std::optional<Answer>> { return ++asked, std::optional(first); });
  EXPECT_EQ(asked, pack::kMostRefusals);
  ASSERT_FALSE(answer) << "GPUs are told as changed, and no plan changes them";
  EXPECT_EQ(answer.error().what, "no answer was found of which every node has a plan");
  EXPECT_TRUE(answer.error().reason.starts_with("64 answers were tried without the nodes that no plan"))
      << answer.error().reason;
  EXPECT_NE(answer.error().reason.find("GKE"), std::string::npos) << answer.error().reason;
}

TEST_F(Refused, WhereAllOfManyUnlikeNodesAreRefusedTheFirstAnswerStaysAndItsPlanSaysWhy) {
  unlike_nodes(pack::kMostRefusals + 6);
  const Answer answer = packed({"7g.80gb=1"});
  EXPECT_EQ(changed(answer), changed(first));
  EXPECT_TRUE(found.left_out.empty());
}

TEST_F(Refused, TheSearchForNodesThatAPlanChangesIsGivenUpWhenItIsToldTo) {
  unlike_nodes(12);
  for (const int most : {0, 1, 5}) {
    int calls = 0;
    const auto answer = kept({"7g.80gb=1"}, [&] { return ++calls > most; });
    ASSERT_FALSE(answer) << most;
    EXPECT_EQ(answer.error().reason, "the search was given up");
    EXPECT_LT(calls, most + 12) << "it went on for long";
  }
}

}  // namespace
}  // namespace tessera::test
