// Nodes that tessera fleet run has closed for a window are opened again by it when that window is over.
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FakeRuns;

// The clock stands at Friday, 8:00; what runs on n1 may run for five hours.
class FleetClosing : public test::FleetCommandLine {
 protected:
  FleetClosing() {
    options.write = options.yes = true;
    alices.ends = *alices.started + std::chrono::hours(5);
    starts = [this](FakeRuns& room) {
      RunHead head;
      for (const plan::NodePlan& node : asked.plan->nodes) {
        room.write(node.node.text, plan::StepBegun{"close", 1, plan::CloseNode{}});
        if (begins_more) room.write(node.node.text, plan::StepBegun{"cut", 1, plan::DestroyInstances{}});
        if (killed == 0)
          room.write(node.node.text, plan::Parked{"n1 is in use", "n1 is closed", plan::Until::empty});
        for (int i = 0; i < waited; ++i) {
          room.write(node.node.text, plan::Parked{"n1 is in use", "n1 is closed", plan::Until::empty});
          room.write("", plan::Resumed{"root", "login1"});
        }
        for (int i = 1; i < killed; ++i) room.write("", plan::Resumed{"root", "login1"});
        head.nodes.push_back(node.node);
      }
      head.run = "r1", head.who = "root", head.cluster = ClusterName("hpc"),
      head.state = killed > 0 ? RunState::interrupted : RunState::parked;
      head.words = asked.plan->intent.words, head.started = test::at(later);
      heads = {head};
      room.heads = heads;
      journals = room.journals;
      if (killed > 0) room.refuse({"killed", "the power went", ""});
    };
    resumes = [this](FakeRuns& room) {
      room.write("n1", plan::NodeFinished{plan::Outcome::recorded, "n1: open again"});
      room.write("", plan::RunFinished{plan::Outcome::recorded, "n1 has gone back"});
      for (RunHead& head : room.heads) head.state = RunState::finished, head.outcome = "recorded";
      heads = room.heads;
    };
  }

  std::string with(const std::string& window, const std::string& more = "") {
    return file("pools:\n- {name: a, nodes: n1, layout: 1g.10gb, budget: {lead: '06:00'" + more +
                "}, windows: [{when: '" + window + "', layout: empty}]}\n- {name: b, layout: as-is}\n");
  }
  // n1 is closed for the window that opens at 12:00.
  void close() {
    later = 0;
    EXPECT_EQ(run({"run", with("Fri 12:00-20:00")}), killed > 0 ? kFinding : kDone) << "it waits as planned";
    ASSERT_EQ(begun(), 1) << err.str();
    EXPECT_EQ(heads.front().words, "as " + folder + "/fleet.yaml says from 2027-01-15T12:00:00Z");
  }
  bool opened() const {
    return std::find(asked.what.begin(), asked.what.end(), "resume back r1") != asked.what.end();
  }
  bool said(const std::string& part) const { return err.str().find(part) != std::string::npos; }

  bool begins_more = false;
  int killed = 0;  // so many times, while it was under way
  int waited = 0;  // so many times before, for n1 to become empty
};

TEST_F(FleetClosing, ARunThatWasKilledIsTakenUpByTheNextCallThreeTimesAtMost) {
  for (int times : {1, 3, 4}) {
    killed = times;
    close();
    run({"run", with("Fri 12:00-20:00")});
    const bool on = std::find(asked.what.begin(), asked.what.end(), "resume on r1") != asked.what.end();
    EXPECT_EQ(on, times < 4) << times << err.str();
    EXPECT_EQ(said("run r1 was killed, and no timer resumes it"), times == 4) << err.str();
    heads.clear(), journals.clear();
  }
  killed = 1;
  close();
  heads.front().words = "as fleet.yaml says";
  EXPECT_EQ(run({"run", with("Fri 12:00-20:00")}), kFinding);
  EXPECT_TRUE(asked.what.empty()) << "a person has begun it";
  heads.front().words = "as " + folder + "/fleet.yaml says from 2027-01-15T12:00:00Z";
  later = 13 * 3600;
  EXPECT_EQ(run({"run", with("Fri 12:00-20:00")}), kFinding)
      << "its window is over: what it began is a person's";
  EXPECT_TRUE(asked.what.empty()) << err.str();
}

