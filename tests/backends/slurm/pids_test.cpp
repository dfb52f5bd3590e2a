// `scontrol listpids`: as 22.05, 24.11 and 26.05 printed it, refused, cut off, hostile; and the names of its
// jobs.
#include <gtest/gtest.h>

#include "backends/slurm/change/node_processes.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parse_pids.hpp"
#include "engine/model/processes.hpp"
#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

constexpr const char* kHead = "PID      JOBID    STEPID   LOCALID GLOBALID\n";

TEST(SlurmPids, WhatARealSlurmPrintedIsRead) {
  const auto old = parse_pids(recording("22.05", "pids"), "", 0);
  ASSERT_TRUE(old) << to_line(old.error());
  EXPECT_EQ(old->jobs.size(), 12u);
  EXPECT_EQ(old->jobs.at(1573), "32");
  EXPECT_EQ(old->jobs.at(1213), "3");
  EXPECT_TRUE(old->complete);
  const auto fresh = parse_pids(recording("24.11", "pids"), "", 0);
  ASSERT_TRUE(fresh) << to_line(fresh.error());
  EXPECT_EQ(fresh->jobs.at(9873), "6");
}

// 26.05 when the stepd of one step was killed: it tells of the others, where 24.11 tells nothing.
TEST(SlurmPids, WhatTheOtherStepsToldIsReadAndIsNotTheWholeList) {
  const auto read =
      parse_pids(recording("26.05", "pids"), "Unable to connect to slurmstepd: Connection refused\n", 1);
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_EQ(read->jobs.size(), 5u);
  EXPECT_EQ(read->jobs.at(13384), "2");
  EXPECT_EQ(read->jobs.at(13437), "1");
  EXPECT_FALSE(read->complete);
  EXPECT_EQ(read->missing, "Unable to connect to slurmstepd: Connection refused");
}

TEST(SlurmPids, ColumnsAreFoundByTheirNames) {
  const auto read = parse_pids("SLUID JOBID STEPID PID LOCALID\ns1ab 7 extern 4711 -\n", "", 0);
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_EQ(read->jobs.at(4711), "7");
}

TEST(SlurmPids, NoStepIsAnEmptyAndWholeList) {
  const auto read = parse_pids(kHead, "No job steps exist on this node.\n", 1);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->jobs.empty());
  EXPECT_TRUE(read->complete);
}

// 24.11 and later leave the columns out where the command ends with 1: an idle node is no error there either.
TEST(SlurmPids, NoStepIsAnEmptyAndWholeListWithoutColumnsToo) {
  for (const char* out : {"", "\n"}) {
    const auto read = parse_pids(out, "No job steps exist on this node.\n", 1);
    ASSERT_TRUE(read) << to_line(read.error());
    EXPECT_TRUE(read->jobs.empty());
    EXPECT_TRUE(read->complete);
  }
  EXPECT_FALSE(parse_pids("1573 32\n", "No job steps exist on this node.\n", 1)) << "lines without columns";
}

// 24.11 to 25.11 print nothing else then: what the other steps would have told is not known, and no list is.
TEST(SlurmPids, AStepThatDidNotAnswerIsAnErrorWhereNothingElseIsPrinted) {
  for (const char* err :
       {"Unable to connect to slurmstepd: Connection refused\n",
        "StepId=7.batch does not exist on this node.\n", "slurm_load_ctl_conf: No such file\n"}) {
    const auto read = parse_pids("", err, 1);
    ASSERT_FALSE(read) << err;
    EXPECT_EQ(read.error().reason + "\n", err);
  }
}

TEST(SlurmPids, AStepThatDidNotAnswerLeavesTheListIncomplete) {
  const auto read = parse_pids(std::string(kHead) + "12 3 0 0 0\n",
                               "Unable to connect to slurmstepd: Permission denied\n", 1);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->complete);
  EXPECT_EQ(read->missing, "Unable to connect to slurmstepd: Permission denied");
  EXPECT_EQ(read->jobs.at(12), "3");
}

