// The console by keys on a real Slurm: a layout is edited, planned, armed, run and read back, and undone.
#include "tests/e2e/slurm_change_lab.hpp"
#include "tests/support/pty.hpp"

namespace tessera::test {
namespace {

class SlurmConsole : public SlurmChange {
 protected:
  PtyOptions console() const {
    slurmconf::SiteSettings site = said();
    PtyOptions options;
    options.columns = 160;
    options.rows = 50;
    options.arguments = {"--write", "--interval=5m", "--slurm-devices=" + site.devices,
                         "--slurm-restart-controller=" + site.restart_controller,
                         "--slurm-restart-node=" + site.restart_node};
    options.environment = {
        {"PATH", "/usr/bin:/bin"}, {"SLURM_CONF", lab_->conf()}, {"XDG_STATE_HOME", scratch_.path()}};
    return options;
  }
  // Types the name, then the second key.
  static bool arm(Pty& pty, const std::string& node) {
    return pty.press("A" + node + "\r") && pty.wait_for("ARMED") && pty.press("!");
  }
};

TEST_F(SlurmConsole, ALayoutIsEditedPlannedArmedReadBackAndUndone) {
  Running neighbour = run_on("gpu01", "gpu:h100:2");
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && pty.wait_for("lab")) << pty.screen();
  ASSERT_TRUE(pty.press(":node gpu02\r") && pty.wait_for("8 × h100")) << pty.screen();
  ASSERT_TRUE(pty.press("La") && pty.wait_for("8 GPUs of gpu02")) << pty.screen();
  ASSERT_TRUE(pty.press("pGk") && pty.wait_for("shards")) << pty.screen();
  ASSERT_TRUE(pty.press("+P") && pty.wait_for("write Slurm's files")) << pty.screen();
  EXPECT_TRUE(pty.has("disturbs nobody")) << pty.screen();
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << "nothing is changed by looking";
  ASSERT_TRUE(arm(pty, "gpu02")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the wanted layout stands, read back")) << pty.screen();
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,shard:32") << record("gpu02");
  EXPECT_EQ(field(record("gpu02"), "State").find("DRAIN"), std::string::npos) << record("gpu02");
  // The way back is planned from what stands now: the picture shows that at once, not with the next interval.
  // The slices themselves: the reason of our own drain speaks of shards, too.
  ASSERT_TRUE(pty.press(":node gpu02\r") && pty.wait_for("shard 0/4")) << pty.screen();
  ASSERT_TRUE(pty.press("J\r") && pty.wait_for("DONE: the wanted layout stands")) << pty.screen();
  ASSERT_TRUE(pty.press("z") && pty.wait_for("takes back")) << pty.screen();
  ASSERT_TRUE(arm(pty, "gpu02")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the layout that was found stands again")) << pty.screen();
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
  expect_untouched(neighbour);
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

}  // namespace
}  // namespace tessera::test
