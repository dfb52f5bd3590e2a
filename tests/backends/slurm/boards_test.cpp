// GPUs as the node's own tools list them, joined to what Slurm counts of them.
#include "backends/slurm/change/boards.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/slurm/change/job_parts.hpp"
#include "tests/support/build.hpp"

namespace tessera::slurm {
namespace {

using namespace test;

Slice counted(std::optional<bool> held) {
  Slice slice = instance("1g.10gb", 0, 1, 0);
  slice.placement.reset();
  slice.told_held = held;
  return slice;
}

// What lay_boards says of both instances of a node on which Slurm counts two.
std::vector<std::optional<bool>> of_both(std::optional<bool> one, std::optional<bool> other,
                                         std::optional<int> cpus_held = 8) {
  Node node = test::node("n1", {});
  node.pool = {counted(one), counted(other)};
  node.cpus_held = cpus_held;
  lay_boards(node, {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1)})});
  return {node.gpus.at(0).slices.at(0).told_held, node.gpus.at(0).slices.at(1).told_held};
}

using Both = std::vector<std::optional<bool>>;

TEST(SlurmBoards, InstancesAreHeldOrFreeWhereAllOfTheirKindAre) {
  EXPECT_EQ(of_both(true, true), (Both{true, true}));
  EXPECT_EQ(of_both(false, false), (Both{false, false}));
  EXPECT_EQ(of_both(true, false), (Both{std::nullopt, std::nullopt}))
      << "one of them is, and which is not told";
}

TEST(SlurmBoards, WhatSlurmDoesNotCountIsNotFree) {
  EXPECT_EQ(of_both(std::nullopt, false), (Both{std::nullopt, std::nullopt}));
  EXPECT_EQ(of_both(std::nullopt, std::nullopt), (Both{std::nullopt, std::nullopt}));
}

TEST(SlurmBoards, WhereNoJobHoldsACpuNoInstanceIsHeld) {
  EXPECT_EQ(of_both(std::nullopt, false, 0), (Both{false, false}));
  EXPECT_EQ(of_both(std::nullopt, false, std::nullopt), (Both{std::nullopt, std::nullopt}))
      << "not told how many CPUs are held";
  EXPECT_EQ(of_both(true, false, 0), (Both{std::nullopt, std::nullopt}));
}

// Its own tools know who has it open, whatever Slurm counts.
TEST(SlurmBoards, WhatTheNodeSaysIsHeldStaysHeld) {
  Node node = test::node("n1", {});
  node.pool = {counted(false), counted(false)};
  node.cpus_held = 0;
  Slice open = instance("1g.10gb", 0, 1, 0);
  open.told_held = true;
  lay_boards(node, {gpu(0, Strategy::mig, {open})});
  EXPECT_EQ(node.gpus.at(0).slices.at(0).told_held, true);
}

// The driver names a process on a GPU that no job holds: it is in use all the same.
TEST(SlurmBoards, AWholeGpuThatIsOpenIsHeldWhateverSlurmCounts) {
  for (const bool as_many : {true, false}) {
    Node node = test::node("n1", {gpu(0, Strategy::whole, {whole(0)})});
    if (!as_many) node.gpus.clear();
    for (Gpu& told : node.gpus) told.slices[0].told_held = false;
    node.cpus_held = 0;
    Gpu seen = gpu(0, Strategy::whole, {whole(0)});
    seen.slices[0].told_held = true;
    lay_boards(node, {seen});
    ASSERT_EQ(node.gpus.at(0).slices.size(), 1U);
    EXPECT_EQ(node.gpus[0].slices[0].told_held, true) << as_many;
  }
}

// n1 as its driver tells it: three instances on one GPU; Slurm calls its devices 4, 5 and 6.
Node three_instances() {
  Slice first = instance("1g.10gb", 0, 1, 0), second = instance("1g.10gb", 1, 1, 0),
        half = instance("3g.40gb", 4, 4, 0);
  first.device = second.device = half.device = std::nullopt;
  first.instance_id = 7, second.instance_id = 8, half.instance_id = 1;
  return test::node("n1", {gpu(0, Strategy::mig, {first, second, half})});
}
Workload of_type(const std::string& id, const std::string& type, std::vector<DeviceShare> devices) {
  Allocation allocation = holds("n1", std::move(devices));
  allocation.type = type;
  return running(id, "alice", {allocation});
}
std::vector<std::optional<int>> numbered(const std::vector<NamedPart>& parts,
                                         const std::vector<Workload>& jobs, const JobNumbers& numbers = {}) {
  Node node = three_instances();
  number_parts(node, parts, jobs, numbers);
  std::vector<std::optional<int>> all;
  for (const Slice& slice : node.gpus[0].slices) all.push_back(slice.device);
  return all;
}
using Devices = std::vector<std::optional<int>>;

