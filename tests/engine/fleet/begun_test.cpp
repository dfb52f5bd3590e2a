// Whether a run still makes what the fleet file says: by its rules, and by what it lets a run do.
#include "engine/fleet/begun.hpp"

#include <gtest/gtest.h>

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
    return plan::make_plan(story.cluster(), test::catalogue(), *intent, means, rules, test::at(0)).value();
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

TEST_F(FleetBegun, ADemandAndANodeOfWhichNothingIsKnownTellNothing) {
  const plan::Plan plan = begun(kFile);
  EXPECT_EQ(still(plan, "pools: [{name: a, demand: {1g.10gb: 2}}]"), Still::untold);
  down("n2");
  EXPECT_EQ(still(plan, kFile), Still::untold);
  EXPECT_EQ(still(plan, "pools: [{name: a, nodes: 'n[1-2]', layout: 7x1g.10gb}]"), Still::other)
      << "n1 says enough";
}

}  // namespace
}  // namespace tessera::fleet
