// What the units of shared GPUs are called, where people read them.
#include "engine/sharing/units.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

Workload of_kind(WorkloadKind kind, const std::string& resource) {
  Workload work;
  work.kind = kind;
  work.requests = {Request{resource, 1}};
  return work;
}

// Kubernetes screens had Slurm's words: "2 shard" for time-sliced GPUs, "1 mps" for a client.
TEST(Units, AreCalledAsTheSchedulerOfTheWorkCallsThem) {
  const Workload job = of_kind(WorkloadKind::job, "shard"),
                 pod = of_kind(WorkloadKind::pod, "nvidia.com/gpu");
  EXPECT_EQ(sharing::units_text(job, Family::shard, 2), "2 shard");
  EXPECT_EQ(sharing::units_text(job, Family::mps, 25), "25 mps");
  EXPECT_EQ(sharing::units_text(pod, Family::shard, 2), "2 shares");
  EXPECT_EQ(sharing::units_text(pod, Family::shard, 1), "1 share");
  EXPECT_EQ(sharing::units_text(pod, Family::mps, 1), "1 MPS client");
  EXPECT_EQ(sharing::units_text(pod, Family::gpu, 2), "2 gpu");
}

TEST(Units, WhereMemoryIsHandedOutTheyAreThat) {
  const Workload pod = of_kind(WorkloadKind::pod, "aliyun.com/gpu-mem");
  EXPECT_EQ(sharing::units_text(pod, Family::mps, 4), "4 GiB");
  EXPECT_EQ(sharing::memory_unit("aliyun.com/gpu-mem"), "GiB");
  EXPECT_EQ(sharing::memory_unit("nvidia.com/gpumem"), "MiB");
  EXPECT_EQ(sharing::memory_unit("nvidia.com/gpu"), "");
  EXPECT_TRUE(sharing::is_memory("GiB a10", Scheduler::kubernetes));
  EXPECT_FALSE(sharing::is_memory("GiB", Scheduler::slurm));
  EXPECT_FALSE(sharing::is_memory("shard", Scheduler::kubernetes));
}

// A share of HAMi's was called "1 MiB": its memory is a limit, and what is counted are shares of GPUs.
TEST(Units, MemoryBesideAGpuIsALimitAndNotWhatIsCounted) {
  Workload pod = of_kind(WorkloadKind::pod, "nvidia.com/gpumem");
  EXPECT_EQ(sharing::units_text(pod, Family::shard, 1), "1 share") << "HAMi gives it one GPU's";
  pod.requests.push_back(Request{"nvidia.com/gpu", 1});
  EXPECT_EQ(sharing::units_text(pod, Family::shard, 1), "1 share");
  EXPECT_EQ(sharing::memory_unit(pod, Family::shard), "");
}

TEST(Units, OfASumKeepTheTypeBehindThem) {
  EXPECT_EQ(sharing::unit_name("shard", Scheduler::kubernetes), "share");
  EXPECT_EQ(sharing::unit_name("shard h100", Scheduler::kubernetes), "share h100");
  EXPECT_EQ(sharing::unit_name("MPS", Scheduler::kubernetes), "MPS client");
  EXPECT_EQ(sharing::unit_name("shard", Scheduler::slurm), "shard");
  EXPECT_EQ(sharing::unit_name("shards-of-mine", Scheduler::kubernetes), "shards-of-mine");
  EXPECT_EQ(sharing::unit_name("3g.40gb", Scheduler::kubernetes), "3g.40gb");
}

}  // namespace
}  // namespace tessera::test
