// Processes of one GPU as the driver lists them: which are clients of an MPS server, which are nobody's work.
#include "engine/model/processes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

GpuProcess process(std::int64_t pid, const char* name, std::optional<int> instance = std::nullopt) {
  return {pid, name, instance, std::nullopt, {}};
}

TEST(Processes, ClientsOfMpsStandBehindTheServerOfTheirInstance) {
  const auto all = in_order_of_mps({{process(700, "python3", 2), true},
                                    {process(585, "python3", 1), true},
                                    {process(620, "nvidia-cuda-mps-server", 1), false},
                                    {process(586, "a.out", 1), true},
                                    {process(900, "python3", 1), false}});
  std::vector<std::int64_t> pids;
  for (const GpuProcess& one : all) pids.push_back(one.pid);
  EXPECT_EQ(pids, (std::vector<std::int64_t>{900, 700, 620, 585, 586}));
  const auto by = served(all);
  EXPECT_FALSE(by[0].client);
  EXPECT_FALSE(by[1].client) << "no server in its instance is listed";
  EXPECT_FALSE(by[2].client) << "the server itself";
  ASSERT_TRUE(by[3].server && by[4].server);
  EXPECT_EQ(by[3].server->pid, 620);
  EXPECT_TRUE(by[4].client);
}

TEST(Processes, OfSeveralServersItIsNotToldWhoseAClientIs) {
  const auto all = in_order_of_mps({{process(3, "python3"), true},
                                    {process(1, "nvidia-cuda-mps-server"), false},
                                    {process(2, "/usr/bin/nvidia-cuda-mps-server"), false}});
  const auto by = served(all);
  EXPECT_EQ(by[2].process->pid, 3);
  EXPECT_TRUE(by[2].client);
  EXPECT_EQ(by[2].server, nullptr);
}

TEST(Processes, ServicesOfTheDriverAreKnownByTheirProgramWhereverItLies) {
  for (const char* name :
       {"nvidia-cuda-mps-server", "/usr/bin/nvidia-cuda-mps-control -d",
        "/usr/bin/nvidia-persistenced --verbose", "nv-hostengine", "/usr/lib/xorg/Xorg :0"})
    EXPECT_TRUE(is_service(process(1, name))) << name;
  for (const char* name :
       {"python3", "nvidia-cuda-mps-servers", "/tmp/nvidia-smi/train", "", "train nvidia-smi"})
    EXPECT_FALSE(is_service(process(1, name))) << name;
}

// "/opt/a b/monitor" was called "a", and a program called "nvidia-persistenced x" was taken for a service.
TEST(Processes, TheProgramOfAnOpenerIsItsFileWithEachSpaceInItsPath) {
  GpuProcess opener = process(1, "/opt/a b/gpu monitor");
  opener.workload = WorkloadId(std::string(kOnlyOpens));
  EXPECT_EQ(program_of(opener), "gpu monitor");
  opener.name = "/tmp/nvidia-persistenced x";
  EXPECT_FALSE(is_service(opener));
  opener.name = "/opt/a b/nv-hostengine";
  EXPECT_TRUE(is_service(opener));
}

TEST(Processes, NotToldIsNotNobodys) {
  GpuProcess one = process(1, "python3");
  EXPECT_FALSE(is_of_none(one) || is_of_work(one));
  one.workload = WorkloadId("12");
  EXPECT_TRUE(is_of_work(one));
  one.workload = WorkloadId(std::string(kNoWorkload));
  EXPECT_TRUE(is_of_none(one));
  EXPECT_FALSE(is_of_work(one));
}

}  // namespace
}  // namespace tessera
