// A pool with a demand, some of whose nodes no plan changes: the others serve, and what is refused is told.
#include <gtest/gtest.h>

#include "engine/fleet/demand.hpp"
#include "engine/fleet/reader.hpp"
#include "engine/fleet/survey.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::fleet {
namespace {

using test::operator_story::kStaticFile;

constexpr const char* kManaged = "cloud.google.com/gke-nodepool=a100s";

// Nodes n1, n2 … of the GPU operator with one whole GPU each; `managed` of them are GKE's to cut.
class RefusedDemand : public testing::Test, public test::operator_story::Kubernetes {
 protected:
  void nodes(int managed, int others) {
    std::vector<Node> all;
    for (int i = 0; i < managed + others; ++i) {
      const std::string name = "n" + std::to_string(i + 1);
      // By their GPUs' numbers no two are alike: each is met by an answer of its own.
      all.push_back(test::node(name, {test::uncut(i, i)}));
      if (i < managed) all.back().features = {kManaged};
      site.node_config[name] = operators::mig_file(kStaticFile);
      site.labels[name] = site.labels["n1"];
    }
    tell(NodesListed{all});
    tell(WorkloadsListed{{}});
    tell(Loaded{});
  }
  Survey look(int sevens, const std::string& head = "") {
    auto read = read_fleet(head + "pools: [{name: a, demand: {7g.80gb: " + std::to_string(sevens) + "}}]",
                           "f.yaml", test::catalogue());
    EXPECT_TRUE(read) << to_line(read.error());
    fleet_ = std::move(*read);
    means_ = can();
    auto found = survey(fleet_, cluster(), {&test::catalogue(), &means_, &rules_});
    EXPECT_TRUE(found) << to_line(found.error());
    return *found;
  }
  static std::vector<std::string> drifting(const Survey& survey) {
    std::vector<std::string> all;
    for (const NodeSurvey& one : survey.nodes)
      if (one.standing == Standing::drifts) all.push_back(one.node->name.text);
    return all;
  }

 private:
  Fleet fleet_;
  plan::Means means_;
  plan::SiteRules rules_;
};

TEST_F(RefusedDemand, NodesThatNoPlanChangesAreLeftOutAndTheOthersServe) {
  nodes(2, 1);
  const Survey found = look(1);
  EXPECT_EQ(drifting(found), std::vector<std::string>{"n3"});
  EXPECT_TRUE(found.notes.empty()) << found.notes.front().text;
  for (const NodeSurvey& one : found.nodes) EXPECT_FALSE(one.refused) << one.node->name.text << one.why;
}

TEST_F(RefusedDemand, WhatTheOthersDoNotMeetIsImpossibleAndNamesWhatIsRefused) {
  nodes(2, 1);
  const Survey found = look(3);
  EXPECT_EQ(drifting(found), std::vector<std::string>{"n3"}) << "what can be made is made";
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].standing, Standing::impossible);
  EXPECT_NE(found.notes[0].text.find("its GPUs have no room for 2 of 3 7g.80gb"), std::string::npos)
      << found.notes[0].text;
  EXPECT_NE(found.notes[0].text.find("no plan changes n[1-2]: "), std::string::npos) << found.notes[0].text;
}

TEST_F(RefusedDemand, WhereEveryNodeIsRefusedTheyDriftEachWithItsReason) {
  nodes(2, 0);
  const Survey found = look(2);
  EXPECT_EQ(drifting(found), (std::vector<std::string>{"n1", "n2"}));
  for (const NodeSurvey& one : found.nodes) {
    EXPECT_TRUE(one.refused) << one.node->name.text;
    EXPECT_NE(one.why.find("no plan changes it: "), std::string::npos) << one.why;
  }
}

// "no plan changes it: cannot plan n1: ..." said twice whom it is about, and its way out was a flag that was
// not given.
TEST_F(RefusedDemand, OneSentenceSaysWhoWhyAndWhatToDo) {
  nodes(0, 2);
  const Survey found = look(1, "clusters: {" + cluster().name.text + ": {plugin_strategy: single}}\n");
  const std::vector<std::string> refused = drifting(found);
  ASSERT_EQ(refused.size(), 1u);
  for (const NodeSurvey& one : found.nodes)
    if (one.node->name.text == refused[0])
      EXPECT_EQ(one.why,
                "no plan changes it: its device plugin names MIG slices by the strategy mixed, and no plan "
                "changes that: what single would offer never appears (leave --plugin-strategy out, or "
                "plugin_strategy in the fleet file)");
}

// Whether it has its instances was not known there, and nothing was changed for it.
TEST_F(RefusedDemand, OfAManagedPoolWhoseNodesAllDifferTheOthersServe) {
  nodes(70, 1);
  const Survey found = look(1);
  EXPECT_EQ(drifting(found), std::vector<std::string>{"n71"});
  EXPECT_TRUE(found.notes.empty()) << found.notes.front().text;
}

}  // namespace
}  // namespace tessera::fleet
