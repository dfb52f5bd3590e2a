// Whether the fleet file lets fleet run go on with a run that waits: asked by the commands and by the screen.
#include "engine/fleet/carried_on.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/reader.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/fleet/windows.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

// test::at(0) is a Friday, 2027-01-15, at 8:00 UTC.
constexpr const char* kByNight = R"(pools:
- name: a
  nodes: n[1-2]
  layout: 7x1g.10gb
  windows: [{when: 'Thu 20:00-07:30', layout: none}]
)";
constexpr const char* kFleetPath = "/etc/fleet.yaml";

class FleetCarriedOn : public testing::Test {
 protected:
  FleetCarriedOn() {
    story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
    story.tell(NodesListed{{cut("n1"), cut("n2")}});
    story.tell(WorkloadsListed{});
    story.tell(Loaded{});
    head.run = "r1", head.words = words_of(kFleetPath), head.started = test::at(0);
    head.nodes = {NodeName("n1"), NodeName("n2")};
  }
  static Node cut(const std::string& name) {
    return test::node(name, {test::cut(0, {test::instance("3g.40gb", 0, 4, 1)})});
  }
  static Fleet read(const std::string& text) {
    auto read = read_fleet(text, "fleet.yaml", test::catalogue());
    EXPECT_TRUE(read) << to_line(read.error());
    return read ? *read : Fleet();
  }
  Place place() const { return {&test::catalogue(), &means, &rules}; }
  // A run over both nodes for what the file says at that moment. events: of n1.
  plan::Run begun(const std::string& text, TimePoint at, std::vector<plan::RunEvent> events) {
    const Fleet fleet = fleet_at(read(text), Zone(), at);
    const auto found = survey(fleet, story.cluster(), place());
    const auto intent = intent_of(*found, head.words, {}, &fleet.pools.front());
    plan::RunStarted started;
    started.run = head.run;
    started.plan =
        plan::make_plan(story.cluster(), test::catalogue(), *intent, means, rules, test::at(0)).value();
    plan::Journal journal;
    const auto add = [&](NodeName node, plan::RunEvent event) {
      const auto line = static_cast<std::int64_t>(journal.entries.size() + 1);
      journal.entries.push_back({line, test::at(0), std::move(node), std::move(event)});
    };
    add({}, started);
    for (plan::RunEvent& event : events) add(NodeName("n1"), std::move(event));
    auto run = plan::replay(journal);
    EXPECT_TRUE(run) << to_line(run.error());
    return *run;
  }
  std::string why(const plan::Run& run, const std::string& text, const FailedNodes& failed = {},
                  TimePoint wall = test::at(3600)) {
    return why_left(read(text), Zone(), {head, &run, story.cluster(), place(), wall}, failed);
  }

  test::Story story;
  plan::Means means = plan::simulator_capabilities();
  plan::SiteRules rules;
  RunHead head;
};

const plan::Parked kUntilIdle{"in use", "n1 is closed", plan::Until::empty};

// On the screen such a run looked like one that waits as planned.
TEST_F(FleetCarriedOn, ARunThatTheFileNoLongerWantsIsNotOneThatWaits) {
  constexpr const char* kCut = "pools:\n- {name: a, nodes: 'n[1-2]', layout: '3g.40gb,1g.10gb'}\n";
  constexpr const char* kSevenths = "pools:\n- {name: a, nodes: 'n[1-2]', layout: 7x1g.10gb}\n";
  const plan::Run run = begun(kCut, test::at(0), {kUntilIdle});
  EXPECT_EQ(why(run, kCut), "");
  EXPECT_EQ(why(run, kSevenths),
            "the fleet file was changed after it was begun; tessera resume r1 carries it on, tessera resume "
            "r1 --back opens its nodes");
  head.undoes = "r0";
  EXPECT_EQ(why(run, kSevenths), "") << "the way back is nothing that a file wants";
  head.undoes.clear();
  Node down = cut("n1");
  down.health = Health::down;
  story.tell(NodeSeen{down});
  EXPECT_EQ(why(run, kCut), "") << "of n1 nothing is known";
}

// check and diff named it, the fleet screen did not.
TEST_F(FleetCarriedOn, ARunOfAPersonWhoseWindowIsOverIsLeftWithTheWayBack) {
  head.started = test::at(-3600);  // at 7:00, in the night
  const plan::Run run = begun(kByNight, head.started, {kUntilIdle});
  EXPECT_EQ(why(run, kByNight, {}, head.started), "") << "the night still holds";
  EXPECT_EQ(why(run, kByNight),
            "the window of pool a for which it was begun is over; tessera resume r1 --back opens its nodes");
}

TEST_F(FleetCarriedOn, ARunForAWindowThatIsOverAndHasOnlyClosedNodesIsNoPersonsToOpen) {
  const TimePoint opening = test::at(-12 * 3600);  // Thursday, 20:00
  head.words = words_of(OfWindow{kFleetPath, opening});
  const plan::Run closing = begun(kByNight, opening, {kUntilIdle});
  EXPECT_EQ(why(closing, kByNight), "") << "the next fleet run opens its nodes";
  SourceReport half;
  half.source = Source::slurm_nodes, half.incomplete = true;
  story.tell(half);
  EXPECT_NE(why(closing, kByNight), "") << "what cannot be read whole decides nothing";
}

TEST_F(FleetCarriedOn, ANodeThatHasFailedInAnotherRunForTheWindowKeepsThisOneFromGoingOn) {
  constexpr const char* kWithLead = R"(pools:
- name: a
  nodes: n[1-2]
  layout: 7x1g.10gb
  budget: {lead: '04:00'}
  windows: [{when: 'Fri 12:00-20:00', layout: none}]
)";
  const TimePoint opening = test::at(4 * 3600);
  head.words = words_of(OfWindow{kFleetPath, opening});
  const plan::Run waits = begun(kWithLead, opening, {kUntilIdle});
  FailedNodes failed;
  failed.note(waits);
  EXPECT_EQ(why(waits, kWithLead, failed), "");
  head.run = "r0";
  failed.note(
      begun(kWithLead, opening, {plan::Parked{"step 3 failed", "n1 is closed", plan::Until::someone}}));
  head.run = "r1";
  EXPECT_EQ(
      why(waits, kWithLead, failed),
      "node n1 has failed, or waits for a person, in run r0 for the same window, and on_failure of pool "
      "a is stop");
}

}  // namespace
}  // namespace tessera::fleet
