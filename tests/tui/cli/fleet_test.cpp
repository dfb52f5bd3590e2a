// tessera fleet on a cluster that stands there: what it prints, with which exit code, and what it begins.
#include "tui/cli/fleet/fleet.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FleetCommandLine;
using test::kSoon;

constexpr const char* kAsItIs = R"(pools:
- {name: cut, nodes: n1, layout: 1g.10gb}
- {name: whole, layout: none}
)";
constexpr const char* kOther = R"(pools:
- {name: cut, nodes: "n[1-2]", layout: "3g.40gb,1g.10gb"}
- {name: whole, layout: none}
)";

TEST_F(FleetCommandLine, CheckEndsWithZeroOnlyWhereEverythingIsKnownAndAsWanted) {
  EXPECT_EQ(run({"check", file(kAsItIs)}), kDone) << out.str() << err.str();
  EXPECT_EQ(
      out.str(),
      "hpc: 3 nodes as wanted, 0 differ, 0 cannot become what the file says, 0 unknown; 0 left alone\n");
  some_unknown = true;
  EXPECT_EQ(run({"check", file(kAsItIs)}), kUnknown);
  EXPECT_NE(out.str().find("it is down: what is on its GPUs now is not known"), std::string::npos)
      << out.str();
}

TEST_F(FleetCommandLine, OneNodeIsNotCountedAsNodes) {
  run({"check", file("pools:\n- {name: one, nodes: n1, layout: 1g.10gb}\n- {name: rest, layout: as-is}\n")});
  EXPECT_NE(out.str().find("hpc: 1 node as wanted, 0 differ"), std::string::npos) << out.str();
}

