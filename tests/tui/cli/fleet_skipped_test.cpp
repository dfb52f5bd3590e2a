// What tessera fleet run skips for the budget of a pool is told by the verbs that look, too, and each thing
// once.
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::at;
using test::FleetCommandLine;

// Only the run itself said so, and a timer's output is read by few.
TEST_F(FleetCommandLine, WhatRunSkipsForItsBudgetIsAFindingOfCheckAfterwards) {
  alices.ends = at(3 * 3600);
  const std::string path = file(
      "pools: [{name: a, nodes: n1, layout: 7g.80gb, evict: requeue, budget: {max_disturbed: 0}}, {name: b, "
      "layout: as-is}]");
  const std::string why =
      "pool a: fleet run skips it: its change would evict more jobs or pods (1) than max_disturbed allows "
      "(0): 1 (alice) until Fri 2027-01-15 11:00. By their time limits it fits from Fri 2027-01-15 11:00 UTC "
      "on; or raise max_disturbed to 1";
  for (const char* verb : {"check", "diff"}) {
    EXPECT_EQ(run({verb, path}), kFinding);
    EXPECT_NE(out.str().find(why), std::string::npos) << verb << out.str();
  }
  EXPECT_EQ(run({"explain", "n1", path}), kDone);
  EXPECT_NE(out.str().find("fleet run skips it: its change would evict"), std::string::npos) << out.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  options.output = OutputFormat::table;
  // What is waited for, and what the budget allows, is skipped by none.
  for (const char* may :
       {"evict: wait, budget: {max_disturbed: 0}", "evict: requeue, budget: {max_disturbed: 1}"}) {
    EXPECT_EQ(run({"check", file(std::string("pools: [{name: a, nodes: n1, layout: 7g.80gb, ") + may +
                                 "}, {name: b, layout: as-is}]")}),
              kFinding);
    EXPECT_EQ(out.str().find("skips"), std::string::npos) << out.str();
  }
  EXPECT_EQ(run({"check", file("pools: [{name: a, nodes: n2, layout: none, budget: {not_after: '07:30'}, "
                               "windows: [{when: 'Fri 07:00-09:00', layout: empty}]}, {name: b, layout: "
                               "as-is}]")}),
            kFinding);
  EXPECT_NE(out.str().find("pool a: fleet run skips it: by not_after a change may begin until Fri 2027-01-15 "
                           "07:30 UTC only."),
            std::string::npos)
      << out.str();
}

// One node on which a person works was asked about by every call, parked, and held up its whole pool for
// good.
TEST_F(FleetCommandLine, ANodeThatAnotherKeepsClosedHoldsUpNoOtherOfItsPool) {
  options.write = options.yes = true;
  some_unknown = false;
  bool closed = true;
  stands = [&] {
    Node other = test::node("n2", {test::uncut(0, 0)});
    if (closed) {
      other.state = {"IDLE", "DRAIN"}, other.health = Health::drained;
      other.reason = "RMA 4711", other.reason_by = "ops";
    }
    return std::make_unique<test::StandingBackend>(
        std::vector<Node>{test::node("n1", {test::uncut(0, 0)}), other,
                          test::node("n3", {test::uncut(0, 0)})},
        std::vector<Workload>{});
  };
  const std::string why =
      "pool a: fleet run changes no node that another keeps closed, until it is opened: n2 (ops: RMA 4711)";
  for (const char* more : {"", ", on_failure: go-on, budget: {max_nodes_at_once: 1}"}) {
    const std::string path = file(std::string("pools: [{name: a, nodes: 'n[1-2]', layout: empty") + more +
                                  "}, {name: b, layout: as-is}]");
    closed = true;
    EXPECT_EQ(run({"run", path}), kFinding);
    ASSERT_TRUE(asked.plan) << err.str();
    EXPECT_EQ(asked.plan->intent.nodes, std::vector<NodeName>{NodeName("n1")}) << more;
    EXPECT_NE(err.str().find(why), std::string::npos) << err.str();
    EXPECT_EQ(run({"check", path}), kFinding);
    EXPECT_NE(out.str().find(why), std::string::npos) << out.str();
  }
  options.dry_run = true, options.write = options.yes = false;
  options.output = OutputFormat::json;
  const std::string path = file(
      "pools: [{name: a, nodes: n2, layout: as-is, budget: {lead: '06:00'}, windows: [{when: 'Fri "
      "12:00-20:00', layout: empty}]}, {name: b, layout: as-is}]");
  EXPECT_EQ(run({"run", path}), kFinding) << "before its window, too";
  EXPECT_NE(test::json_at(out.str(), "/skipped/0/why").find("n2 (ops: RMA 4711)"), std::string::npos)
      << out.str();
  EXPECT_EQ(test::json_at(out.str(), "/early"), "[]") << out.str();
  options.dry_run = false, options.write = options.yes = true;
  options.output = OutputFormat::table;
  closed = false;
  EXPECT_EQ(
      run({"run", file("pools: [{name: a, nodes: 'n[1-2]', layout: empty}, {name: b, layout: as-is}]")}),
      kDone)
      << err.str();
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(asked.plan->intent.nodes.size(), 2u) << "it is open: the next call takes it";
}

