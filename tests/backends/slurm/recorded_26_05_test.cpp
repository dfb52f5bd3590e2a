// What a real Slurm 26.05.5 prints, recorded from a cluster on loopback with simulated GPUs and 39 jobs. New
// since 24.11: SLUID, SubmitLine and SecsPreSuspend in a job, SuspendTime in a node, and `-/4` in GresUsed
// for the shards of a GPU that is held whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

const Origin kSeen{Source::slurm_nodes, TimePoint(std::chrono::seconds(1))};

std::map<std::string, Node> nodes_of_26_05() {
  auto parsed = parse_nodes(recording("26.05", "node"), kSeen, nullptr);
  EXPECT_EQ(parsed.problem_count, 0u) << (parsed.problems.empty() ? "" : parsed.problems.front().what);
  std::map<std::string, Node> named;
  for (Node& node : parsed.values) named.emplace(node.name.text, std::move(node));
  return named;
}

// "+" held, "-" not held, "?" not reported: one for each slice.
std::string told_held(const Node& node) {
  std::string text;
  const auto add = [&text](const Slice& slice) {
    text += !slice.told_held ? "?" : *slice.told_held ? "+" : "-";
  };
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices) add(slice);
  for (const Slice& slice : node.pool) add(slice);
  return text;
}

std::string allocations_of(const Workload& job) {
  std::string text;
  for (const Allocation& one : job.allocations) {
    text += (text.empty() ? "" : "; ") + one.node.text + " " + std::string(word(one.family)) + ":" + one.type;
    for (const DeviceShare& device : one.devices) text += " " + std::to_string(device.device);
  }
  return text;
}

TEST(Slurm26, NodesSayWhichSlicesAreHeld) {
  const auto nodes = nodes_of_26_05();
  ASSERT_EQ(nodes.size(), 6u);
  EXPECT_EQ(told_held(nodes.at("gpu01")), "++++++++");
  EXPECT_EQ(told_held(nodes.at("gpu02")), "++++++--");
  EXPECT_EQ(told_held(nodes.at("mig01")), "+++++++++");
  EXPECT_EQ(told_held(nodes.at("mps01")), "+-");
  EXPECT_EQ(nodes.at("cpu01").health, Health::draining);
  EXPECT_EQ(nodes.at("cpu01").reason, "disk is being replaced");
  EXPECT_EQ(nodes.at("gpu01").agent, "26.05.5");
}

// GresUsed=gpu:h100:1(IDX:1),shard:h100:4(4/4,-/4,0/4,0/4): GPU 0 is held by shards, GPU 1 as a whole.
TEST(Slurm26, AGpuThatIsHeldWholeHoldsItsShardsAndLeavesThoseOfItsNeighboursKnown) {
  EXPECT_EQ(told_held(nodes_of_26_05().at("shard01")), "++--");
}

TEST(Slurm26, JobsHoldWhatSlurmSays) {
  auto parsed = parse_jobs(recording("26.05", "job"), kSeen);
  EXPECT_EQ(parsed.problem_count, 0u) << (parsed.problems.empty() ? "" : parsed.problems.front().what);
  std::map<std::string, Workload> jobs;
  for (Workload& job : parsed.values) jobs.emplace(job.name, std::move(job));
  EXPECT_EQ(allocations_of(jobs.at("one-gpu")), "gpu01 gpu:h100 0");
  EXPECT_EQ(allocations_of(jobs.at("twonodes")), "gpu01 gpu:h100 1 2; gpu02 gpu:h100 0 1");
  EXPECT_EQ(allocations_of(jobs.at("migboth")), "mig01 gpu:3g.40gb 8; mig01 gpu:1g.10gb 3");
  EXPECT_EQ(allocations_of(jobs.at("mps50")), "mps01 mps: 0");
  EXPECT_EQ(allocations_of(jobs.at("shard3")), "shard01 shard: 0");
  EXPECT_EQ(allocations_of(jobs.at("shardgpu")), "shard01 gpu:h100 1");
  EXPECT_EQ(jobs.at("pend-held").reason, "JobHeldUser");
  EXPECT_EQ(jobs.at("name with spaces|and pipes").state, WorkloadState::running);
}

TEST(Slurm26, TheNameOfAPartOfAHeterogeneousJobEndsBeforeItsNumbers) {
  auto parsed = parse_jobs(
      "JobId=2 HetJobId=1 HetJobOffset=1 JobName=hetty SLUID=s0PSM83DEBTM00 HetJobIdSet=1-2 UserId=root(0) "
      "GroupId=root(0) MCS_label=N/A JobState=RUNNING Reason=None\n",
      kSeen);
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(parsed.values[0].name, "hetty");
  EXPECT_EQ(parsed.values[0].id.text, "1+1");
}

// SubmitLine repeats what the user typed: in it stand words that look like fields of ours.
TEST(Slurm26, ASubmitLineCannotForgeOtherFields) {
  std::string text = recording("26.05", "job");
  const std::string line = "SubmitLine=";
  const std::size_t at = text.find(line);
  ASSERT_NE(at, std::string::npos);
  const auto before = parse_jobs(text, kSeen);
  text.insert(
      at + line.size(),
      "sbatch JobState=PENDING NodeList=gpu02 Nodes=gpu02 GRES=gpu:h100:8(IDX:0-7) TresPerNode=gres/gpu:9 "
      "WorkDir=/x Requeue=0 NumNodes=7 ");
  const auto after = parse_jobs(text, kSeen);
  ASSERT_EQ(after.values.size(), before.values.size());
  for (std::size_t i = 0; i < after.values.size(); ++i) EXPECT_EQ(after.values[i], before.values[i]) << i;
}

TEST(Slurm26, TheClusterTellsItsVersionAndFiles) {
  ClusterFacts facts = parse_config(recording("26.05", "config"));
  EXPECT_EQ(facts.name, "lab");
  EXPECT_EQ(facts.version, "26.05.5");
  EXPECT_EQ(facts.conf, "/srv/lab/etc/slurm.conf");
  EXPECT_EQ(parse_partitions(recording("26.05", "partition")).values.size(), 4u);
  auto reserved = parse_reservations(recording("26.05", "reservation"));
  ASSERT_EQ(reserved.values.size(), 1u);
  EXPECT_EQ(reserved.values[0].name, "maint1");
}

}  // namespace
}  // namespace tessera::slurm
