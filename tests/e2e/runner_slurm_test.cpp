// Commands on a node of a real Slurm, by the real srun.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/runner.hpp"
#include "tests/support/answer.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

class RunnerOnSlurm : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!SlurmLab::possible()) return;
    lab_ = std::make_unique<SlurmLab>();
    if (!lab_->trouble().empty()) return;
    for (const char* node : {"gpu01", "gpu02"}) {
      LabAnswer made =
          lab_->run({"scontrol", "create", "reservation", std::string("reservationname=tessera_") + node,
                     "flags=maint,ignore_jobs", "users=root", std::string("nodes=") + node, "starttime=now",
                     "duration=30"});
      if (made.status != 0) trouble_ = made.out;
    }
  }
  static void TearDownTestSuite() { lab_.reset(); }
  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    ASSERT_EQ(lab_->trouble(), "");
    ASSERT_EQ(trouble_, "");
    options_.reach = slurmconf::Reach::srun;
    options_.slurm_conf = lab_->conf();
  }
  ~RunnerOnSlurm() override { worker_.stop(); }

  static NodeCommand command(std::vector<std::string> argv) {
    NodeCommand wanted;
    wanted.node = NodeName("gpu01");
    wanted.reservation = "tessera_gpu01";
    wanted.argv = std::move(argv);
    wanted.deadline = test::kPatience;
    return wanted;
  }
  template <class Value, class Start>
  Result<Value> wait_for(Start start) {
    return answer_of<Value>(worker_, test::kPatience, std::move(start));
  }
  Result<NodeAnswer> run(const NodeCommand& wanted) {
    NodeRunner runner(processes_, options_);
    return wait_for<NodeAnswer>([&](auto finished) { runner.run(wanted, finished); });
  }

  static std::unique_ptr<SlurmLab> lab_;
  static std::string trouble_;
  RunnerOptions options_;
  Worker worker_;
  Processes processes_{worker_};
};
std::unique_ptr<SlurmLab> RunnerOnSlurm::lab_;
std::string RunnerOnSlurm::trouble_;

TEST_F(RunnerOnSlurm, OutputErrorsExitCodeAndWordsComeThrough) {
  auto answer = run(command({"sh", "-c", "echo out; echo err >&2; exit 6"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 6);
  EXPECT_EQ(answer->out, "out\n");
  EXPECT_EQ(answer->err, "err\n");
  answer = run(command({"printf", "<%s>", "$(id)", "a b", "", "'", "\n", "*"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, "<$(id)><a b><><'><\n><*>");
  EXPECT_EQ(answer->exit_code, 0);
  NodeCommand cat = command({"cat"});
  cat.input = "version: v1\n";
  answer = run(cat);
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, "version: v1\n");
}

TEST_F(RunnerOnSlurm, AMissingProgramIsTheCommandsFailure) {
  NodeCommand wanted = command({"no-such-program-here"});
  for (bool changes : {false, true}) {
    wanted.changes = changes;
    auto answer = run(wanted);
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_NE(answer->exit_code, 0);
    EXPECT_NE(answer->err.find("No such file"), std::string::npos) << answer->err;
  }
}

TEST_F(RunnerOnSlurm, ThePreflightIsRoots) {
  NodeRunner runner(processes_, options_);
  auto found = wait_for<Preflight>([&](auto looked) { runner.preflight(command({}), looked); });
  ASSERT_TRUE(found) << to_line(found.error());
  EXPECT_EQ(found->uid, 0);
}

TEST_F(RunnerOnSlurm, ANodeThatCannotBeHadIsSaidSo) {
  NodeCommand wanted = command({"true"});
  wanted.reservation = "tessera_gone";
  auto answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cannot run on gpu01 by srun");
  EXPECT_NE(answer.error().reason.find("eservation"), std::string::npos) << answer.error().reason;
  wanted.node = NodeName("nonode");
  wanted.reservation.clear();
  answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("node"), std::string::npos) << answer.error().reason;
  // A drained node takes no srun.
  ASSERT_EQ(lab_->run({"scontrol", "update", "nodename=cpu01", "state=drain", "reason=test"}).status, 0);
  wanted.node = NodeName("cpu01");
  options_.patience = 2s;
  answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_FALSE(answer.error().reason.empty());
}

// A look that hangs leaves nothing on the node; its job is gone after the deadline.
TEST_F(RunnerOnSlurm, AHangingLookIsEndedOnTheNodeToo) {
  NodeCommand wanted = command({"sleep", "600"});
  wanted.node = NodeName("gpu02");
  wanted.reservation = "tessera_gpu02";
  wanted.deadline = 2s;
  auto answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "no answer from gpu02");
  EXPECT_TRUE(
      lab_->wait({"squeue", "-h", "-w", "gpu02"}, [](const std::string& out) { return out.empty(); }));
}

}  // namespace
}  // namespace tessera::test