TEST_F(FleetCommandLine, CheckNamesWhatDiffersWithItsLine) {
  const std::string path = file(kOther);
  some_unknown = true;  // what differs for certain counts first
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_NE(out.str().find("hpc      n1    cut    " + path + ":2"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("GPU 0: 1g.10gb → 1g.10gb + 3g.40gb"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("hpc: 0 nodes as wanted, 2 differ"), std::string::npos) << out.str();
}

TEST_F(FleetCommandLine, AClusterThatDoesNotAnswerIsNotWithoutDrift) {
  loads = false;
  EXPECT_EQ(run({"check", file(kAsItIs)}), kUnknown) << out.str();
  loads = true;
  unread = "2 nodes could not be read";
  EXPECT_EQ(run({"check", file(kAsItIs)}), kUnknown) << out.str();
  unread.clear();
  EXPECT_EQ(run({"check", file("pools: [{name: a, cluster: elsewhere, layout: none}]")}), kUnknown);
  EXPECT_NE(out.str().find("pool a: cluster elsewhere is not among those that are found here"),
            std::string::npos)
      << out.str();
}

TEST_F(FleetCommandLine, DiffShowsWantedMadeAndHeldAndTheLastRun) {
  RunHead run;
  run.run = "20261121-1403-n1", run.who = "bob", run.cluster = ClusterName("hpc"),
  run.nodes = {NodeName("n1")};
  heads = {run};
  options.output = OutputFormat::json;
  EXPECT_EQ(this->run({"diff", file(kOther)}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  auto document = parse_json(out.str(), "fleet");
  ASSERT_TRUE(document);
  const Json& node = document->find("clusters")->items.at(0).find("nodes")->items.at(0);
  EXPECT_EQ(
      to_line(*node.find("gpus")),
      R"([{"gpu":0,"state":"drifts","wanted":"3g.40gb,1g.10gb","made":"1g.10gb@6","held":1,"why":null}])");
  EXPECT_EQ(node.find("changed_by")->text, "bob");
  EXPECT_EQ(node.find("last_run")->text, "20261121-1403-n1");
  options.output = OutputFormat::table;
  EXPECT_EQ(this->run({"diff", file(kOther)}), kFinding);
  EXPECT_NE(out.str().find("20261121-1403-n1 (bob)"), std::string::npos) << out.str();
}

TEST_F(FleetCommandLine, InitWritesAFileThatCheckPasses) {
  const std::string path = folder + "/new.yaml";
  ASSERT_EQ(run({"init", path}), kDone) << err.str();
  EXPECT_EQ(run({"check", path}), kDone) << out.str();
  EXPECT_EQ(run({"init", path}), kUsage) << "over a file that is there";
  EXPECT_NE(err.str().find("it is there already"), std::string::npos) << err.str();
  EXPECT_EQ(run({"init"}), kDone);
  EXPECT_NE(out.str().find("- name: h100-80gb-sxm5-1\n  cluster: hpc\n  nodes: n1\n  layout: 1g.10gb\n"),
            std::string::npos)
      << out.str();
}

TEST_F(FleetCommandLine, OnePlanIsAboutEveryNodeThatDrifts) {
  EXPECT_EQ(run({"plan", file(kOther)}), kDone) << err.str();
  EXPECT_NE(out.str().find("n1"), std::string::npos);
  EXPECT_NE(out.str().find("n2"), std::string::npos);
  EXPECT_TRUE(asked.what.empty());
  EXPECT_EQ(run({"plan", file(kAsItIs)}), kDone);
  EXPECT_NE((out.str() + err.str()).find("nothing to do"), std::string::npos) << out.str() << err.str();
}

TEST_F(FleetCommandLine, ApplyNeedsToBeArmedAndBeginsOneRun) {
  EXPECT_EQ(run({"apply", file(kOther)}), kFinding);
  EXPECT_NE(err.str().find("tessera is read-only by default"), std::string::npos) << err.str();
  EXPECT_TRUE(asked.what.empty());
  options.write = options.yes = true;
  options.change.batch = 1;
  EXPECT_EQ(run({"apply", file(kOther)}), kDone) << err.str();
  EXPECT_EQ(asked.what.at(0), "start");
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(asked.plan->intent.nodes, (std::vector<NodeName>{NodeName("n1"), NodeName("n2")}));
  EXPECT_EQ(asked.plan->intent.words, "as " + folder + "/fleet.yaml says") << "another folder has one, too";
  EXPECT_EQ(asked.plan->intent.options.batch, 1);
}

TEST_F(FleetCommandLine, ExplainNamesThePoolAndTheLineThatRuleANode) {
  const std::string path =
      file("pools:\n- name: cut\n  layout: none\n  except: {n1: 7g.80gb}\n- {name: rest, layout: none}\n");
  EXPECT_EQ(run({"explain", "n1", path}), kDone) << err.str();
  for (const char* part :
       {"pool cut takes it: ", "an exception of the pool names it: ", "it is to be: 7g.80gb",
        "pool rest would take it, too", "state: drifts", "no run of tessera"})
    EXPECT_NE(out.str().find(part), std::string::npos) << part << "\n" << out.str();
  EXPECT_EQ(run({"explain", "n77", path}), kUsage);
}

// test::at(0) is a Friday, 2027-01-15, at 8:00 UTC.
TEST_F(FleetCommandLine, CheckHoldsTheWindowThatIsOpenNow) {
  const auto with = [&](const std::string& when) {
    return file("pools:\n- name: a\n  nodes: n2\n  layout: none\n  windows:\n  - {when: '" + when +
                "', layout: empty}\n");
  };
  EXPECT_EQ(run({"check", with("Fri 09:00-10:00")}), kDone) << out.str();
  EXPECT_EQ(run({"check", with("Fri 07:00-09:00")}), kFinding) << out.str();
  EXPECT_EQ(run({"check", with("Thu 20:00-09:00")}), kFinding) << out.str();
}

TEST_F(FleetCommandLine, TheCalendarListsWhatTheWindowsBringAndAsksNoCluster) {
  loads = false;
  const std::string path = file(
      "pools:\n- name: a\n  layout: none\n  windows:\n  - {when: 'Mon-Fri 20:00-07:00', preset: "
      "all-balanced}\n"
      "- {name: b, layout: none}\n");
  options.days = 1;
  EXPECT_EQ(run({"calendar", path}), kDone) << err.str();
  EXPECT_EQ(
      out.str(),
      "FROM                  UNTIL                 POOL  WINDOW               IS TO BE\n"
      "now                   Fri 2027-01-15 20:00  a     -                    whole GPU\n"
      "Fri 2027-01-15 20:00  Sat 2027-01-16 07:00  a     Mon-Fri 20:00-07:00  all-balanced\n"
      "Sat 2027-01-16 07:00  Mon 2027-01-18 20:00  a     -                    whole GPU\n"
      "\n"
      "Times are those of UTC.\n"
      "It is 2027-01-15T08:00:02Z by the clock of this machine; tessera fleet run goes by the clock of each "
      "cluster.\n");
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"calendar", path}), kDone);
  auto document = parse_json(out.str(), "calendar");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->find("phases")->items.size(), 3u);
  EXPECT_EQ(
      run({"calendar", file("time_zone: Moon/Tycho\npools:\n- {name: a, layout: none, windows: [{when: Mon, "
                            "layout: empty}]}\n")}),
      kUsage);
  EXPECT_NE(err.str().find("fleet.yaml:1:12: there is no time zone Moon/Tycho"), std::string::npos)
      << err.str();
}