// A run that has waited for hours was taken up often by then, and was a person's with the first kill.
TEST_F(FleetClosing, ARunThatWasCarriedOnAsPlannedIsTakenUpAfterAKillAllTheSame) {
  killed = 1;
  waited = 5;
  close();
  run({"run", with("Fri 12:00-20:00")});
  EXPECT_EQ(std::count(asked.what.begin(), asked.what.end(), "resume on r1"), 1) << err.str();
}

// check and diff asked for a person to resume what the timer resumes by itself.
TEST_F(FleetClosing, CheckAndDiffAskForNoPersonWhereTheNextCallTakesARunUp) {
  const std::string asks = "has not ended; tessera resume r1 carries it on";
  const auto look = [&](const char* verb, int code, bool named) {
    EXPECT_EQ(run({verb, with("Fri 12:00-20:00")}), code) << verb << out.str() << err.str();
    EXPECT_EQ(out.str().find(asks) != std::string::npos, named) << verb << out.str();
  };
  killed = 1;
  close();
  look("check", kDone, false), look("diff", kDone, false);
  later = 13 * 3600;
  look("check", kFinding, true);  // its window is over: what it began is a person's
  heads.clear(), journals.clear();
  killed = 4;
  close();
  look("check", kFinding, true), look("diff", kFinding, true);
}

TEST_F(FleetClosing, ANodeIsOpenedAgainOnceItsWindowIsOver) {
  close();
  EXPECT_EQ(run({"run", with("Fri 12:00-20:00")}), kDone) << err.str();
  EXPECT_TRUE(asked.what.empty()) << "the window is still to come";
  later = 5 * 3600;
  EXPECT_EQ(run({"run", with("Fri 12:00-20:00")}), kDone) << "it waits, and is named";
  EXPECT_TRUE(said("the nodes of run r1 are left out: it has not ended")) << err.str();
  EXPECT_FALSE(opened()) << err.str();
  later = 13 * 3600;
  EXPECT_EQ(run({"run", with("Fri 12:00-20:00")}), kFinding) << "the window was missed";
  EXPECT_TRUE(opened()) << err.str();
  EXPECT_TRUE(
      said("the nodes of run r1 are opened again: the window of pool a for which it was begun is over"))
      << err.str();
  EXPECT_FALSE(said("left parked")) << err.str();
}

TEST_F(FleetClosing, ANodeIsOpenedAgainWhereItsWindowIsNoLongerInTheFile) {
  for (const char* instead : {"Fri 14:00-20:00", "Sat 12:00-20:00"}) {
    close();
    EXPECT_EQ(run({"run", with(instead)}), kDone) << err.str();
    EXPECT_TRUE(opened()) << instead << err.str();
    EXPECT_TRUE(said("no window of pool a begins or ends at Fri 2027-01-15 12:00 UTC now")) << err.str();
    heads.clear(), journals.clear();
  }
  close();
  EXPECT_EQ(run({"run", file("pools: [{name: b, layout: as-is}]")}), kDone) << err.str();
  EXPECT_TRUE(opened()) << err.str();
}

TEST_F(FleetClosing, ANodeIsOpenedAgainWhereItsWindowIsTakenOutOfTheFileOrMovedWhileItHolds) {
  const std::string none = "pools:\n- {name: a, nodes: n1, layout: 1g.10gb}\n- {name: b, layout: as-is}\n";
  const std::string pool_gone = "pools: [{name: b, layout: as-is}]\n";
  const std::string spared =
      "pools:\n- {name: a, nodes: n1, layout: 1g.10gb, except: {n1: as-is}, windows: [{when: 'Fri "
      "12:00-20:00', layout: empty}]}\n- {name: b, layout: as-is}\n";
  for (const std::string& text : {none, pool_gone, spared, std::string()}) {
    later = 0;
    close();
    later = 5 * 3600;
    const std::string path = text.empty() ? with("Fri 14:00-20:00", ", max_nodes_at_once: 1") : file(text);
    EXPECT_EQ(run({"run", path}), kDone) << text << err.str();
    EXPECT_TRUE(opened()) << text << err.str();
    EXPECT_TRUE(
        said("the nodes of run r1 are opened again: the fleet file no longer has the window from "
             "Fri 2027-01-15 12:00 UTC for which it was begun"))
        << text << err.str();
    heads.clear(), journals.clear();
  }
}

