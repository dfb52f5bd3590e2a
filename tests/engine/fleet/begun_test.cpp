// Whether a run still makes what the fleet file says: by its rules, and by what it lets a run do.
#include "engine/fleet/begun.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/fleet/reader.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

class FleetBegun : public testing::Test {
 protected:
  FleetBegun() {
    story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
    story.tell(NodesListed{{two_gpus("n1"), two_gpus("n2"), two_gpus("n3")}});
    story.tell(WorkloadsListed{});
    story.tell(Loaded{});
  }
  static Node two_gpus(const std::string& name) {
    return test::node(name, {test::uncut(0, 0), test::uncut(1, 9)});
  }
  Fleet read(const std::string& text) {
    auto read = read_fleet(text, "fleet.yaml", test::catalogue());
    EXPECT_TRUE(read) << to_line(read.error());
    return read ? *read : Fleet();
  }
  Place place() const { return {&test::catalogue(), &means, &rules}; }
  // Of the pool called a.
  plan::Plan begun(const std::string& text, plan::ChangeOptions options = {}) {
    const Fleet fleet = read(text);
    const auto found = survey(fleet, story.cluster(), place());
    const auto intent = intent_of(*found, "as fleet.yaml says", options, &fleet.pools.front());
    auto plan = plan::make_plan(story.cluster(), test::catalogue(), *intent, means, rules, test::at(0));
    keep_demands(plan.value(), *found);
    return *plan;
  }
  Still still(const plan::Plan& plan, const std::string& text, bool by_file = true) {
    return still_wanted(plan, read(text), story.cluster(), place(), by_file);
  }
  void down(const std::string& name) {
    Node node = two_gpus(name);
    node.health = Health::down;
    story.tell(NodeSeen{node});
  }

  test::Story story;
  plan::Means means = plan::simulator_capabilities();
  plan::SiteRules rules;
};

constexpr const char* kFile = "pools:\n- {name: a, nodes: 'n[1-2]', layout: '3g.40gb,1g.10gb'}\n";

TEST_F(FleetBegun, OtherNamesPoolsAndCommentsAreNoOtherRule) {
  const plan::Plan plan = begun(kFile);
  EXPECT_EQ(still(plan, kFile), Still::same);
  EXPECT_EQ(still(plan,
                  "# moved\npools:\n- {name: z, nodes: n3, layout: none}\n- {name: b, nodes: "
                  "'n[1-2]', gpus: {0-1: '3g.40gb,1g.10gb'}}\n"),
            Still::same);
}

// It fell off the bus while the run waited: the node was opened, "the file no longer has the window".
TEST_F(FleetBegun, AGpuThatIsNotListedNowIsNoEditOfTheFile) {
  constexpr const char* kEach = "pools: [{name: a, nodes: n1, layout: '3g.40gb,1g.10gb'}]";
  plan::Plan plan = begun(kEach);
  const plan::Wish wish = *plan::wish_for(plan.intent, GpuIndex{0});
  plan.intent.boards = {{GpuIndex{0}, wish}, {GpuIndex{1}, wish}};
  ASSERT_EQ(still(plan, kEach), Still::same);
  story.tell(NodeSeen{test::node("n1", {test::uncut(0, 0)})});
  EXPECT_EQ(still(plan, kEach), Still::untold);
  EXPECT_EQ(still(plan, "pools: [{name: a, nodes: n1, layout: 7x1g.10gb}]"), Still::other);
}

TEST_F(FleetBegun, AGpuThatComesBackIsNoEditOfTheFile) {
  constexpr const char* kEach = "pools: [{name: a, nodes: n1, layout: '3g.40gb,1g.10gb'}]";
  story.tell(NodeSeen{test::node("n1", {test::uncut(0, 0)})});
  const plan::Plan plan = begun(kEach);
  ASSERT_EQ(still(plan, kEach), Still::same);
  story.tell(NodeSeen{two_gpus("n1")});
  EXPECT_EQ(still(plan, kEach), Still::untold);
  EXPECT_EQ(still(plan, "pools: [{name: a, nodes: n1, layout: 7x1g.10gb}]"), Still::other);
}

// What a preset comes to depends on the product, which a node may not report for a while.
TEST_F(FleetBegun, APresetOfAGpuWhoseProductIsNotToldNowIsNoEditOfTheFile) {
  constexpr const char* kPreset = "pools: [{name: a, nodes: n1, preset: all-1g.10gb}]";
  const plan::Plan plan = begun(kPreset);
  ASSERT_EQ(still(plan, kPreset), Still::same);
  Node untold = two_gpus("n1");
  untold.gpus[1].product.reset();
  story.tell(NodeSeen{untold});
  EXPECT_EQ(still(plan, kPreset), Still::untold);
  EXPECT_EQ(still(plan, "pools: [{name: a, nodes: n1, preset: all-disabled}]"), Still::other)
      << "GPU 0 says enough";
}