// Whatever held for more than a week was said to have no end, and JSON had one at which nothing happens.
TEST_F(FleetCommandLine, AnEndThatIsWeeksAwayIsToldWhereItIsFound) {
  loads = false;
  const std::string path = file(
      "holidays: [2027-02-10]\npools:\n- name: a\n  layout: none\n  windows: [{when: holidays, layout: "
      "empty}]\n");
  options.days = 40;
  EXPECT_EQ(run({"calendar", path}), kDone) << err.str();
  EXPECT_NE(out.str().find("now                   Wed 2027-02-10 00:00"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("Thu 2027-02-11 00:00  - "), std::string::npos) << out.str();
  options.days = 7;
  EXPECT_EQ(run({"calendar", path}), kDone) << err.str();
  EXPECT_NE(out.str().find("now   -  "), std::string::npos) << out.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"calendar", path}), kDone);
  EXPECT_NE(out.str().find("\"until\": null"), std::string::npos) << out.str();
}

TEST_F(FleetCommandLine, RunDoesWhatIsDuePoolByPoolWithTheirOwnPatience) {
  options.write = options.yes = true;
  options.change.batch = 8;
  const std::string path = file(
      "pools:\n- {name: a, nodes: n1, layout: 3g.40gb, evict: requeue, budget: {max_nodes_at_once: 2}}\n"
      "- {name: b, nodes: n2, layout: as-is, windows: [{when: 'Fri 20:00-21:00', layout: empty}]}\n"
      "- {name: c, layout: none}\n");
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_EQ(asked.what.at(0), "start") << err.str();
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(asked.plan->intent.nodes, std::vector<NodeName>{NodeName("n1")}) << "n2's window is not open";
  EXPECT_EQ(asked.plan->intent.options.way, plan::Way::requeue);
  EXPECT_EQ(asked.plan->intent.options.batch, 2);
  EXPECT_TRUE(asked.plan->intent.options.when_empty)
      << "what evict does not end is not waited for in the process";
}

// A driver upgrade that failed on one node stopped the day and night of every other one.
TEST_F(FleetCommandLine, ANodeWhoseChangeIsRefusedIsNamedAndTheOthersAreChanged) {
  options.write = options.yes = true;
  stands = [] {
    Gpu other = test::uncut(1, 1, "A100-40GB");
    other.mig_mode = MigMode::enable_pending;
    return std::make_unique<test::StandingBackend>(
        std::vector<Node>{test::node("n1", {test::uncut(0, 0, "A100-40GB"), other}),
                          test::node("n2", {test::uncut(0, 0, "A100-40GB")})},
        std::vector<Workload>{});
  };
  const std::string path = file("pools: [{name: a, gpus: {0: 3g.20gb}}]");
  const std::string why = "no plan changes it: the GPU reset would also ";
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_NE(out.str().find(why), std::string::npos) << out.str();
  for (const char* verb : {"run", "apply"}) {
    EXPECT_EQ(run({verb, path}), kFinding) << "n1 stays as it is";
    EXPECT_NE(err.str().find("n1 drifts, and " + why), std::string::npos) << err.str();
    ASSERT_TRUE(asked.plan) << err.str();
    EXPECT_EQ(asked.plan->intent.nodes, std::vector<NodeName>{NodeName("n2")});
  }
}

