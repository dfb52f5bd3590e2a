// A change in the real console on a simulated cluster: planned, armed, run and undone; and killed in the
// middle, then taken up again by the next console.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::Pty;

constexpr const char* kPlace = R"(clusters:
  - name: lab
    scheduler: slurm
    version: slurm 22.05.8
    users: [alice:llm]
    partitions:
      - {name: gpu, max_time: 3d}
    nodes:
      - {names: "lab[1-2]", product: H100-80GB-SXM5, gpus: 1, partitions: [gpu], cpus: 64, memory_gib: 512,
         layout: all-1g.10gb}
    jobs:
      - {user: alice, name: train, want: "gpu:1g.10gb:7", on: lab2, does: training, ran: 1h, runs: 40h, limit: 3d}
)";

class ConsoleChange : public testing::Test {
 protected:
  test::PtyOptions options() {
    test::PtyOptions options;
    options.columns = 100;
    options.rows = 40;
    options.arguments = {"--write", "--sim=" + place, "--sim-state=" + world};
    options.environment = {{"XDG_STATE_HOME", scratch.path()}};
    return options;
  }
  static bool ready(Pty& pty) { return pty.wait_loaded() && pty.wait_for("lab"); }
  // Types the name, then the second key.
  static bool arm(Pty& pty, const std::string& node) {
    return pty.press("A" + node + "\r") && pty.wait_for("ARMED") && pty.press("!");
  }

  test::Scratch scratch;
  std::string place = scratch.write("place.yaml", kPlace);
  std::string world = scratch.path() + "/world";
};

TEST_F(ConsoleChange, ANodeIsDrainedByKeysAndOpenedByTheUndo) {
  Pty pty(options());
  ASSERT_TRUE(ready(pty)) << pty.screen();
  ASSERT_TRUE(pty.press(":drain lab1 fans are loud\r"));
  ASSERT_TRUE(pty.wait_for("drain: fans are loud")) << pty.screen();
  ASSERT_TRUE(arm(pty, "lab1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the nodes are as requested")) << pty.screen();
  ASSERT_TRUE(pty.press("z"));
  ASSERT_TRUE(pty.wait_for("undoes")) << pty.screen();
  ASSERT_TRUE(arm(pty, "lab1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the nodes are as they were before")) << pty.screen();
}

TEST_F(ConsoleChange, IsPlannedArmedRunAndUndone) {
  Pty pty(options());
  ASSERT_TRUE(ready(pty)) << pty.screen();
  ASSERT_TRUE(pty.press(":plan lab1 4g.40gb,3g.40gb\r"));
  ASSERT_TRUE(pty.wait_for("disturbs no workload")) << pty.screen();
  ASSERT_TRUE(arm(pty, "lab1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  ASSERT_TRUE(pty.press("z"));
  ASSERT_TRUE(pty.wait_for("undoes")) << pty.screen();
  ASSERT_TRUE(arm(pty, "lab1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the earlier layout is in place again")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

// From the node's page, without a word typed but the name that arms it.
TEST_F(ConsoleChange, IsDrawnInTheEditorKeyByKeyAndRun) {
  Pty pty(options());
  ASSERT_TRUE(ready(pty)) << pty.screen();
  ASSERT_TRUE(pty.press("2\r"));
  ASSERT_TRUE(pty.wait_for("lab1")) << pty.screen();
  ASSERT_TRUE(pty.press("Lc"));
  ASSERT_TRUE(pty.wait_for("GPU 0 of lab1")) << pty.screen();
  ASSERT_TRUE(pty.press("jjjjj+"));
  ASSERT_TRUE(pty.press("kllll+"));
  ASSERT_TRUE(pty.has("4g.40gb@0, 3g.40gb@4")) << pty.screen();
  ASSERT_TRUE(pty.press("P"));
  ASSERT_TRUE(pty.wait_for("disturbs no workload")) << pty.screen();
  ASSERT_TRUE(pty.has("4g.40gb")) << pty.screen();
  ASSERT_TRUE(arm(pty, "lab1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  pty.send("q");
}

TEST_F(ConsoleChange, KilledInTheMiddleIsOfferedAtTheNextStartAndTakenUpAgain) {
  {
    Pty pty(options());
    ASSERT_TRUE(ready(pty)) << pty.screen();
    ASSERT_TRUE(pty.press(":plan lab2 4g.40gb,3g.40gb\r"));
    ASSERT_TRUE(arm(pty, "lab2")) << pty.screen();
    ASSERT_TRUE(pty.wait_for("no workload in the way")) << pty.screen();  // it waits for alice
    pty.signal(SIGKILL);
    ASSERT_TRUE(pty.wait_ended());
    EXPECT_EQ(pty.end_signal(), SIGKILL);
  }
  Pty pty(options());
  ASSERT_TRUE(ready(pty)) << pty.screen();
  ASSERT_TRUE(pty.wait_for("was interrupted")) << pty.screen();
  ASSERT_TRUE(pty.press("J\r"));
  ASSERT_TRUE(pty.wait_for("INTERRUPTED: the tessera that drove it is gone")) << pty.screen();
  ASSERT_TRUE(pty.press("rc"));
  ASSERT_TRUE(pty.press("lab2\r"));
  ASSERT_TRUE(pty.wait_for("ARMED")) << pty.screen();
  ASSERT_TRUE(pty.press("!"));
  ASSERT_TRUE(pty.wait_for("p pause")) << pty.screen();
  // Leaving parks it first.
  ASSERT_TRUE(pty.press("q"));
  ASSERT_TRUE(pty.wait_for("a run is under way")) << pty.screen();
  pty.send("p");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

TEST_F(ConsoleChange, ASignalParksWhatIsUnderWay) {
  {
    Pty pty(options());
    ASSERT_TRUE(ready(pty)) << pty.screen();
    ASSERT_TRUE(pty.press(":plan lab2 4g.40gb,3g.40gb\r"));
    ASSERT_TRUE(arm(pty, "lab2")) << pty.screen();
    ASSERT_TRUE(pty.wait_for("no workload in the way")) << pty.screen();
    pty.signal(SIGTERM);
    ASSERT_TRUE(pty.wait_ended());
    EXPECT_EQ(pty.exit_code(), 128 + SIGTERM);
  }
  Pty pty(options());
  ASSERT_TRUE(ready(pty)) << pty.screen();
  ASSERT_TRUE(pty.wait_for("is parked")) << pty.screen();
  ASSERT_TRUE(pty.press("J"));
  EXPECT_TRUE(pty.has("tessera was asked to end")) << pty.screen();
}

}  // namespace
}  // namespace tessera
