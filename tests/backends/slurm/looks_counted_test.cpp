// Looks at nodes are counted where their commands are run: what reads a driver, what reads files on a config
// host, and nothing of what a run changes.
#include "backends/slurm/change/looks_counted.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/answer.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;

class LooksCountedTest : public testing::Test {
 protected:
  ~LooksCountedTest() override { worker_.stop(); }

  // A tool of that name which prints so much and ends so.
  std::string tool(const std::string& name, const std::string& printed, int code = 0) const {
    const std::string path =
        scratch_.write(name, "#!/bin/sh\nprintf '%s' '" + printed + "'\nexit " + std::to_string(code) + "\n");
    ::chmod(path.c_str(), 0755);
    return path;
  }
  void run(const std::string& node, const std::string& program, bool changes = false) {
    NodeCommand wanted;
    wanted.node = NodeName(node);
    wanted.argv = {program};
    wanted.deadline = test::kPatience;
    wanted.changes = changes;
    auto answer = test::answer_of<NodeAnswer>(worker_, test::kPatience,
                                              [&](auto finished) { runner_.run(wanted, finished); });
    EXPECT_TRUE(answer) << to_line(answer.error());
  }

  test::Scratch scratch_;
  Worker worker_;
  Processes processes_{worker_};
  TimePoint now_{Duration{5'000}};
  LooksCounted looks_{NodeName("login1"), [this] { return now_; }};
  NodeRunner runner_{processes_,
                     {slurmconf::Reach::custom, {"sh", "-c", "{command}"}, {}, {}, {}, {}, 5s},
                     nullptr,
                     looks_.counts()};
};

TEST_F(LooksCountedTest, ADriversAnswerIsOneWhereNvidiaSmiSucceeds) {
  EXPECT_EQ(looks_.cost(Source::nvidia_smi), std::nullopt);
  run("gpu01", tool("id", "0"));
  ASSERT_TRUE(looks_.cost(Source::nvidia_smi)) << "each command costs a connection to the node";
  EXPECT_EQ(looks_.answered(Source::nvidia_smi), std::nullopt)
      << "that a node answers is not that its driver does";
  run("gpu01", tool("broken/nvidia-smi", "NVML: Driver Not Loaded", 9));
  EXPECT_EQ(looks_.answered(Source::nvidia_smi), std::nullopt);
  run("gpu01", tool("nvidia-smi", std::string(4000, 'x')));
  const auto answered = looks_.answered(Source::nvidia_smi);
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->at, now_);
  const auto cost = looks_.cost(Source::nvidia_smi);
  EXPECT_EQ(cost->calls, 3);
  EXPECT_GE(cost->bytes, 4000);
  EXPECT_LT(cost->bytes, 4200) << "the runner's own last line is no more than that";
  EXPECT_EQ(looks_.cost(Source::slurm_config), std::nullopt);
}

TEST_F(LooksCountedTest, WhatIsReadOnTheConfigHostIsItsOwnSourceAndAChangeIsNone) {
  run("login1", tool("cat", "ClusterName=hpc"));
  EXPECT_EQ(looks_.cost(Source::slurm_config)->calls, 1);
  EXPECT_TRUE(looks_.answered(Source::slurm_config));
  EXPECT_EQ(looks_.cost(Source::nvidia_smi), std::nullopt);
  run("gpu01", tool("nvidia-smi", "done"), true);
  run("login1", tool("tee", "written"), true);
  EXPECT_EQ(looks_.cost(Source::slurm_config)->calls, 1);
  EXPECT_EQ(looks_.cost(Source::nvidia_smi), std::nullopt) << "a run's step is no look";
  EXPECT_EQ(looks_.answered(Source::nvidia_smi), std::nullopt);
}

}  // namespace
}  // namespace tessera::slurm