TEST_F(FleetCommandLine, ATimeZoneThatIsNoneIsRefusedWithAndWithoutWindows) {
  for (const char* zone : {"Europe", "Moon/Tycho"})
    for (const char* windows : {"", ", windows: [{when: Mon, layout: empty}]"}) {
      const std::string text =
          std::string("time_zone: ") + zone + "\npools: [{name: a, layout: none" + windows + "}]\n";
      EXPECT_EQ(run({"calendar", file(text)}), kUsage) << text;
      EXPECT_NE(err.str().find(std::string("there is no time zone ") + zone), std::string::npos) << err.str();
    }
}

TEST_F(FleetCommandLine, RunNeverEvictsUnlessThePoolSaysSo) {
  options.write = options.yes = true;
  EXPECT_EQ(run({"run", file("pools: [{name: a, nodes: n1, layout: 3g.40gb}]")}), kDone) << err.str();
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(asked.plan->intent.options.way, plan::Way::wait);
  EXPECT_TRUE(asked.plan->intent.options.when_empty);
}

TEST_F(FleetCommandLine, RunSkipsAPoolBeyondItsBudgetWithAFinding) {
  options.write = options.yes = true;
  EXPECT_EQ(run({"run", file("pools: [{name: a, nodes: n1, layout: 7g.80gb, evict: requeue, budget: "
                             "{max_disturbed: 0}}]")}),
            kFinding);
  EXPECT_NE(
      err.str().find(
          "pool a is skipped: its change would evict more jobs or pods (1) than "
          "max_disturbed allows (0): without a known end: 1 (alice). Raise max_disturbed to 1, or wait"),
      std::string::npos)
      << err.str();
  const std::string late =
      "pools: [{name: a, nodes: n2, layout: none, budget: {not_after: '07:30'}, windows: [{when: 'Fri "
      "07:00-09:00', "
      "layout: empty}]}]";
  EXPECT_EQ(run({"run", file(late)}), kFinding);
  EXPECT_NE(err.str().find("pool a is skipped: a change may begin until Fri 2027-01-15 07:30 UTC only"),
            std::string::npos)
      << err.str();
  // "until 07:30Z" was said to an admin whose file says 08:30.
  EXPECT_EQ(run({"run", file("time_zone: Europe/Berlin\npools: [{name: a, nodes: n2, layout: none, budget: "
                             "{not_after: '08:30'}, windows: [{when: 'Fri 08:00-10:00', layout: empty}]}]")}),
            kFinding);
  EXPECT_NE(err.str().find("a change may begin until Fri 2027-01-15 08:30 Europe/Berlin only"),
            std::string::npos)
      << err.str();
  EXPECT_TRUE(asked.what.empty());
}

TEST_F(FleetCommandLine, RunLeavesNodesOfARunThatHasNotEndedAlone) {
  options.write = options.yes = true;
  RunHead parked;
  parked.run = "r7", parked.cluster = ClusterName("hpc"), parked.nodes = {NodeName("n1")};
  parked.state = RunState::parked, parked.unarmed = "it waits for a person";
  heads = {parked};
  EXPECT_EQ(run({"run", file(kOther)}), kDone) << err.str();
  EXPECT_NE(err.str().find("the nodes of run r7 are left out: it has not ended"), std::string::npos)
      << err.str();
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(asked.plan->intent.nodes, std::vector<NodeName>{NodeName("n2")});
}

