// A reboot is asked for on a reading of the node from right before.
#include "backends/slurm/change/reboot.hpp"

#include "engine/time.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm::reboot_story {
namespace {

// Another admin is quicker than the call: `then` is what the node's own record says from the second reading
// on.
class SlurmRebootRace : public SlurmActuatorTest {
 protected:
  static constexpr const char* kBooted = "BootTime=2026-11-22T01:00:00 ";
  void then(const std::string& rest) {
    put("then", std::string("NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 ") + kBooted + rest + "\n");
    program("scontrol",
            "echo \"scontrol $*\" >> $D/log\n"
            "case \"$*\" in\n"
            "  *config) cat $D/config;;\n"
            "  *'show node n1') cat $D/then;;\n"
            "  *'show node') cat $D/node;;\n"
            "  *job) cat $D/jobs;;\n"
            "  *reservation) cat $D/reservations;;\n"
            "  *partition) cat $D/partitions;;\n"
            "esac\n");
  }
  Status reboot(const std::string& found = "") {
    return perform(plan::ask_reboot("XID 79", found, *parse_utc("2026-11-22T02:00:00Z")));
  }
};

TEST_F(SlurmRebootRace, TheNodeIsReadOnceMoreRightBeforeTheCall) {
  node(std::string(kBooted) + "State=IDLE");
  then("State=IDLE");
  ASSERT_TRUE(reboot()) << log();
  const std::string all = log();
  const std::size_t read = all.rfind("scontrol -d -o show node n1"), asked = all.find("scontrol reboot ASAP");
  ASSERT_NE(read, std::string::npos) << all;
  ASSERT_NE(asked, std::string::npos) << all;
  EXPECT_EQ(all.find('\n', read) + 1, asked) << "nothing stands between the two\n" << all;
}

TEST_F(SlurmRebootRace, ADrainThatCameSinceTheLookIsSeenAndNothingIsAsked) {
  node(std::string(kBooted) + "State=IDLE");
  then("State=IDLE+DRAIN Reason=bad ECC [bob@2026-11-22T03:00:00]");
  const Status refused = reboot();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "another admin has changed it just now: it is closed, bad ECC");
  EXPECT_FALSE(asked("scontrol reboot")) << log();
}

TEST_F(SlurmRebootRace, AClosedNodeThatWasOpenedOrTookAJobSinceIsNotRebooted) {
  const std::string closed = "State=IDLE+DRAIN Reason=bad ECC [bob@2026-11-22T02:00:00]";
  node(kBooted + closed);
  then("State=IDLE");
  EXPECT_EQ(reboot("bad ECC").error().reason, "another admin has changed it just now: it is open");
  then("State=MIXED+DRAIN Reason=bad ECC [bob@2026-11-22T02:00:00]");
  EXPECT_FALSE(reboot("bad ECC")) << "Slurm would open it after the boot";
  EXPECT_FALSE(asked("scontrol reboot")) << log();
  then(closed);
  EXPECT_TRUE(reboot("bad ECC")) << log();
  EXPECT_TRUE(asked("scontrol reboot n1")) << log();
}

TEST_F(SlurmRebootRace, WhatCannotBeReadAgainIsNotRebooted) {
  node(std::string(kBooted) + "State=IDLE");
  then("State=IDLE");
  put("then", "");
  EXPECT_FALSE(reboot());
  put("then", "slurm_load_node error: Unable to contact slurm controller (connect failure)\n");
  EXPECT_FALSE(reboot());
  EXPECT_FALSE(asked("scontrol reboot")) << log();
}

}  // namespace
}  // namespace tessera::slurm::reboot_story