// The time of the file says nothing of it: a newer tessera may know other presets.
TEST_F(FleetBegun, APresetThatIsNotThereAnyMoreDoesNotAskForWhatARunMakes) {
  const plan::Plan plan = begun("pools: [{name: a, nodes: n1, preset: all-1g.10gb}]");
  EXPECT_EQ(still(plan, "pools: [{name: a, nodes: n1, preset: all-of-last-year}]"), Still::other);
  story.tell(NodeSeen{test::node("n1", {test::cut(0, {}), test::cut(1, {})})});
  const plan::Plan whole = begun("pools: [{name: a, nodes: n1, layout: none}]");
  EXPECT_EQ(still(whole, "pools: [{name: a, nodes: n1, preset: all-of-last-year}]"), Still::other)
      << "no preset is no whole GPU";
}

TEST_F(FleetBegun, AnotherLayoutOfOneNodeOrGpuIsAnotherRule) {
  const plan::Plan plan = begun(kFile);
  for (const char* text :
       {"pools: [{name: a, nodes: 'n[1-2]', layout: 7x1g.10gb}]",
        "pools: [{name: a, nodes: 'n[1-2]', layout: '3g.40gb,1g.10gb', except: {n2: none}}]",
        "pools: [{name: a, nodes: n1, layout: '3g.40gb,1g.10gb'}]",
        "pools: [{name: a, nodes: 'n[1-2]', layout: as-is}]",
        "pools: [{name: a, nodes: 'n[1-2]', gpus: {0: '3g.40gb,1g.10gb'}}]",
        "pools: [{name: a, nodes: 'n[1-2]', gpus: {0: '3g.40gb,1g.10gb', 1: none}}]"})
    EXPECT_EQ(still(plan, text), Still::other) << text;
}

TEST_F(FleetBegun, WhatTheFileLetsARunDoCountsWhereThatCameFromTheFile) {
  plan::ChangeOptions armed;
  armed.way = plan::Way::cancel;
  const plan::Plan cancels = begun(kFile, armed);
  EXPECT_EQ(still(cancels, kFile), Still::other) << "work may not be ended any more";
  EXPECT_EQ(still(cancels, kFile, false), Still::untold) << "a person may have said so";
  armed.way = plan::Way::wait, armed.batch = 8;
  const std::string narrow =
      "pools: [{name: a, nodes: 'n[1-2]', layout: '3g.40gb,1g.10gb', budget: {max_nodes_at_once: 1}}]";
  EXPECT_EQ(still(begun(kFile, armed), narrow), Still::other);
  armed.batch = 1;
  EXPECT_EQ(still(begun(kFile, armed), narrow), Still::same);
}

TEST_F(FleetBegun, ADemandIsToldByWhatItAsksFor) {
  const std::string file = "pools: [{name: a, demand: {1g.10gb: 8, 3g.40gb: 1}}]";
  plan::Plan plan = begun(file);
  ASSERT_FALSE(plan.intent.nodes.empty());
  ASSERT_EQ(plan.notices.back().text, "the fleet file asks pool a for 8 1g.10gb, 1 3g.40gb at least");
  EXPECT_EQ(still(plan, file), Still::same);
  EXPECT_EQ(still(plan, "# again\npools:\n- name: a\n  demand: {3g.40gb: 1, 1g.10gb: 8}\n"), Still::same);
  for (const char* other :
       {"pools: [{name: a, demand: {1g.10gb: 9, 3g.40gb: 1}}]", "pools: [{name: a, demand: {1g.10gb: 8}}]",
        "pools: [{name: a, demand: {1g.10gb: 8, 3g.40gb: 2}}]",
        "pools: [{name: b, demand: {1g.10gb: 8, 3g.40gb: 1}}]"})
    EXPECT_EQ(still(plan, other), Still::other) << other;
  down("n2");
  EXPECT_EQ(still(plan, file), Still::same) << "the file says the same, whatever stands there";
  plan.notices.clear();
  EXPECT_EQ(still(plan, file), Still::untold) << "a run of an earlier version, or one that was planned again";
}

TEST_F(FleetBegun, OneNoticeKeepsADemandHoweverManyNodesAreChangedForIt) {
  const auto kept = [](const plan::Plan& plan) {
    return std::count_if(plan.notices.begin(), plan.notices.end(),
                         [](const plan::Notice& one) { return one.rule == "fleet-demand"; });
  };
  const plan::Plan plan = begun("pools: [{name: a, demand: {7g.80gb: 5}}]");
  EXPECT_EQ(plan.intent.nodes.size(), 3u);
  EXPECT_EQ(kept(plan), 1);
  EXPECT_EQ(kept(begun(kFile)), 0) << "a layout is in the plan itself";
}

TEST_F(FleetBegun, ANodeOfWhichNothingIsKnownTellsNothing) {
  const plan::Plan plan = begun(kFile);
  EXPECT_EQ(still(plan, "pools: [{name: a, demand: {1g.10gb: 2}}]"), Still::untold);
  down("n2");
  EXPECT_EQ(still(plan, kFile), Still::untold);
  EXPECT_EQ(still(plan, "pools: [{name: a, nodes: 'n[1-2]', layout: 7x1g.10gb}]"), Still::other)
      << "n1 says enough";
}

}  // namespace
}  // namespace tessera::fleet