// It was closed at 8:00 for a window until 10:00, and its work runs until noon.
TEST_F(FleetCommandLine, RunNamesANodeThatIsNotEmptyBeforeItsWindowEnds) {
  alices.ends = test::at(4 * 3600);
  const std::string path = file(
      "pools: [{name: a, nodes: n1, layout: as-is, windows: [{when: 'Fri 07:00-10:00', layout: empty}]}, "
      "{name: b, layout: as-is}]");
  const std::string why =
      "pool a: by the time limits of their workloads these nodes are not empty before its phase ends at Fri "
      "2027-01-15 10:00 UTC: n1 (Fri 2027-01-15 12:00)";
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_NE(out.str().find(why), std::string::npos) << out.str();
  options.dry_run = true;
  EXPECT_EQ(run({"run", path}), kDone) << "what ends early makes it come in time";
  EXPECT_NE(err.str().find(why), std::string::npos) << err.str();
  alices.ends = test::at(5 * 3600);
  alices.started = test::at(-9 * 3600);
  EXPECT_EQ(run({"run", file("pools: [{name: a, nodes: n1, layout: as-is, budget: {lead: '04:00'}, windows: "
                             "[{when: 'Fri 12:00-13:00', layout: empty}]}, {name: b, layout: as-is}]")}),
            kDone);
  EXPECT_NE(
      err.str().find("n1 may be ready only after its window has ended at Fri 2027-01-15 13:00: the lead "
                     "of pool a is shorter"),
      std::string::npos)
      << err.str();
  EXPECT_NE(err.str().find("time limit 14 h, steps"), std::string::npos) << err.str();
}

// The window that an 'impossible' rule belongs to passed every look until it opened.
TEST_F(FleetCommandLine, AWindowThatItsGpusCannotBecomeIsAFindingOfCheckBeforeItOpens) {
  some_unknown = false;
  const std::string path = file(
      "pools: [{name: a, nodes: n1, layout: as-is, windows: [{when: Sat, layout: 9g.90gb}]}, {name: b, "
      "layout: as-is}]");
  const std::string why = "its window Sat (line 1) is impossible on n1: ";
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_NE(out.str().find(why), std::string::npos) << out.str();
  EXPECT_EQ(run({"explain", "n1", path}), kDone);
  EXPECT_NE(out.str().find(why), std::string::npos) << out.str();
  options.dry_run = true;
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find(why), std::string::npos) << err.str();
}

// A unit of a timer was failed for as long as a label had no node.
TEST_F(FleetCommandLine, APoolThatHasNoNodeForNowIsNamedAndIsNothingUnknown) {
  some_unknown = false;
  options.write = options.yes = true;
  const std::string path =
      file("pools: [{name: none, feature: not-there, layout: empty}, {name: b, layout: as-is}]");
  EXPECT_EQ(run({"check", path}), kDone) << out.str();
  EXPECT_NE(out.str().find("pool none: it rules no node"), std::string::npos) << out.str();
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_NE(err.str().find("pool none: it rules no node"), std::string::npos) << err.str();
  options.dry_run = true;
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_NE(err.str().find("pool none: it rules no node"), std::string::npos) << err.str();
  options.dry_run = false;
  EXPECT_EQ(
      run({"check", file("pools: [{name: none, nodes: n77, layout: empty}, {name: b, layout: as-is}]")}),
      kUnknown)
      << "a node that is named and not listed is not known";
}

// Its JSON had no word of them.
TEST_F(FleetCommandLine, ADryRunListsThePoolsThatItSkips) {
  options.dry_run = true;
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"run", file("pools: [{name: a, nodes: n1, layout: 7g.80gb, evict: requeue, budget: "
                             "{max_disturbed: 0}}, {name: b, layout: as-is}]")}),
            kFinding);
  EXPECT_EQ(test::json_at(out.str(), "/skipped/0/pool"), "\"a\"") << out.str();
  EXPECT_NE(test::json_at(out.str(), "/skipped/0/why").find("its change would evict"), std::string::npos);
  EXPECT_EQ(test::json_at(out.str(), "/due"), "[]");
}

// A run is to be kept from beginning first, and the file mended then.
TEST_F(FleetCommandLine, AFileWithAnErrorCanBePausedAndThatIsTold) {
  const std::string path = file("pools: [{name: a, layouts: none}]");
  EXPECT_EQ(run({"pause", path}), kDone) << err.str();
  EXPECT_NE(err.str().find("tessera fleet run is paused for this file since"), std::string::npos);
  EXPECT_EQ(run({"unpause", path}), kDone) << err.str();
  EXPECT_EQ(run({"pause", path + ".not"}), kUsage) << "a slip of the keys pauses nothing";
}

// The calendar names it, and the runs below it named it again.
TEST_F(FleetCommandLine, ADryRunNamesAWindowThatNeverHoldsOnce) {
  options.dry_run = true;
  const std::string path = file(
      "pools: [{name: a, nodes: n2, layout: none, windows: [{when: daily, layout: none}, {when: 'Mon', "
      "layout: empty}]}, {name: b, layout: as-is}]");
  const auto told = [](const std::string& text) { return text.find("never holds") != std::string::npos; };
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_TRUE(told(out.str())) << out.str();
  EXPECT_FALSE(told(err.str())) << err.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_TRUE(told(err.str())) << "its JSON does not have it: " << err.str();
}

}  // namespace
}  // namespace tessera::cli
