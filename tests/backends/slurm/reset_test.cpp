// GPUs are reset by the driver on their node, and what it tells afterwards decides whether the node is given
// back.
#include "backends/slurm/change/reset_look.hpp"
#include "engine/plan/node_reset.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm::reset_story {
namespace {

std::string gpu_xml(const std::string& uuid, const std::string& rest) {
  return "<gpu id=\"00000000:1B:00.0\"><product_name>NVIDIA H100 80GB HBM3</product_name><uuid>" + uuid +
         "</uuid><mig_mode><current_mig>Disabled</current_mig><pending_mig>Disabled</pending_mig></"
         "mig_mode>" +
         rest + "</gpu>";
}
std::string log_xml(const std::string& gpus) {
  return "<?xml version=\"1.0\" ?>\n<nvidia_smi_log><driver_version>580.1</driver_version>" + gpus +
         "</nvidia_smi_log>\n";
}
const std::string kSoundXml =
    "<gpu_recovery_action>None</gpu_recovery_action><gpu_reset_status><reset_required>No</reset_required>"
    "</gpu_reset_status><remapped_rows><remapped_row_pending>No</remapped_row_pending>"
    "<remapped_row_failure>No</remapped_row_failure></remapped_rows>";

std::string why(const std::string& xml, const std::string& gpus = "0", Node seen = {}, int code = 0) {
  seen.name = NodeName("n1");
  NodeAnswer answer;
  answer.out = xml;
  answer.exit_code = code;
  const auto error = why_unsound(seen, gpus, answer);
  return error ? to_line(*error) : "";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(ResetLook, TellsSoundGpusFromThoseThatAskForMore) {
  const auto one = [](const std::string& rest) { return why(log_xml(gpu_xml("GPU-1", rest))); };
  EXPECT_EQ(one(kSoundXml), "");
  EXPECT_EQ(one(""), "") << "older drivers tell of none of it";
  EXPECT_EQ(one("<remapped_rows><remapped_row_pending>N/A</remapped_row_pending></remapped_rows>"), "");
  EXPECT_TRUE(has(one("<remapped_rows><remapped_row_pending>Yes</remapped_row_pending></remapped_rows>"),
                  "remapping a row of its memory is still pending"));
  EXPECT_TRUE(has(one("<remapped_rows><remapped_row_failure>Yes</remapped_row_failure></remapped_rows>"),
                  "remapping a row of its memory has failed"));
  EXPECT_TRUE(has(one("<retired_pages><pending_retirement>Yes</pending_retirement></retired_pages>"),
                  "still pending"));
  EXPECT_TRUE(has(one("<retired_pages><pending_blacklist>Yes</pending_blacklist><pending_retirement>No"
                      "</pending_retirement></retired_pages>"),
                  "still pending"));
  EXPECT_TRUE(has(one("<gpu_reset_status><reset_required>Yes</reset_required></gpu_reset_status>"),
                  "still asks for a reset"));
  EXPECT_TRUE(has(one("<gpu_recovery_action>Reboot</gpu_recovery_action>"), "asks for this: Reboot"));
  EXPECT_TRUE(has(one("<gpu_recovery_action>a&#27;[2Jb</gpu_recovery_action>"), "a"))
      << "and no control characters";
  EXPECT_FALSE(has(one("<gpu_recovery_action>a&#27;[2Jb</gpu_recovery_action>"), "\x1b"));
}

TEST(ResetLook, OnlyTheGpusThatWereResetAreAskedForAndEachByItsUuidWhereThatIsKnown) {
  const std::string bad = "<gpu_recovery_action>Reset</gpu_recovery_action>";
  const std::string both = log_xml(gpu_xml("GPU-b", kSoundXml) + gpu_xml("GPU-a", bad));
  EXPECT_EQ(why(both, "0"), "");
  EXPECT_TRUE(has(why(both, "1"), "GPU 1 was reset")) << why(both, "1");
  EXPECT_TRUE(has(why(both, "0,1"), "GPU 1 was reset"));
  EXPECT_TRUE(has(why(both, "2"), "GPU 2 was reset, and does not answer"));
  Node seen;
  Gpu first;
  first.index = GpuIndex{0}, first.uuid = "GPU-a";
  seen.gpus = {first};
  EXPECT_TRUE(has(why(both, "0", seen), "GPU 0 was reset")) << "it is the second one in this answer";
  seen.gpus[0].uuid = "GPU-gone";
  EXPECT_TRUE(has(why(both, "0", seen), "does not answer"));
}

TEST(ResetLook, AnAnswerThatIsNoneIsNoSoundGpu) {
  for (const std::string& text :
       {std::string(""), std::string("Unable to determine the device handle for GPU0: Unknown Error\n"),
        std::string("<?xml version=\"1.0\" ?>\n<nvidia_smi_log><gpu>"), log_xml("")})
    EXPECT_NE(why(text), "") << text;
  EXPECT_NE(why("", "0", {}, 15), "");
  EXPECT_NE(why(log_xml(gpu_xml("GPU-1", kSoundXml)), "x"), "");
}

class SlurmReset : public SlurmActuatorTest {
 protected:
  SlurmReset() {
    slurmconf::SlurmSettings said;
    said.runner = scratch_.path() + "/on {node}";
    say(said);
    node(std::string("State=IDLE+DRAIN ") + kOurs);
    tells(kSoundXml);
  }
  void tells(const std::string& rest) {
    put("after", log_xml(gpu_xml("GPU-1", rest) + gpu_xml("GPU-2", kSoundXml)));
  }
  // The driver, whose answer to a reset is this.
  void driver(const std::string& reset) {
    put("far",
        "case \"$*\" in *' -L') echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)'; "
        "echo 'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)'; exit 0;;\n"
        "*'-q -x') cat $D/after; exit 0;; *-lgi|*-lci) echo 'No MIG-enabled devices found.'; exit 6;;\n"
        "*--gpu-reset*) " +
            reset + ";; esac\n");
  }
  Status reset() { return perform(plan::ResetGpus{{GpuIndex{0}}}); }
  Status read_back() { return perform(plan::read_reset_back({GpuIndex{0}})); }
};

TEST_F(SlurmReset, IsMadeOnTheNodeReadBackAndRememberedForItsOwnRunOnly) {
  driver("echo 'GPU 00000000:1B:00.0 was successfully reset.'; exit 0");
  EXPECT_EQ(word(look(), plan::resets::kDone), "not told");
  ASSERT_TRUE(reset()) << log();
  EXPECT_TRUE(asked("on n1 nvidia-smi -i 0 --gpu-reset\n")) << log();
  EXPECT_EQ(word(look(), plan::resets::kDone), "0");
  EXPECT_EQ(word(look(), plan::resets::kSound), "not told");
  ASSERT_TRUE(read_back()) << log();
  EXPECT_EQ(word(look(), plan::resets::kSound), "0");
  node("State=IDLE+DRAIN Reason=tessera 20261122-0200-n2 bob@b [bob@2026-11-22T02:00:00]");
  EXPECT_EQ(word(look(), plan::resets::kSound), "not told") << "another run's";
}

TEST_F(SlurmReset, TheDriversWordsAreTheErrorWhereAProgramHasTheGpuOpen) {
  driver(
      "echo 'The following GPUs could not be reset:'; echo '  GPU 00000000:1B:00.0: In use by another "
      "client'; "
      "echo; echo '1 device is currently being used by one or more other processes'; exit 255");
  const Status refused = reset();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has(to_line(refused.error()), "GPU 00000000:1B:00.0: In use by another client"))
      << to_line(refused.error());
  EXPECT_EQ(word(look(), plan::resets::kDone), "not told");
}

TEST_F(SlurmReset, AGpuThatStillAsksForOneIsNotGivenBackAndIsResetOnceMore) {
  driver("echo 'GPU 00000000:1B:00.0 was successfully reset.'; exit 0");
  tells("<remapped_rows><remapped_row_pending>Yes</remapped_row_pending></remapped_rows>");
  ASSERT_TRUE(reset());
  const Status unsound = read_back();
  ASSERT_FALSE(unsound);
  EXPECT_TRUE(has(to_line(unsound.error()), "still pending")) << to_line(unsound.error());
  EXPECT_EQ(word(look(), plan::resets::kDone), "not told") << "whoever carries on resets it once more";
  put("far", "exit 255\n");
  EXPECT_FALSE(read_back()) << "no answer is no sound GPU";
}

// The GPU behind it in the list has its place then, and is sound.
TEST_F(SlurmReset, AGpuThatIsGoneAfterItsResetIsNotTakenForTheNextOne) {
  driver("echo 'GPU 00000000:1B:00.0 was successfully reset.'; exit 0");
  ASSERT_TRUE(reset());
  put("after", log_xml(gpu_xml("GPU-2", kSoundXml)));
  EXPECT_FALSE(read_back());
}

// A way to the node that loses the driver's exit code and words.
TEST_F(SlurmReset, AResetThatTheDriverDidNotTellOfDoesNotCount) {
  driver("exit 0");
  const Status silent = reset();
  ASSERT_FALSE(silent);
  EXPECT_TRUE(has(to_line(silent.error()), "did not say")) << to_line(silent.error());
  EXPECT_EQ(word(look(), plan::resets::kDone), "not told");
}

// Going back after a kill opened the node, and jobs met a reset that was still under way there.
TEST_F(SlurmReset, ANodeIsNotOpenedWhileTheResetOfAKilledRunStillRunsThere) {
  put("far", "case \"$*\" in *pgrep*) cat $D/running; exit $(cat $D/found);; esac\n");
  put("running", "4711 nvidia-smi -i 0 --gpu-reset\n");
  scratch_.write("found", "0");
  const Status waits = perform_unsure(plan::OpenNode{});
  ASSERT_FALSE(waits);
  EXPECT_TRUE(has(to_line(waits.error()), "an earlier change still runs there: process 4711"))
      << to_line(waits.error());
  EXPECT_FALSE(asked("State=RESUME")) << log();
  scratch_.write("found", "2");  // whether it runs cannot be told
  EXPECT_FALSE(perform_unsure(plan::OpenNode{}));
  EXPECT_FALSE(asked("State=RESUME")) << log();
  scratch_.write("found", "1");
  ASSERT_TRUE(perform_unsure(plan::OpenNode{})) << log();
  EXPECT_TRUE(asked("State=RESUME")) << log();
}

// Another admin has closed the node: the run does not open it, and its reservation is what still keeps jobs
// off once that admin does.
TEST_F(SlurmReset, ANodeThatAnotherHasClosedKeepsItsReservationWhileTheResetStillRuns) {
  put("far", "case \"$*\" in *pgrep*) cat $D/running; exit $(cat $D/found);; esac\n");
  put("running", "4711 nvidia-smi -i 0 --gpu-reset\n");
  node("State=IDLE+DRAIN Reason=memory [root@2026-11-22T01:00:00]");
  reserved();
  scratch_.write("found", "0");
  EXPECT_FALSE(perform_unsure(plan::ClearMark{})) << log();
  EXPECT_FALSE(asked("delete")) << log();
  scratch_.write("found", "1");
  EXPECT_TRUE(perform_unsure(plan::ClearMark{})) << log();
  EXPECT_TRUE(asked("delete")) << log();
}

TEST_F(SlurmReset, ANodeOfARunWhoseActsAllHadAnAnswerIsOpenedWithoutAsking) {
  ASSERT_TRUE(perform(plan::OpenNode{})) << log();
  EXPECT_FALSE(asked("pgrep")) << log();
  EXPECT_TRUE(asked("State=RESUME")) << log();
}

}  // namespace
}  // namespace tessera::slurm::reset_story
