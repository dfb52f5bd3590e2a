// Day and night of a fleet file by keys on simulated clusters, with a kill that the simulator makes: not
// among what runs under TSan (console*_test.cpp), where its program is not built.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/console_place.hpp"
#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::place_of;
using test::Pty;

class FleetNightKeys : public testing::TestWithParam<std::string> {
 protected:
  test::Scratch scratch;
};

// The night's run is killed on its first node; the next console finishes it, and by day all is cut again.
TEST_P(FleetNightKeys, DayAndNightAreMadeByKeysOverAKill) {
  const auto file = [&](bool night) {
    return scratch.write("fleet.yaml",
                         std::string("pools:\n- {name: big, nodes: \"lab[1-2]\", preset: all-1g.10gb") +
                             (night ? ", windows: [{when: daily, layout: none}]" : "") + "}\n");
  };
  const std::string state = "--sim-state=" + scratch.path() + "/world";
  test::RunOptions alone;
  alone.environment = {{"XDG_STATE_HOME", scratch.path()}};
  ASSERT_EQ(
      test::run_tessera({"nodes", "--sim=" + scratch.write("place.yaml", place_of(GetParam())), state}, alone)
          .code,
      0);
  test::PtyOptions options;
  options.columns = 110;
  options.rows = 40;
  options.arguments = {"--write", state};
  options.environment = {{"XDG_STATE_HOME", scratch.path()}, {"TESSERA_FLEET", file(true)}};
  const auto plan = [](Pty& pty) {
    return pty.press(":fleet\r") && pty.wait_for("2 drift") && pty.press("a") &&
           pty.wait_for("disturbs no workload") && pty.press("A2\r") && pty.wait_for("ARMED") &&
           pty.press("!");
  };
  ASSERT_EQ(test::run_simulator({"fault", "dies-before node=lab1 verb=destroy-instances", state}, alone).code,
            0);
  {
    Pty pty(options);
    ASSERT_TRUE(pty.wait_loaded() && pty.wait_for("lab")) << pty.screen();
    (void)plan(pty);
    ASSERT_TRUE(pty.wait_ended()) << pty.screen();
    EXPECT_EQ(pty.end_signal(), SIGKILL) << pty.screen();
  }
  Pty pty(options);
  ASSERT_TRUE(pty.wait_loaded() && pty.wait_for("was interrupted")) << pty.screen();
  ASSERT_TRUE(pty.press("J\r") && pty.wait_for("INTERRUPTED: the tessera that drove it is gone"))
      << pty.screen();
  ASSERT_TRUE(pty.press("rc2\r") && pty.wait_for("ARMED") && pty.press("!")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  ASSERT_TRUE(pty.press(":fleet\r") && pty.wait_for("2 as wanted")) << pty.screen();
  file(false);  // by day again
  ASSERT_TRUE(pty.press("r") && plan(pty)) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  ASSERT_TRUE(pty.press(":fleet\r") && pty.wait_for("2 as wanted")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(test::run_simulator({"check", state}, alone).code, 0);
}

INSTANTIATE_TEST_SUITE_P(Simulators, FleetNightKeys, testing::Values("slurm", "kubernetes"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tessera