TEST_F(FleetCommandLine, APausedFileAndASecondRunnerBeginNothing) {
  options.write = options.yes = true;
  const std::string path = file(kOther);
  EXPECT_EQ(run({"pause", path}), kDone) << err.str();
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find("tessera fleet run is paused for this file since 2027-01-15T08:00:0"),
            std::string::npos)
      << err.str();
  for (const char* verb : {"check", "plan", "diff", "calendar"}) {
    run({verb, path});
    EXPECT_NE(err.str().find("is paused"), std::string::npos) << "everybody sees it: " << verb << err.str();
  }
  options.dry_run = true;
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  options.dry_run = false;
  EXPECT_EQ(run({"pause", path}), kFinding) << "once";
  EXPECT_EQ(run({"unpause", path}), kDone);
  EXPECT_EQ(run({"unpause", path}), kFinding);
  const int other = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find("another tessera fleet run is at work on this file"), std::string::npos)
      << err.str();
  ::close(other);
  // A runner of another user, who may not open the lock beside it, holds the file itself.
  const int itself = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(itself, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find("another tessera fleet run is at work on this file"), std::string::npos)
      << err.str();
  ::close(itself);
  EXPECT_TRUE(asked.what.empty());
}

constexpr const char* kTwoPools =
    "pools: [{name: a, nodes: n1, layout: 3g.40gb}, {name: b, nodes: n2, layout: empty}, {name: c, layout: "
    "none}]";

TEST_F(FleetCommandLine, APoolIsPlannedOnWhatIsSoAfterTheRunOfThePoolBeforeIt) {
  options.write = options.yes = true;
  on_started = [this] {  // n1 goes: the last node takes its place in the model
    on_started = {};
    box.post(
        Event{ClusterName("hpc"), 0, test::at(0),
              NodesListed{{test::node("n3", {test::uncut(0, 0)}), test::node("n2", {test::uncut(0, 0)})}}});
  };
  EXPECT_EQ(run({"run", file(kTwoPools)}), kDone) << err.str();
  EXPECT_EQ(begun(), 2) << err.str();
  EXPECT_EQ(asked.plan->intent.nodes, std::vector<NodeName>{NodeName("n2")});
}

TEST_F(FleetCommandLine, APauseDuringARunKeepsTheNextPoolFromBeginning) {
  options.write = options.yes = true;
  const std::string path = file(kTwoPools);
  on_started = [&] { std::ofstream(path + ".paused") << "now"; };
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_EQ(begun(), 1) << err.str();
}

TEST_F(FleetCommandLine, NothingIsBegunAndNothingDeniedWhereJournalsCannotBeListed) {
  options.write = options.yes = true;
  RunHead lost;
  lost.state = RunState::unreadable, lost.why = "the folder cannot be read";
  heads = {lost};
  EXPECT_EQ(run({"run", file(kTwoPools)}), kUnknown);
  EXPECT_NE(err.str().find("the folder cannot be read"), std::string::npos) << err.str();
  EXPECT_TRUE(asked.what.empty());
  EXPECT_EQ(run({"explain", "n2", file(kTwoPools)}), kDone);
  EXPECT_EQ(out.str().find("no run of tessera"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("not every run is known"), std::string::npos) << out.str();
}

// The journal that cannot be read may be of the run that closed a node and was killed: "all is well" was
// said.
TEST_F(FleetCommandLine, CheckAndDiffDoNotSayAllIsWellWhereJournalsCannotBeRead) {
  RunHead lost;
  lost.state = RunState::unreadable, lost.why = "the folder cannot be read";
  for (const char* verb : {"check", "diff"}) {
    heads.clear();
    EXPECT_EQ(run({verb, file(kAsItIs)}), kDone) << verb << out.str();
    heads = {lost};
    EXPECT_EQ(run({verb, file(kAsItIs)}), kUnknown) << verb << out.str();
  }
}

TEST_F(FleetCommandLine, RunBeginsWithTheNodesThatNothingHolds) {
  options.write = options.yes = true;
  EXPECT_EQ(run({"run", file(kOther)}), kDone) << err.str();
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(asked.plan->intent.nodes, (std::vector<NodeName>{NodeName("n2"), NodeName("n1")}));
  EXPECT_EQ(asked.plan->nodes.at(0).node, NodeName("n2"));
}

TEST_F(FleetCommandLine, WhatIsOnlyWaitedForIsNotDisturbed) {
  options.write = options.yes = true;
  EXPECT_EQ(run({"run", file("pools: [{name: a, nodes: n1, layout: 7g.80gb, budget: {max_disturbed: 0}}]")}),
            kDone)
      << err.str();
  EXPECT_EQ(begun(), 1) << err.str();
}

TEST_F(FleetCommandLine, WhatIsImpossibleOrUnknownDecidesTheExitCodeOfRunPlanAndApply) {
  options.write = options.yes = true;
  const std::string much = file("pools: [{name: a, demand: {7g.80gb: 9}, nodes: n1}]");
  for (const char* verb : {"run", "plan", "apply"}) {
    EXPECT_EQ(run({verb, much}), kFinding) << verb;
    EXPECT_NE(err.str().find("pool a: its GPUs have no room for"), std::string::npos) << verb << err.str();
    EXPECT_EQ((out.str() + err.str()).find("every node is as the file says"), std::string::npos) << verb;
  }
  some_unknown = true;
  EXPECT_EQ(run({"run", file(kTwoPools)}), kUnknown) << err.str();
  EXPECT_EQ(run({"apply", file(kTwoPools)}), kUnknown) << err.str();
}

TEST_F(FleetCommandLine, AParkedRunOfAWindowThatIsOverIsNotCarriedOn) {
  options.write = options.yes = true;
  RunHead parked;
  parked.run = "r7", parked.cluster = ClusterName("hpc"), parked.nodes = {NodeName("n2")};
  parked.state = RunState::parked, parked.words = "as fleet.yaml says";
  parked.started = test::at(-3600);
  heads = {parked};
  const auto path = file(
      "pools: [{name: a, nodes: n2, layout: empty, windows: [{when: 'Thu 20:00-07:30', layout: none}]}, "
      "{name: b, layout: as-is}]");
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find("run r7 is left parked: the window of pool a for which it was begun is over; "
                           "tessera resume r7 --back opens its nodes"),
            std::string::npos)
      << err.str();
  EXPECT_TRUE(asked.what.empty());
}

