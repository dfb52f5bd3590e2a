// Nodes that no plan changes are in no answer: they are named, and others serve what waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "engine/advise/advise.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::advise {
namespace {

using test::operator_story::kStaticFile;

// Nodes n1, n2 … of the GPU operator with one whole GPU each, the first of which are GKE's to cut, and pods
// that wait for halves of such a GPU.
class AdviseRefused : public testing::Test, public test::operator_story::Kubernetes {
 protected:
  Advice advice(int managed, int others, int pods) {
    std::vector<Node> all;
    for (int i = 0; i < managed + others; ++i) {
      const std::string name = "n" + std::to_string(i + 1);
      all.push_back(test::node(name, {i == 1 ? second : test::uncut(0, 0)}));
      all.back().features = {"nvidia.com/mig.strategy=mixed"};
      if (i < managed) all.back().features.emplace_back("cloud.google.com/gke-nodepool=h100s");
      site.node_config[name] = operators::mig_file(kStaticFile);
      site.labels[name] = site.labels["n1"];
    }
    std::vector<Workload> work;
    for (int i = 0; i < pods; ++i) {
      work.push_back(test::waiting("ml/" + std::to_string(i), "ann", "nvidia.com/mig-3g.40gb"));
      work.back().kind = WorkloadKind::pod;
      work.back().reason = "0/2 nodes are available: 2 Insufficient nvidia.com/mig-3g.40gb.";
    }
    tell(NodesListed{all});
    tell(WorkloadsListed{work});
    tell(Loaded{});
    Question asked{&cluster(), &test::catalogue(), can(), {}, {}, "", test::at(0), std::chrono::hours(24)};
    for (const Node& node : all) asked.nodes.push_back(node.name);
    return advise(asked);
  }
  Gpu second = test::uncut(0, 0);  // of n2
  static bool names_gke(const std::string& text) { return text.find("GKE") != std::string::npos; }
};

TEST_F(AdviseRefused, AnswersChangeTheOtherNodesAndSayWhichAreLeftOut) {
  const Advice found = advice(1, 1, 4);  // as many as both would serve
  ASSERT_FALSE(found.answers.empty());
  for (const Answer& answer : found.answers) {
    EXPECT_EQ(answer.nodes, std::vector<NodeName>{NodeName("n2")});
    EXPECT_EQ(answer.plan.no_steps, "") << "an answer is a plan that can be begun";
  }
  const auto told = std::find_if(found.left_out.begin(), found.left_out.end(),
                                 [](const auto& one) { return names_gke(one.first); });
  ASSERT_NE(told, found.left_out.end());
  EXPECT_EQ(told->second, 1) << told->first;
  EXPECT_EQ(told->first.rfind("of n1, which no plan changes: ", 0), 0u) << told->first;
}

// The GPUs of n1 and n2 differ, so answers meet one after the other: each was a line of its own, with one
// reason.
TEST_F(AdviseRefused, NodesThatAreMetOneAfterTheOtherAreOneLineWhereTheReasonIsOne) {
  second = test::cut(0, {});
  const Advice found = advice(2, 0, 1);
  std::map<std::string, int> told;
  for (const auto& one : found.left_out)
    if (names_gke(one.first)) told.insert(one);
  ASSERT_EQ(told.size(), 1u) << (told.empty() ? "" : told.rbegin()->first);
  EXPECT_EQ(told.begin()->first.rfind("of n[1-2], which no plan changes: ", 0), 0u) << told.begin()->first;
  EXPECT_EQ(told.begin()->second, 2);
  EXPECT_EQ(std::count_if(found.reasons.begin(), found.reasons.end(), names_gke), 1);
}

TEST_F(AdviseRefused, WhereEveryNodeIsRefusedThereIsNoAnswerAndTheReasonIsTold) {
  const Advice found = advice(2, 0, 2);
  EXPECT_TRUE(found.answers.empty());
  EXPECT_TRUE(std::any_of(found.reasons.begin(), found.reasons.end(), names_gke))
      << (found.reasons.empty() ? "no reason" : found.reasons.front());
}

}  // namespace
}  // namespace tessera::advise
