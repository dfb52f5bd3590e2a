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
  EXPECT_EQ(json_at(out.str(), "/findings/0/commands/0"), R"("tessera resume r1 --write")");
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

}  // namespace
}  // namespace tessera::cli