TEST_F(FleetCommandLine, RunClosesANodeBeforeItsWindowWhenItsWorkMayRunUntilThen) {
  options.write = options.yes = true;
  alices.ends = *alices.started + std::chrono::hours(5);
  EXPECT_EQ(run({"run", file(kSoon)}), kDone) << err.str();
  ASSERT_TRUE(asked.plan) << err.str();
  EXPECT_EQ(asked.plan->intent.nodes, std::vector<NodeName>{NodeName("n1")}) << "nothing holds n2";
  EXPECT_EQ(asked.plan->intent.words, "as " + folder + "/fleet.yaml says from 2027-01-15T12:00:00Z");
  EXPECT_TRUE(asked.plan->intent.options.when_empty);
  EXPECT_NE(err.str().find("for the window that opens at Fri 2027-01-15 12:00 UTC: time limit 5 h,"),
            std::string::npos)
      << err.str();
}

TEST_F(FleetCommandLine, RunClosesNoNodeEarlyWhoseWorkHasNoLimitOrEndsInTime) {
  options.write = options.yes = true;
  EXPECT_EQ(run({"run", file(kSoon)}), kDone) << err.str();
  EXPECT_NE(err.str().find("n1 is changed when its window opens at Fri 2027-01-15 12:00 UTC: how long its "
                           "workloads may run is unknown"),
            std::string::npos)
      << err.str();
  EXPECT_TRUE(asked.what.empty());
  alices.ends = *alices.started + std::chrono::hours(3);
  EXPECT_EQ(run({"run", file(kSoon)}), kDone) << err.str();
  EXPECT_NE(err.str().find("n1 is closed at Fri 2027-01-15 08:"), std::string::npos) << err.str();
  EXPECT_TRUE(asked.what.empty());
}

