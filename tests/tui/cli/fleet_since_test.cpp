// A change that was made by hand after a run is not put on that run, by diff and by explain.
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FakeRuns;

// Root's run r1 has taken the slices off n2.
class FleetSince : public test::FleetCommandLine {
 protected:
  FleetSince() : path(file("pools: [{name: a, nodes: n2, layout: empty}, {name: rest, layout: as-is}]")) {
    starts = [this](FakeRuns& room) {
      RunHead head;
      head.run = "r1", head.who = "root", head.cluster = ClusterName("hpc"), head.state = ends;
      head.words = asked.plan->intent.words, head.started = test::at(0);
      for (const NodeName& node : asked.plan->intent.nodes) {
        head.nodes.push_back(node);
        if (ends == RunState::finished)
          room.write(node.text, plan::NodeFinished{plan::Outcome::wanted, "as wanted"});
        else
          room.write(node.text, plan::Parked{"in use", "n2 is closed", plan::Until::empty});
      }
      if (ends == RunState::finished) room.write("", plan::RunFinished{plan::Outcome::wanted, "done"});
      heads = {head};
      room.heads = heads;
      journals = room.journals;
    };
  }
  void apply() {
    options.write = options.yes = true;
    run({"apply", path});
    ASSERT_EQ(begun(), 1) << err.str();
  }
  void now(Gpu gpu) {
    stands = [gpu] {
      return std::make_unique<test::StandingBackend>(std::vector<Node>{test::node("n2", {gpu})},
                                                     std::vector<Workload>{});
    };
  }
  bool explains(const std::string& part) {
    run({"explain", "n2", path});
    return out.str().find(part) != std::string::npos;
  }
  std::string changed_since() {
    options.output = OutputFormat::json;
    run({"diff", path});
    options.output = OutputFormat::table;
    EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
    auto document = parse_json(out.str(), "fleet");
    if (!document) return out.str();
    return to_line(*document->find("clusters")->items.at(0).find("nodes")->items.at(0).find("changed_since"));
  }
  bool diff_says(const std::string& part) {
    run({"diff", path});
    return out.str().find(part) != std::string::npos;
  }

  std::string path;
  RunState ends = RunState::finished;
};

TEST_F(FleetSince, WhatStandsAsTheRunLeftItIsTheRuns) {
  apply();
  now(test::cut(0, {}));
  EXPECT_TRUE(explains("changed last by run r1 of root, 2027-01-15T08:00:00Z: as " + path + " says"))
      << out.str();
  EXPECT_EQ(changed_since(), "false");
  EXPECT_TRUE(diff_says("r1 (root)")) << out.str();
  EXPECT_FALSE(diff_says("changed since")) << out.str();
}

TEST_F(FleetSince, WhatAnotherHasMadeAfterwardsIsNotTheRuns) {
  apply();
  for (const Gpu& by_hand : {test::uncut(0, 0), test::cut(0, {test::instance("3g.40gb", 0, 4, 0)})}) {
    now(by_hand);
    EXPECT_TRUE(explains("changed since by another: run r1 of root, 2027-01-15T08:00:00Z, left GPU 0: empty"))
        << out.str();
    EXPECT_FALSE(explains("changed last by run")) << out.str();
    EXPECT_EQ(changed_since(), "true");
    EXPECT_TRUE(diff_says("r1 (root), changed since")) << out.str();
  }
}

TEST_F(FleetSince, ARunThatWaitsThereHasChangedNothing) {
  ends = RunState::parked;
  apply();
  now(test::uncut(0, 0));
  EXPECT_TRUE(explains("run r1 of root, 2027-01-15T08:00:00Z, has not ended there")) << out.str();
  EXPECT_EQ(changed_since(), "null");
}

TEST_F(FleetSince, ARunWhoseJournalCannotBeReadIsBlamedForNothing) {
  apply();
  journals.clear();
  now(test::uncut(0, 0));
  EXPECT_TRUE(explains("the newest run that names it is r1 of root")) << out.str();
  EXPECT_TRUE(explains("who changed it last is not known")) << out.str();
  EXPECT_EQ(changed_since(), "null");
}

}  // namespace
}  // namespace tessera::cli