TEST_F(FleetClosing, ARunGoesOnWhereItsWindowWasMovedAndHoldsStill) {
  close();
  later = 5 * 3600;
  for (const char* moved : {"Fri 12:30-20:00", "Fri 11:00-21:00", "daily"}) {
    run({"run", with(moved)});
    EXPECT_FALSE(opened()) << moved << err.str();
    EXPECT_FALSE(said("left parked")) << moved << err.str();
  }
  later = 14 * 3600;
  run({"run", with("Fri 12:30-20:00")});
  EXPECT_TRUE(opened()) << "and is given back once that one is over: " << err.str();
}

TEST_F(FleetClosing, WhatARunBeganForAWindowThatIsGoneIsLeftToAPerson) {
  begins_more = true;
  close();
  later = 5 * 3600;
  EXPECT_EQ(run({"run", with("Fri 14:00-20:00")}), kFinding);
  EXPECT_FALSE(opened());
  EXPECT_TRUE(said("is left parked: the fleet file no longer has the window from Fri 2027-01-15 12:00 UTC"))
      << err.str();
  EXPECT_TRUE(said("tessera resume r1 --back opens its nodes")) << err.str();
}

TEST_F(FleetClosing, ALowerBudgetAloneOpensNothing) {
  close();
  later = 5 * 3600;
  heads.front().started = test::at(0);
  run({"run", with("Fri 12:00-20:00", ", max_nodes_at_once: 1")});
  EXPECT_FALSE(opened()) << err.str();
}

TEST_F(FleetClosing, ANodeIsOpenedAgainWhereItsWindowIsSkipped) {
  close();
  later = 5 * 3600;
  EXPECT_EQ(run({"run", with("Fri 12:00-20:00", ", not_after: '12:30'")}), kFinding);
  EXPECT_TRUE(opened()) << err.str();
  EXPECT_TRUE(said("opened again: a change of pool a may begin until Fri 2027-01-15 12:30 UTC only"))
      << err.str();
}

TEST_F(FleetClosing, ANodeThatWasOpenedAgainIsClosedForAnotherWindow) {
  close();
  starts = {};
  EXPECT_EQ(run({"run", with("Fri 13:00-20:00")}), kDone) << err.str();
  EXPECT_TRUE(opened()) << err.str();
  ASSERT_EQ(begun(), 1) << err.str();
  EXPECT_TRUE(asked.plan->intent.words.ends_with("says from 2027-01-15T13:00:00Z"));
}

TEST_F(FleetClosing, WhatHasBegunToChangeALayoutOrWasTouchedByOthersIsLeftToAPerson) {
  begins_more = true;
  close();
  later = 13 * 3600;
  const std::string path = with("Fri 12:00-20:00");
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_FALSE(opened());
  EXPECT_TRUE(
      said("run r1 is left parked: the window of pool a for which it was begun is over; tessera resume r1 "
           "--back opens its nodes"))
      << err.str();
  begins_more = false, later = 0, heads.clear(), journals.clear();
  close();
  later = 13 * 3600;
  heads.front().unarmed = "its journal was changed";
  run({"run", path});
  EXPECT_TRUE(said("r1 is left alone: its journal was changed")) << err.str();
  EXPECT_FALSE(opened()) << err.str();
}