TEST(SlurmPids, ProcessesThatTwoJobsClaimBelongToNeither) {
  const auto read =
      parse_pids(std::string(kHead) + "12 3 0 0 0\n12 3 extern - -\n13 3 0 0 0\n13 4 0 0 0\n", "", 0);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->jobs.at(12), "3");
  EXPECT_EQ(read->jobs.at(13), "");
}

TEST(SlurmPids, WhatIsNoListIsAnError) {
  for (const char* text : {"", "slurm_load_conf: error\n", "PID STEPID\n1 0\n"}) {
    const auto read = parse_pids(text, "scontrol: command not found\n", 127);
    EXPECT_FALSE(read) << text;
  }
  const auto refused = parse_pids("", "bash: scontrol: command not found\n", 127);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "bash: scontrol: command not found");
  const auto silent = parse_pids("", "", 255);
  ASSERT_FALSE(silent);
  EXPECT_NE(silent.error().reason.find("255"), std::string::npos);
}

TEST(SlurmPids, ALineThatCannotBeReadIsAnErrorAndNotOneProcessLess) {
  for (const char* line : {"12\n", "x 3 0 0 0\n", "12 job 0 0 0\n", "-2 3 0 0 0\n",
                           "99999999999999 3 0 0 0\n", "12 3\x1b[2J 0 0 0\n"}) {
    const auto read = parse_pids(std::string(kHead) + line, "", 0);
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().reason.find('\x1b'), std::string::npos);
  }
  const auto waiting = parse_pids(std::string(kHead) + "-1 3 extern - -\n", "", 0);
  ASSERT_TRUE(waiting) << "a step without a process yet";
  EXPECT_TRUE(waiting->jobs.empty());
}

Measured with(std::initializer_list<std::int64_t> pids) {
  Measured told;
  GpuFigures gpu;
  gpu.processes.emplace();
  for (const std::int64_t pid : pids) gpu.processes->push_back({pid, "python3", {}, {}, {}});
  told.gpus = {gpu, GpuFigures{}};
  return told;
}

TEST(SlurmPids, TasksOfArraysAreCalledAsTheirJobsAreListed) {
  const auto jobs = parse_jobs(
      "JobId=21 ArrayJobId=19 ArrayTaskId=3 JobName=a UserId=al(1) JobState=RUNNING Reason=None NodeList=n1 "
      "NumNodes=1\n"
      "JobId=30 JobName=b UserId=al(1) JobState=RUNNING Reason=None NodeList=n1 NumNodes=1\n",
      {});
  Measured told = with({12, 13, 14});
  JobPids pids;
  pids.jobs = {{12, "21"}, {13, "30"}};
  name_jobs(told, pids, jobs.by_number, true);
  const auto& list = *told.gpus[0].processes;
  EXPECT_EQ(list[0].workload, WorkloadId("19_3"));
  EXPECT_EQ(list[1].workload, WorkloadId("30"));
  EXPECT_TRUE(is_of_none(list[2]));
}

// Accused only where nothing can have been missed.
TEST(SlurmPids, AProcessBelongsToNoJobOnlyWhereSlurmTracksAllAndEveryStepAnswered) {
  JobPids pids;
  pids.jobs = {{12, ""}};
  Measured told = with({12, 13});
  name_jobs(told, pids, {}, false);
  EXPECT_EQ((*told.gpus[0].processes)[1].workload, WorkloadId()) << "proctrack/linuxproc may have lost it";
  pids.complete = false;
  name_jobs(told, pids, {}, true);
  EXPECT_EQ((*told.gpus[0].processes)[1].workload, WorkloadId()) << "a step did not answer";
  pids.complete = true;
  name_jobs(told, pids, {}, true);
  EXPECT_TRUE(is_of_none((*told.gpus[0].processes)[1]));
  EXPECT_EQ((*told.gpus[0].processes)[0].workload, WorkloadId()) << "two jobs claim it";
}

