// A demand in the real console on simulated clusters: answered by the planner's thread, planned over several
// nodes, armed by their number, run and undone.
#include <gtest/gtest.h>

#include "tests/e2e/console_place.hpp"
#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::place_of;
using test::Pty;

class ConsolePack : public testing::TestWithParam<std::string> {
 protected:
  test::Scratch scratch;
};

TEST_P(ConsolePack, ADemandIsTypedPlannedAppliedAndUndoneByKeys) {
  test::PtyOptions options;
  options.columns = 110;
  options.rows = 40;
  options.arguments = {"--write", "--sim=" + scratch.write("place.yaml", place_of(GetParam())),
                       "--sim-state=" + scratch.path() + "/world"};
  options.environment = {{"XDG_STATE_HOME", scratch.path()}};
  Pty pty(options);
  ASSERT_TRUE(pty.wait_loaded() && pty.wait_for("lab")) << pty.screen();
  ASSERT_TRUE(pty.press(":pack\r"));
  ASSERT_TRUE(pty.wait_for("How many instances are to be free?")) << pty.screen();
  ASSERT_TRUE(pty.press(":pack 7g.80gb=3\r"));
  ASSERT_TRUE(pty.wait_for("touches 3 GPUs on 2 nodes; proven minimum 3")) << pty.screen();
  ASSERT_TRUE(pty.press("\r"));
  ASSERT_TRUE(pty.wait_for("disturbs no workload")) << pty.screen();
  ASSERT_TRUE(pty.press("A2\r") && pty.wait_for("ARMED") && pty.press("!")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  ASSERT_TRUE(pty.press(":pack\r"));
  ASSERT_TRUE(pty.wait_for("Nothing to do: idle instances meet the demand.")) << pty.screen();
  ASSERT_TRUE(pty.press("J\r") && pty.press("z"));
  ASSERT_TRUE(pty.wait_for("undoes")) << pty.screen();
  ASSERT_TRUE(pty.press("A2\r") && pty.wait_for("ARMED") && pty.press("!")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the earlier layout is in place again")) << pty.screen();
  ASSERT_TRUE(pty.press(":pack\r"));
  ASSERT_TRUE(pty.wait_for("touches 3 GPUs on 2 nodes")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

// What waits is advised on, and by the plan of the first answer it is served: then there is nothing to
// advise.
TEST_P(ConsolePack, AdviceLeadsToThePlanThatServesWhatWaits) {
  const bool slurm = GetParam() == "slurm";
  const std::string jobs = std::string("    jobs:\n      - {user: ann, name: waits, want: \"") +
                           (slurm ? "gpu:7g.80gb:1\", limit: 6h" : "nvidia.com/mig-7g.80gb:1\"") +
                           ", does: training, runs: 5h}\n";
  test::PtyOptions options;
  options.columns = 170;
  options.rows = 40;
  options.arguments = {
      "--write",
      "--sim=" + scratch.write("place.yaml", place_of(GetParam()) + "    users: [ann:vision]\n" + jobs),
      "--sim-state=" + scratch.path() + "/world"};
  options.environment = {{"XDG_STATE_HOME", scratch.path()}};
  Pty pty(options);
  ASSERT_TRUE(pty.wait_loaded() && pty.wait_for("lab")) << pty.screen();
  ASSERT_TRUE(pty.press("R"));
  ASSERT_TRUE(pty.wait_for("touches 1 GPU on 1 node; proven minimum 1")) << pty.screen();
  ASSERT_TRUE(pty.press("\r"));
  ASSERT_TRUE(pty.wait_for("disturbs no workload")) << pty.screen();
  ASSERT_TRUE(pty.press("Alab1\r") && pty.wait_for("ARMED") && pty.press("!")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  ASSERT_TRUE(pty.press("Rr"));
  ASSERT_TRUE(pty.wait_for("No re-cut helps.")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

INSTANTIATE_TEST_SUITE_P(Simulators, ConsolePack, testing::Values("slurm", "kubernetes"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tessera