TEST(SlurmJobMapping, AnInstanceOfWhichAnExporterNamesTheJobGetsThatJobsDevice) {
  const ProfileName small("1g.10gb");
  EXPECT_EQ(numbered({{0, 8, small, "12"}}, {of_type("12", "1g.10gb", {{5, 1}})}),
            (Devices{std::nullopt, 5, std::nullopt}));
  EXPECT_EQ(numbered({{0, 8, small, "21"}}, {of_type("19_3", "a100_1g.10gb", {{5, 1}})},
                     {{"21", WorkloadId("19_3")}}),
            (Devices{std::nullopt, 5, std::nullopt}))
      << "a task of an array, told by its number";
}

TEST(SlurmJobMapping, AJobThatIsNamedOnMoreOrFewerInstancesThanItHoldsIsNotBelieved) {
  const ProfileName small("1g.10gb");
  const Devices none{std::nullopt, std::nullopt, std::nullopt};
  const auto job = of_type("12", "1g.10gb", {{5, 1}});
  EXPECT_EQ(numbered({{0, 7, small, "12"}, {0, 8, small, "12"}}, {job}), none)
      << "files by GPU alone name all";
  EXPECT_EQ(numbered({{0, 8, small, "12"}}, {of_type("12", "1g.10gb", {{4, 1}, {5, 1}})}), none);
  EXPECT_EQ(numbered({{0, 8, small, "99"}}, {job}), none) << "a file of a job that has ended";
  EXPECT_EQ(numbered({{0, 1, ProfileName("3g.40gb"), "12"}}, {job}), none) << "another profile";
  EXPECT_EQ(numbered({{0, 9, small, "12"}}, {job}), none) << "no such instance";
  auto ended = job;
  ended.state = WorkloadState::completing;
  EXPECT_EQ(numbered({{0, 8, small, "12"}}, {ended}), none);
  EXPECT_EQ(numbered({{0, 8, small, "12"}}, {of_type("12", "1g.10gb", {})}), none) << "devices are not told";
}

TEST(SlurmJobMapping, TwoJobsAreNeverGivenOneDevice) {
  const ProfileName small("1g.10gb");
  const auto all = numbered({{0, 7, small, "12"}, {0, 8, small, "13"}},
                            {of_type("12", "1g.10gb", {{5, 1}}), of_type("13", "1g.10gb", {{5, 1}})});
  EXPECT_EQ(std::count(all.begin(), all.end(), std::optional(5)), 1);
}

TEST(SlurmJobMapping, ANameStandsAsLongAsItIsToldAndAWhileLonger) {
  const auto readings_of = [](const std::string& job) {
    return *figures::read_dcgm(
        "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_ID=\"7\",GPU_I_PROFILE=\"1g.10gb\"" +
        (job.empty() ? "" : ",hpc_job=\"" + job + "\"") + "} 5\n");
  };
  const NamedJobs::Steady begin{};
  const NodeName n1("n1"), n2("n2");
  NamedJobs named;
  EXPECT_FALSE(named.any());
  named.keep(n1, readings_of("12"), begin);
  named.keep(n2, readings_of("13"), begin + std::chrono::minutes(5));
  const std::vector<NamedPart> first{{0, 7, ProfileName("1g.10gb"), "12"}};
  EXPECT_EQ(named.of(n1, begin + kNamesStand), first);
  EXPECT_TRUE(named.of(n1, begin + kNamesStand + Duration{1}).empty()) << "its exporter gives no answer";
  EXPECT_EQ(named.of(n1, begin + kNamesStand + Duration{1}, 2 * kNamesStand), first)
      << "a round over all of them takes longer";
  named.forget_older(begin + kNamesStand + Duration{1});
  EXPECT_TRUE(named.of(n1, begin, 2 * kNamesStand).empty()) << "it takes no room, either";
  EXPECT_EQ(named.of(n2, begin + kNamesStand).size(), 1U);
  EXPECT_TRUE(named.any());
  named.keep(n2, readings_of(""), begin + std::chrono::minutes(6));
  EXPECT_TRUE(named.of(n2, begin + std::chrono::minutes(6)).empty()) << "told without a job";
  EXPECT_FALSE(named.any());
}

TEST(SlurmJobMapping, OnlyInstancesOfOneJobAreNamed) {
  const auto readings = figures::read_dcgm(
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_ID=\"7\",GPU_I_PROFILE=\"1g.10gb\",hpc_job=\"12\"} "
      "5\n"
      "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",UUID=\"GPU-1\",GPU_I_ID=\"7\",GPU_I_PROFILE=\"1g.10gb\",hpc_"
      "job=\"12\"} 0.5\n"
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_ID=\"8\",GPU_I_PROFILE=\"1g.10gb\",hpc_job=\"13\"} "
      "5\n"
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_ID=\"8\",GPU_I_PROFILE=\"1g.10gb\",hpc_job=\"14\"} "
      "5\n"
      "DCGM_FI_DEV_FB_USED{gpu=\"1\",UUID=\"GPU-2\",hpc_job=\"15\"} 5\n");
  ASSERT_TRUE(readings) << to_line(readings.error());
  EXPECT_EQ(named_parts(*readings), (std::vector<NamedPart>{{0, 7, ProfileName("1g.10gb"), "12"}}));
  EXPECT_EQ(readings->parts.front().use, Percent{50}) << "series that stand twice are one figure";
}

}  // namespace
}  // namespace tessera::slurm