// A look takes a moment: a job that ends in it was listed before, one that begins is listed after.
TEST(SlurmPids, WhatIsListedBeforeOrAfterCounts) {
  JobPids before, after;
  before.jobs = {{12, "3"}, {13, "4"}};
  after.jobs = {{13, "5"}, {14, "6"}};
  after.complete = false;
  after.missing = "a step";
  const auto all = both(before, after);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->jobs.at(12), "3");
  EXPECT_EQ(all->jobs.at(13), "") << "the number went from one job to another";
  EXPECT_EQ(all->jobs.at(14), "6");
  EXPECT_FALSE(all->complete);
  EXPECT_EQ(all->missing, "a step");
  EXPECT_FALSE(both(before, Error{"no", "", ""}));
  EXPECT_FALSE(both(Error{"no", "", ""}, before));
}

// Asked in the name of another node, or with another slurm.conf, it lists nothing: then all would be
// strangers.
TEST(SlurmPids, AListWithoutAJobThatRunsThereIsNotWhole) {
  JobPids pids;
  pids.jobs = {{12, "21"}};
  const JobNumbers numbers{{"21", WorkloadId("19_3")}};
  Workload task, other;
  task.id = WorkloadId("19_3"), task.state = WorkloadState::running;
  task.allocations = {{NodeName("n1"), Family::gpu, "", 1, {}}};
  other = task;
  other.id = WorkloadId("40");
  EXPECT_TRUE(lists_all(pids, numbers, {task}, NodeName("n1")));
  EXPECT_FALSE(lists_all(pids, numbers, {task, other}, NodeName("n1")));
  EXPECT_TRUE(lists_all(pids, numbers, {task, other}, NodeName("n2")));
  other.state = WorkloadState::suspended;
  EXPECT_FALSE(lists_all(pids, numbers, {task, other}, NodeName("n1"))) << "its processes stand still there";
  other.state = WorkloadState::completing;
  EXPECT_TRUE(lists_all(pids, numbers, {task, other}, NodeName("n1")));
}

Node listed_with(std::optional<bool> held) {
  Node node;
  Slice slice;
  slice.told_held = held;
  Gpu gpu;
  gpu.slices = {slice};
  node.gpus = {gpu};
  return node;
}
Measured used(float percent, std::int64_t memory, bool in_instance = false) {
  Measured measured;
  GpuFigures gpu;
  SliceFigures slice;
  if (in_instance) {
    slice.use = Percent{percent}, slice.memory_used = Mib{memory};
    gpu.slices = {slice};
  } else {
    gpu.figures.use = Percent{percent}, gpu.figures.memory_used = Mib{memory};
  }
  measured.gpus = {gpu};
  return measured;
}

TEST(SlurmStrangers, AGpuThatSlurmCallsFreeAndThatIsInUseIsWorthALook) {
  EXPECT_TRUE(uses_what_is_free(listed_with(false), used(1, 0)));
  EXPECT_TRUE(uses_what_is_free(listed_with(false), used(0, 4096)));
  EXPECT_FALSE(uses_what_is_free(listed_with(false), used(0, 700))) << "a driver's own";
  EXPECT_FALSE(uses_what_is_free(listed_with(true), used(90, 70'000)));
  EXPECT_FALSE(uses_what_is_free(listed_with(std::nullopt), used(90, 70'000))) << "not told is not free";
  Measured other = used(90, 70'000);
  other.gpus[0].gpu = GpuIndex{1};
  EXPECT_FALSE(uses_what_is_free(listed_with(false), other));
}

TEST(SlurmStrangers, InstancesAreFreeWhereNoneOfTheNodesIsHeld) {
  Node node;
  Slice free, held;
  free.told_held = false, held.told_held = true;
  node.pool = {free, free};
  EXPECT_TRUE(uses_what_is_free(node, used(40, 0, true)));
  EXPECT_FALSE(uses_what_is_free(node, used(0, 100, true)));
  node.pool = {free, held};
  EXPECT_FALSE(uses_what_is_free(node, used(40, 0, true))) << "which of them is held Slurm does not tell";
}

}  // namespace
}  // namespace tessera::slurm
