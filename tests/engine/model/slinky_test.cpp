// The words by which a Slurm node and the pod of its slurmd name each other.
#include "engine/model/slinky.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::slinky {
namespace {

TEST(Slinky, ACommentNamesThePod) {
  const auto pod = read_comment(
      R"({"namespace":"slurm","podName":"slurm-worker-gpu-0","node":"dgx-01","nodeSetName":"gpu"})");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->workload(), WorkloadId("slurm/slurm-worker-gpu-0"));
}

TEST(Slinky, OtherAndHostileCommentsNameNone) {
  const std::string deep(5000, '[');
  for (const std::string& comment :
       {std::string(""), std::string("fan failure, see {\"podName\"}"), std::string("{}"),
        std::string("null"), std::string(R"({"namespace":"slurm"})"),
        std::string(R"({"namespace":7,"podName":"p"})"),
        std::string(R"({"namespace":"slurm","podName":"a/b"})"),
        std::string(R"({"namespace":"slurm","podName":"../../etc"})") + "x",
        std::string(R"({"namespace":"slurm","podName":"a\u001b[31m"})"),
        std::string(R"({"namespace":"slurm","podName":""})"),
        std::string(R"({"namespace":"Slurm","podName":"p"})"),
        std::string(R"({"namespace":"slurm","podName":"p","podName":"q"})"), "{\"a\":" + deep,
        R"({"namespace":"slurm","podName":")" + std::string(254, 'a') + "\"}",
        R"({"namespace":"slurm","podName":"p","x":")" + std::string(5000, 'a') + "\"}"})
    EXPECT_FALSE(read_comment(comment)) << comment.substr(0, 60);
}

TEST(Slinky, APodSaysWhichNodeItRuns) {
  Workload pod = test::running("slurm/gpu-0", "NodeSet/gpu", {});
  pod.kind = WorkloadKind::pod;
  EXPECT_FALSE(slurm_node_of(pod));
  pod.comment = pod_comment("dgx-01", {"IDLE", "DRAIN"}, "slurm-operator: cordoned");
  EXPECT_EQ(pod.comment, "runs slurmd of dgx-01: IDLE+DRAIN (slurm-operator: cordoned)");
  EXPECT_EQ(slurm_node_of(pod), "dgx-01");
  pod.comment = pod_comment("dgx-01", {}, "") + "; priority high";
  EXPECT_EQ(slurm_node_of(pod), "dgx-01");
  pod.kind = WorkloadKind::job;
  EXPECT_FALSE(slurm_node_of(pod)) << "a job's comment is its user's own words";
}

TEST(Slinky, OnlyWhatSlurmHasDrainedAndEmptiedIsEmpty) {
  using States = std::vector<std::string>;
  EXPECT_TRUE(is_empty(States{"IDLE", "DRAIN"}));
  EXPECT_TRUE(is_empty(States{"DOWN"}));
  for (const States& states :
       {States{}, States{"IDLE"}, States{"MIXED", "DRAIN"}, States{"ALLOCATED", "DRAIN"},
        States{"IDLE", "DRAIN", "COMPLETING"}, States{"DOWN", "COMPLETING"},
        States{"IDLE", "DRAIN", "UNDRAIN"}, States{"IDLE", "NOT_RESPONDING"}})
    EXPECT_FALSE(is_empty(states)) << states.size();
  EXPECT_EQ(why_not_up({"IDLE", "DRAIN"}), "");
  EXPECT_EQ(why_not_up({"IDLE", "INVALID_REG"}), "INVALID_REG");
}

}  // namespace
}  // namespace tessera::slinky