TEST_F(FleetClosing, TheRunOfAnotherFleetFileIsNotThisOnesBusiness) {
  close();
  later = 13 * 3600;
  heads.front().words = "as /srv/fleet.yaml says from 2027-01-15T12:00:00Z";
  run({"run", with("Fri 12:00-20:00")});
  EXPECT_FALSE(opened());
  EXPECT_TRUE(asked.what.empty()) << "nor is it carried on: its own file says until when";
  EXPECT_TRUE(said("run r1 is left parked: it is of the fleet file /srv/fleet.yaml")) << err.str();
  heads.front().words = "as fleet.yaml says from 2027-01-15T12:00:00Z";
  run({"run", with("Fri 12:00-20:00")});
  EXPECT_FALSE(opened()) << "an earlier tessera did not say which file of that name";
  EXPECT_TRUE(said("tessera resume r1 --back opens its nodes")) << err.str();
}

TEST_F(FleetClosing, NothingIsOpenedWhereTheClusterIsNotReadWholeOrTheFileIsPaused) {
  close();
  later = 13 * 3600;
  const std::string path = with("Fri 12:00-20:00");
  unread = "2 jobs could not be read";
  run({"run", path});
  EXPECT_FALSE(opened()) << err.str();
  unread.clear();
  std::ofstream(path + ".paused") << "now";
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_FALSE(opened()) << err.str();
}

TEST_F(FleetClosing, ADryRunSaysWhatWouldBeOpenedAndOpensNothing) {
  close();
  later = 13 * 3600;
  options.dry_run = true;
  run({"run", with("Fri 12:00-20:00")});
  EXPECT_FALSE(opened());
  EXPECT_TRUE(
      said("the nodes of run r1 are opened again: the window of pool a for which it was begun is over"))
      << err.str();
}

TEST_F(FleetClosing, ADryRunSaysWhichRunsWouldBeCarriedOn) {
  close();
  const std::string path = with("Fri 12:00-20:00");
  options.dry_run = true;
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_TRUE(said("run r1 stays parked as planned: its time has not come, or work is still on its nodes"))
      << err.str();
  alices = test::running("1", "alice", {test::holds("n2", {{0}})});
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_TRUE(said("r1 is due")) << err.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  auto document = parse_json(out.str(), "fleet run");
  ASSERT_TRUE(document) << out.str();
  EXPECT_EQ(to_line(*document->find("runs")), R"([{"run":"r1","what":"goes-on","why":null}])");
  EXPECT_TRUE(asked.what.empty());
  options.output = OutputFormat::table;
  heads.front().state = RunState::interrupted;
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_TRUE(said("r1 is due")) << "it was killed, and the next call finishes it: " << err.str();
}

// What counts is what the file says of the run's nodes, not when it was written.
TEST_F(FleetClosing, AFileThatWasWrittenAgainAndSaysTheSameKeepsNoRun) {
  close();
  alices = test::running("1", "alice", {test::holds("n2", {{0}})});
  const auto on = [&](const std::string& path, std::chrono::hours written) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() + written);
    run({"run", path});
    return std::find(asked.what.begin(), asked.what.end(), "resume on r1") != asked.what.end();
  };
  const std::vector<RunHead> parked = heads;
  const auto later_than_the_run = std::chrono::hours(24 * 3650), before = -std::chrono::hours(24);
  EXPECT_TRUE(on(with("Fri 12:00-20:00"), later_than_the_run)) << err.str();
  heads = parked;
  const std::string other = file(
      "pools:\n- {name: a, nodes: n1, layout: 1g.10gb, budget: {lead: '06:00'}, windows: [{when: 'Fri "
      "12:00-20:00', layout: none}]}\n- {name: b, layout: as-is}\n");
  EXPECT_FALSE(on(other, before)) << "an edit that left its time as it was";
  EXPECT_TRUE(said("the nodes of run r1 are opened again: the fleet file no longer has the window"))
      << err.str();
}

// A demand is spread another way each time: what it asks for counts.
TEST_F(FleetClosing, ARunForADemandIsCarriedOnWhileTheFileAsksForTheSame) {
  const auto demand = [this](int sevens) {
    return file("pools: [{name: a, nodes: n2, demand: {7g.80gb: " + std::to_string(sevens) +
                "}}, {name: b, layout: as-is}]");
  };
  run({"run", demand(1)});
  ASSERT_EQ(begun(), 1) << err.str();
  const std::vector<RunHead> parked = heads;
  const auto on = [&](const std::string& path) {
    heads = parked;
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(24 * 3650));
    run({"run", path});
    return std::find(asked.what.begin(), asked.what.end(), "resume on r1") != asked.what.end();
  };
  EXPECT_FALSE(on(demand(2)));
  EXPECT_TRUE(said("run r1 is left parked: the fleet file was changed after it was begun")) << err.str();
  EXPECT_TRUE(on(demand(1))) << "it was written again, and asks for the same: " << err.str();
}

