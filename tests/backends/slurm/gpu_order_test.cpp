// Slurm's count of a node's GPUs against its driver's.
#include "backends/slurm/change/gpu_order.hpp"

#include <gtest/gtest.h>

namespace tessera::slurm {
namespace {

slurmconf::Files files(const std::string& gres) {
  return {{"/etc/slurm/slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n[1-2] Gres=gpu:4\n"},
          {"/etc/slurm/gres.conf", gres}};
}

const NodeName n1("n1");

TEST(SlurmGpuOrder, FilesInTheDriversOrderAreNoFinding) {
  const BoardMinors minors{0, 1, 2, 3};
  EXPECT_FALSE(order_remark(n1, minors, files("NodeName=n[1-2] Name=gpu File=/dev/nvidia[0-3]\n")));
  EXPECT_FALSE(order_remark(n1, {1, 0},
                            files("NodeName=n1 Name=gpu File=/dev/nvidia1\n"
                                  "NodeName=n1 Name=gpu File=/dev/nvidia0\n")));
}

TEST(SlurmGpuOrder, AFileThatTheDriverCountsOtherwiseIsNamed) {
  const auto remark =
      order_remark(n1, {1, 0, 2, 3}, files("NodeName=n[1-2] Name=gpu File=/dev/nvidia[0-3]\n"));
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->text, "Slurm's GPU 0 is /dev/nvidia0, which its driver counts as GPU 1");
  EXPECT_EQ(remark->subject, "n1");
  EXPECT_TRUE(remark->is_node);
  EXPECT_EQ(remark->grade, Remark::Grade::warning);
  EXPECT_NE(remark->hint.find("ConstrainDevices"), std::string::npos);
}

TEST(SlurmGpuOrder, TheOrderOfTheLinesCounts) {
  const auto remark = order_remark(n1, {0, 1},
                                   files("NodeName=n1 Name=gpu Type=a File=/dev/nvidia1\n"
                                         "NodeName=n1 Name=gpu Type=b File=/dev/nvidia0\n"));
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->text, "Slurm's GPU 0 is /dev/nvidia1, which its driver counts as GPU 1");
}

TEST(SlurmGpuOrder, LinesWithoutANodeCountForEachThatReadsThem) {
  EXPECT_TRUE(order_remark(n1, {1, 0}, files("Name=gpu File=/dev/nvidia[0-1]\n")));
  EXPECT_FALSE(order_remark(n1, {1, 0}, files("NodeName=n2 Name=gpu File=/dev/nvidia[0-1]\n")));
}

// Slurm sorts what it detects as the driver does.
TEST(SlurmGpuOrder, DetectedGpusAreCountedByTheDriver) {
  EXPECT_FALSE(
      order_remark(n1, {1, 0}, files("AutoDetect=nvml\nNodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n")));
  EXPECT_TRUE(order_remark(n1, {1, 0},
                           files("AutoDetect=nvml\nNodeName=n1 AutoDetect=off Name=gpu "
                                 "File=/dev/nvidia[0-1]\n")));
}

TEST(SlurmGpuOrder, WhatIsNotKnownIsNoFinding) {
  const std::string two = "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n";
  EXPECT_FALSE(order_remark(n1, {}, files(two))) << "the driver's minors are not told";
  EXPECT_FALSE(order_remark(n1, {std::nullopt, 0}, files(two)));
  EXPECT_FALSE(order_remark(n1, {1, 0}, files("NodeName=n1 Name=gpu File=/lab/dev/nvidia[0-1]\n")));
  EXPECT_FALSE(order_remark(n1, {1, 0}, files("NodeName=n1 Name=gpu Count=2\n")));
  EXPECT_FALSE(order_remark(n1, {1, 0},
                            files(two + "NodeName=n1 Name=gpu Type=1g.10gb "
                                        "MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap66\n")));
  EXPECT_FALSE(order_remark(n1, {1, 0}, {}));
}

TEST(SlurmGpuOrder, MinorsAreToldByTheDriversIndex) {
  nvidia::NodeGpus looked;
  looked.gpus.resize(2);
  looked.boards.resize(2);
  looked.gpus[1].index = GpuIndex{1};
  looked.boards[0].minor = 3;
  EXPECT_EQ(minors_of(looked), (BoardMinors{3, std::nullopt}));
  looked.gpus[1].index = GpuIndex{2};
  EXPECT_TRUE(minors_of(looked).empty()) << "the driver leaves one out";
}

}  // namespace
}  // namespace tessera::slurm
