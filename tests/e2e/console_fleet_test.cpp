// A fleet file in the real console on simulated clusters: read, held against them on a thread of its own,
// what drifts planned, armed by the number of nodes, run and undone.
#include <gtest/gtest.h>

#include "tests/e2e/console_place.hpp"
#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::place_of;
using test::Pty;

class ConsoleFleet : public testing::TestWithParam<std::string> {
 protected:
  test::Scratch scratch;
};

TEST_P(ConsoleFleet, DriftIsSeenPlannedAppliedAndUndoneByKeys) {
  const std::string file =
      scratch.write("fleet.yaml", "pools:\n- {name: big, nodes: \"lab[1-2]\", layout: none}\n");
  test::PtyOptions options;
  options.columns = 110;
  options.rows = 40;
  options.arguments = {"--write", "--sim=" + scratch.write("place.yaml", place_of(GetParam())),
                       "--sim-state=" + scratch.path() + "/world"};
  options.environment = {{"XDG_STATE_HOME", scratch.path()}, {"TESSERA_FLEET", file}};
  Pty pty(options);
  ASSERT_TRUE(pty.wait_loaded() && pty.wait_for("lab")) << pty.screen();
  ASSERT_TRUE(pty.press(":fleet\r"));
  ASSERT_TRUE(pty.wait_for("2 drift")) << pty.screen();
  ASSERT_TRUE(pty.press("a") && pty.wait_for("disturbs no workload")) << pty.screen();
  ASSERT_TRUE(pty.press("A2\r") && pty.wait_for("ARMED") && pty.press("!")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  ASSERT_TRUE(pty.press(":fleet\r"));
  ASSERT_TRUE(pty.wait_for("0 drift") && pty.wait_for("2 as wanted")) << pty.screen();
  ASSERT_TRUE(pty.press("p") && pty.wait_for("PAUSED")) << pty.screen();
  ASSERT_TRUE(pty.press("p\r")) << pty.screen();
  EXPECT_FALSE(pty.has("PAUSED")) << pty.screen();
  ASSERT_TRUE(pty.press("J\r") && pty.press("z"));
  ASSERT_TRUE(pty.wait_for("undoes")) << pty.screen();
  ASSERT_TRUE(pty.press("A2\r") && pty.wait_for("ARMED") && pty.press("!")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the earlier layout is in place again")) << pty.screen();
  ASSERT_TRUE(pty.press(":fleet\r"));
  ASSERT_TRUE(pty.wait_for("2 drift")) << pty.screen();
  scratch.write("fleet.yaml", "pools:\n- {name: big, laoyut: none}\n");
  ASSERT_TRUE(pty.press("r") && pty.wait_for(":2:")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

INSTANTIATE_TEST_SUITE_P(Simulators, ConsoleFleet, testing::Values("slurm", "kubernetes"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tessera
