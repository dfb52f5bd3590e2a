// tessera resume --due: which runs a timer carries on, and which it leaves to a person.
#include "tui/cli/change/due.hpp"

#include "engine/fleet/rests.hpp"
#include "tests/tui/cli/changing_lab.hpp"

namespace tessera::cli {
namespace {

TEST_F(Changing, DueLeavesARunAloneWhoseNodeIsStillBusy) {
  keep("waits", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  options.due = true;
  work = {test::running("9", "eve", {test::holds("n1", {{0, 1}})})};
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_EQ(json_at(out.str(), "/outcome"), "\"nothing\"");
  EXPECT_TRUE(asked.what.empty());
}

// Whether its window still holds is written in the fleet file, which this command does not read.
TEST_F(Changing, DueLeavesTheRunOfAWindowToFleetRunAndSaysSo) {
  keep("night", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  heads.front().words = "as /etc/tessera/fleet.yaml says from 2027-01-15T20:00:00Z";
  options.due = true;
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_TRUE(asked.what.empty());
  EXPECT_TRUE(
      said("run night is left parked: it is for a window of a fleet file, and no fleet file is read "
           "here; tessera fleet run /etc/tessera/fleet.yaml goes on with it"))
      << err.str();
  script = [](FakeRuns& runs) { runs.on_resume = [](FakeRuns& r) { finish(r, plan::Outcome::wanted); }; };
  options.due = false, options.words = {"night"};
  EXPECT_EQ(run("resume"), 0) << "a person who names it may: " << err.str();
  EXPECT_EQ(asked.what.at(0), "resume on night");
}

// Whether the file is paused still is known to who reads it.
TEST_F(Changing, DueLeavesARunThatRestsForThePauseOfItsFileToFleetRun) {
  const std::string why = fleet::resting_words("2027-01-15T08:01:00Z by bob");
  keep("rests",
       {plan::StepBegun{"close", 1, plan::CloseNode{}},
        plan::Parked{why, "n1 is closed", plan::Until::someone}},
       RunState::parked);
  auto journal = plan::parse_journal(journals["rests"], "rests").value();
  journals["rests"] += plan::to_line(
      plan::Entry{4, test::at(0), {}, plan::Requested{plan::Demand::pause, "root", why}}, journal.chain);
  heads.front().words = "as /etc/tessera/fleet.yaml says";
  options.due = true;
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_TRUE(asked.what.empty());
  EXPECT_TRUE(
      said("its fleet file was paused while it was under way; tessera fleet run /etc/tessera/fleet.yaml goes "
           "on with it"))
      << err.str();
}

// To whoever applies a change, 0 means that it is made; to a timer, that no person is needed.
TEST_F(Changing, ARunThatParksAsPlannedIsAFindingForAPersonAndNoneForATimer) {
  const auto ends = [&](const char* command, plan::Until until) {
    script = [until](FakeRuns& runs) {
      const auto park = [until](FakeRuns& r) {
        r.write("n1", plan::Parked{"as it is", "n1 is closed", until});
      };
      runs.on_start = park, runs.on_resume = park;
    };
    const int code = run(command);
    EXPECT_EQ(json_at(out.str(), "/outcome"), until == plan::Until::someone ? "\"parked\"" : "\"waiting\"");
    return code;
  };
  EXPECT_EQ(ends("apply", plan::Until::empty), 1) << err.str();
  keep("r7", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  options.due = true;
  EXPECT_EQ(ends("resume", plan::Until::empty), 0) << err.str();
  EXPECT_EQ(ends("resume", plan::Until::time), 0) << err.str();
  EXPECT_EQ(ends("resume", plan::Until::someone), 1) << err.str();
}

// A node that is cleared whole has no slice that would tell; its jobs are not known.
TEST_F(Changing, DueTakesNoNodeForEmptyWhoseWorkCouldNotBeRead) {
  nodes[0] = test::node("n1", {test::cut(0, {})});
  keep("waits", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  auto journal = plan::parse_journal(journals["waits"], "waits");
  ASSERT_TRUE(journal.ok());
  plan::Chain chain;
  journals["waits"].clear();
  for (plan::Entry& entry : journal->entries) {
    if (auto* started = std::get_if<plan::RunStarted>(&entry.what))
      started->plan.nodes[0].scope = plan::Scope{};
    journals["waits"] += to_line(entry, chain);
  }
  options.due = true;
  script = [](FakeRuns& runs) { runs.on_resume = [](FakeRuns& r) { finish(r, plan::Outcome::wanted); }; };
  unread = "the record of job 8 is cut short";
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_TRUE(asked.what.empty());
  unread.clear();
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_EQ(asked.what.at(0), "resume on waits");
}

TEST_F(Changing, OfSeveralThatAreDueTheWorstEndCounts) {
  keep("first", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  keep("second", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  options.due = true;
  int ended = 0;
  script = [&](FakeRuns& runs) {
    runs.on_resume = [&](FakeRuns& r) {
      finish(r, ended++ == 0 ? plan::Outcome::partial : plan::Outcome::wanted);
    };
  };
  EXPECT_EQ(run("resume"), 1) << err.str();
  EXPECT_EQ(ended, 2);
}

TEST_F(Changing, DueCarriesRunsOnOnlyAsTheyWereArmed) {
  keep("waits", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  script = [](FakeRuns& runs) { runs.on_resume = [](FakeRuns& r) { finish(r, plan::Outcome::wanted); }; };
  for (bool Options::*other : {&Options::replan, &Options::back, &Options::accept_harm}) {
    options.due = options.*other = true;
    EXPECT_EQ(run("resume"), kUsage);
    EXPECT_TRUE(asked.what.empty());
    options.*other = false;
  }
}

}  // namespace
}  // namespace tessera::cli
