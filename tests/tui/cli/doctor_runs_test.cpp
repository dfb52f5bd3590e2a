// A run that stopped keeps its nodes closed: doctor says so, and ends as with any other finding.
#include <gtest/gtest.h>

#include "tests/tui/cli/changing_lab.hpp"
#include "tui/cli/doctor.hpp"

namespace tessera::cli {
namespace {

// The console counted it under NEEDS ATTENTION, doctor ended with 0: a cron job that asks it saw nothing.
TEST_F(Changing, DoctorTellsOfARunThatIsParkedOrWasInterrupted) {
  EXPECT_EQ(run("doctor"), kDone) << out.str();
  keep("r1", {}, RunState::parked);
  EXPECT_EQ(run("doctor"), kFinding);
  EXPECT_EQ(json_at(out.str(), "/findings/0/text"), R"("run r1 is parked: paused by an admin")") << out.str();
  EXPECT_EQ(json_at(out.str(), "/findings/0/commands"), R"(["tessera resume r1 --write"])");
  EXPECT_EQ(json_at(out.str(), "/findings/0/severity"), R"("warning")");
  heads.front().state = RunState::interrupted;
  EXPECT_EQ(run("doctor"), kFinding);
  EXPECT_EQ(json_at(out.str(), "/findings/0/severity"), R"("danger")") << out.str();
}

TEST_F(Changing, DoctorTellsOfNoRunThatEndedOrIsUnderWayOrIsOfAnotherWorld) {
  keep("r1", {}, RunState::finished);
  keep("r2", {}, RunState::running);
  keep("r3", {}, RunState::parked);
  heads.back().cluster = ClusterName("elsewhere");
  EXPECT_EQ(run("doctor"), kDone) << out.str();
}

// A window that waits for week-long jobs is no alarm for a week.
TEST_F(Changing, DoctorTellsOfARunThatWaitsAsPlannedAndEndsWithNothing) {
  keep("r1", {}, RunState::parked);
  heads.front().waits = true;
  EXPECT_EQ(run("doctor"), kDone) << out.str();
  EXPECT_EQ(json_at(out.str(), "/findings/0/severity"), R"("info")");
  EXPECT_EQ(json_at(out.str(), "/findings/0/text"), R"("run r1 waits as planned: paused by an admin")");
}

TEST_F(Changing, DoctorDoesNotTakeAJournalThatCannotBeReadForNone) {
  RunHead head;
  head.state = RunState::unreadable, head.why = "permission denied";
  heads = {head};
  EXPECT_EQ(run("doctor"), kUnknown) << out.str();
  EXPECT_TRUE(said("whether a run stopped is not known: permission denied")) << err.str();
  heads.front().run = "r1", heads.front().cluster = ClusterName("elsewhere");
  EXPECT_EQ(run("doctor"), kDone) << err.str();
}

}  // namespace
}  // namespace tessera::cli