TEST_F(FleetCommandLine, WhatWasMadeEarlyIsNotMadeBackBeforeItsWindowOpens) {
  options.write = options.yes = true;
  RunHead early;
  early.run = "r7", early.cluster = ClusterName("hpc"), early.nodes = {NodeName("n1"), NodeName("n2")};
  early.state = RunState::finished, early.words = "as fleet.yaml says from 2027-01-15T12:00:00Z";
  heads = {early};
  alices.ends = *alices.started + std::chrono::hours(5);
  EXPECT_EQ(run({"run", file("pools: [{name: a, nodes: 'n[1-2]', layout: 3g.40gb, budget: {lead: '06:00'}, "
                             "windows: [{when: 'Fri 12:00-20:00', layout: empty}]}, {name: b, layout: "
                             "as-is}]")}),
            kDone)
      << err.str();
  EXPECT_TRUE(asked.what.empty()) << err.str();
  heads.front().words = "as fleet.yaml says from 2027-01-15T07:00:00Z";
  EXPECT_EQ(run({"run", file(kSoon)}), kDone) << err.str();
  ASSERT_TRUE(asked.plan) << "that window has opened: its run is one like others";
}

TEST_F(FleetCommandLine, AParkedRunIsNotCarriedOnByAFileThatWasChangedSinceOrOnANodeThatIsNotListed) {
  options.write = options.yes = true;
  RunHead parked;
  parked.run = "r7", parked.cluster = ClusterName("hpc"), parked.nodes = {NodeName("n2")};
  parked.state = RunState::parked, parked.words = "as fleet.yaml says";
  parked.started = TimePoint(std::chrono::hours(24));  // long before the file was written
  heads = {parked};
  const std::string path = file("pools: [{name: a, layout: as-is}]");
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find("run r7 is left parked: the fleet file was changed after it was begun"),
            std::string::npos)
      << err.str();
  heads.front().started = test::at(-3600), heads.front().nodes = {NodeName("gone")};
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find("run r7 is left parked: node gone is not listed now"), std::string::npos)
      << err.str();
  heads.front().cluster = ClusterName("elsewhere");
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_NE(err.str().find("run r7 is left parked: cluster elsewhere is not listed now"), std::string::npos)
      << err.str();
  EXPECT_TRUE(asked.what.empty());
}

TEST_F(FleetCommandLine, AParkedRunThatWasBegunEarlyIsCarriedOnBeforeAndAfterTheOpening) {
  options.write = options.yes = true;
  RunHead parked;
  parked.run = "r7", parked.cluster = ClusterName("hpc"), parked.nodes = {NodeName("n1")};
  parked.state = RunState::parked, parked.started = test::at(-3600);
  heads = {parked};
  const std::string path = file(kSoon);
  const auto left = [&](const char* opening) {
    heads.front().words = std::string("as fleet.yaml says from ") + opening;
    (void)run({"run", path});
    return err.str().find("for which it was begun is over") != std::string::npos;
  };
  EXPECT_FALSE(left("2027-01-15T12:00:00Z"));
  EXPECT_TRUE(left("2027-01-08T12:00:00Z")) << "that window is over";
}