// It waits until n1 is empty, and no timer would ever go on with it: check and diff said that all is well.
TEST_F(FleetClosing, ARunThatWaitsAndThatTheFileNoLongerWantsIsNamedByWhoeverLooks) {
  close();
  heads.front().words = "as " + folder + "/fleet.yaml says";  // by a person
  const std::vector<RunHead> parked = heads;
  const auto look = [&](const char* verb, bool dry, const std::string& path) {
    heads = parked;
    options.dry_run = dry;
    const int code = run({verb, path});
    const std::string all = out.str() + err.str();
    const bool named =
        all.find("is left parked: the fleet file was changed after it was begun") != std::string::npos;
    EXPECT_EQ(named, code == kFinding) << verb << dry << code << all;
    return named;
  };
  const std::string wants = "pools: [{name: a, nodes: n1, layout: empty}, {name: b, layout: as-is}]";
  const std::string other = "pools: [{name: a, nodes: n1, layout: 1g.10gb}, {name: b, layout: as-is}]";
  for (const char* verb : {"check", "diff"}) {
    EXPECT_TRUE(look(verb, false, file(other))) << verb;
    EXPECT_NE(out.str().find("run r1 of root on n1 is left parked: the fleet file"), std::string::npos)
        << out.str();
  }
  heads = parked, options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", file(other)}), kFinding) << err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  EXPECT_NE(out.str().find("\"why\": \"the fleet file was changed after it was begun; "), std::string::npos)
      << out.str();
  options.output = OutputFormat::table;
  EXPECT_TRUE(look("run", true, file(other)));
  EXPECT_TRUE(look("run", false, file(other)));
  heads = parked, options.dry_run = false;
  (void)run({"check", file(wants)});
  EXPECT_EQ(out.str().find("r1"), std::string::npos) << "it waits as planned: " << out.str();
  EXPECT_EQ(run({"pause", file(other)}), kDone) << err.str();
  (void)run({"check", file(other)});
  EXPECT_EQ(out.str().find("r1"), std::string::npos) << "paused, and that is told once: " << out.str();
}

// It said why the run is left, and no longer that n1 stands closed for it, nor whose it is.
TEST_F(FleetClosing, ARunThatIsLeftNamesTheNodesThatItHasClosed) {
  close();
  heads.front().words = "as " + folder + "/fleet.yaml says";  // by a person
  stands = [] {
    Node n1 = test::node("n1", {test::cut(0, {test::instance("1g.10gb", 6, 1, 0)})});
    n1.state = {"IDLE", "DRAIN"};
    n1.reason = "tessera r1 root@login1";
    return std::make_unique<test::StandingBackend>(std::vector<Node>{n1}, std::vector<Workload>{});
  };
  for (const char* verb : {"check", "diff"}) {
    EXPECT_EQ(run({verb, file("pools: [{name: a, nodes: n1, layout: 1g.10gb}]")}), kFinding) << err.str();
    EXPECT_NE(out.str().find("n1: closed by run r1 of root, left parked: the fleet file was changed after it "
                             "was begun; tessera resume r1 carries it on"),
              std::string::npos)
        << verb << out.str();
  }
}

// Each look at the runs read all of them again: three to five times a call.
TEST_F(FleetClosing, ACallReadsTheJournalOfARunThatWaitsOnce) {
  close();
  for (const char* verb : {"run", "check", "diff"})
    for (const bool dry : {false, true}) {
      if (dry && verb != std::string("run")) continue;
      options.dry_run = dry;
      run({verb, with("Fri 12:00-20:00")});
      EXPECT_EQ(asked.read["r1"], 1) << verb << dry << out.str() << err.str();
    }
}

}  // namespace
}  // namespace tessera::cli