TEST_F(FleetCommandLine, ADryRunShowsTheCalendarAndChangesNothing) {
  options.dry_run = true;
  EXPECT_EQ(
      run({"run",
           file("pools: [{name: a, nodes: n2, layout: none, windows: [{when: 'Fri 07:00-09:00', layout: "
                "empty}]}]")}),
      kDone)
      << err.str();
  EXPECT_NE(out.str().find("Fri 07:00-09:00"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("Nothing has been changed"), std::string::npos) << out.str();
  EXPECT_TRUE(asked.what.empty());
}

TEST_F(FleetCommandLine, TheCalendarSaysFromWhenNodesMayBeClosedForAWindow) {
  options.days = 1;
  EXPECT_EQ(run({"calendar", file(kSoon)}), kDone) << err.str();
  EXPECT_EQ(
      out.str().substr(0, out.str().find("Times are")),
      "FROM                  UNTIL                 CLOSING FROM          POOL  WINDOW           IS TO BE\n"
      "now                   Fri 2027-01-15 12:00  -                     a     -                as it is\n"
      "Fri 2027-01-15 12:00  Fri 2027-01-15 20:00  Fri 2027-01-15 06:00  a     Fri 12:00-20:00  MIG on, no "
      "instances\n"
      "Fri 2027-01-15 20:00  Fri 2027-01-22 12:00  -                     a     -                as it is\n"
      "\n");
  EXPECT_NE(out.str().find("CLOSING FROM: no node is closed for the window before"), std::string::npos);
}

TEST_F(FleetCommandLine, ADryRunIsOneDocumentByTheClockOfItsCluster) {
  options.dry_run = true;
  options.output = OutputFormat::json;
  clock = test::at(3600);  // of the cluster: an hour ahead of this machine
  alices.ends = *alices.started + std::chrono::hours(4);
  EXPECT_EQ(run({"run", file(kSoon)}), kDone) << err.str();
  auto document = parse_json(out.str(), "fleet run");
  ASSERT_TRUE(document) << out.str();
  EXPECT_EQ(document->find("clocks")->items.at(0).find("cluster")->text, "hpc");
  EXPECT_EQ(document->find("phases")->items.at(0).find("from")->text.substr(0, 15), "2027-01-15T09:0");
  EXPECT_EQ(document->find("phases")->items.at(1).find("closing_from")->text, "2027-01-15T06:00:00Z");
  const Json& early = document->find("early")->items.at(0);
  EXPECT_EQ(early.find("node")->text, "n1");
  EXPECT_EQ(early.find("opens")->text, "2027-01-15T12:00:00Z");
  EXPECT_EQ(to_line(*early.find("limit_minutes")), "240");
  const Json& due = document->find("due")->items.at(0);
  EXPECT_EQ(to_line(*due.find("nodes")), R"(["n1"])") << "it is 9:00 there, and 12:00 less 4 hours is over";
  EXPECT_TRUE(asked.what.empty());
  options.dry_run = false;
  EXPECT_EQ(run({"run", file(kSoon)}), kUsage) << "what is begun is told run by run";
}

TEST_F(FleetCommandLine, FlagsThatAVerbHasNotAreRefused) {
  const Options plain = options;
  const auto refused = [&](std::vector<std::string> words, const std::function<void()>& set) {
    options = plain;
    set();
    const std::string verb = words.front();
    EXPECT_EQ(run(std::move(words)), kUsage) << verb;
    EXPECT_NE(err.str().find("fleet " + verb + " has no "), std::string::npos) << err.str();
  };
  const std::string path = file(kAsItIs);
  refused({"init"}, [&] { options.nodes = "n1"; });
  refused({"explain", "n1", path}, [&] { options.output = OutputFormat::json; });
  refused({"pause", path}, [&] { options.output = OutputFormat::json; });
  refused({"run", path}, [&] { options.at = "+2h"; });
  refused({"run", path}, [&] { options.change.way = plan::Way::cancel; });
  refused({"run", path}, [&] { options.change.when_empty = true; });
  refused({"run", path}, [&] { options.change.wait = std::chrono::hours(1); });
  refused({"calendar", path}, [&] { options.at = "+2h"; });
}

TEST_F(FleetCommandLine, ANodeThatMayNotHaveBeenReadIsNotDenied) {
  options.nodes = "n77";
  EXPECT_EQ(run({"check", file(kAsItIs)}), kUsage);
  unread = "2 nodes could not be read";
  EXPECT_EQ(run({"check", file(kAsItIs)}), kUnknown) << err.str();
}

TEST_F(FleetCommandLine, RefusesWhatItCannotUse) {
  EXPECT_EQ(run({}), kUsage);
  EXPECT_EQ(run({"mend"}), kUsage);
  EXPECT_EQ(run({"check"}), kUsage);
  EXPECT_NE(err.str().find("no fleet file is named"), std::string::npos);
  EXPECT_EQ(run({"check", folder + "/none.yaml"}), kUsage);
  EXPECT_EQ(run({"check", file("pools: 1")}), kUsage);
  EXPECT_NE(err.str().find("fleet.yaml:1:8: pools is a list"), std::string::npos) << err.str();
  EXPECT_EQ(run({"explain"}), kUsage);
  options.output = OutputFormat::csv;
  EXPECT_EQ(run({"check", file(kAsItIs)}), kUsage);
}

}  // namespace
}  // namespace tessera::cli
