// Job arrays that wait: one record of Slurm's, many tasks.
#include <gtest/gtest.h>

#include <string>

#include "backends/slurm/parse/array_tasks.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "engine/insight/totals.hpp"
#include "engine/insight/users.hpp"
#include "engine/pack/queue_demand.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

std::string record(int id, const std::string& task, const std::string& state, const std::string& gres) {
  return "JobId=" + std::to_string(id) + " ArrayJobId=8 ArrayTaskId=" + task +
         " JobName=sweep UserId=alice(1000) GroupId=staff(50) MCS_label=N/A Account=(null) QOS=(null) "
         "JobState=" +
         state +
         " Reason=Resources Requeue=0 SubmitTime=2026-11-21T02:36:19 StartTime=Unknown EndTime=Unknown "
         "Partition=main NumNodes=1 NumTasks=1 TRES=cpu=1,node=1,gres/" +
         gres + " Features=(null) Command=/home/alice/run.sh WorkDir=/tmp TresPerNode=gres/" + gres + "\n";
}

std::vector<Workload> jobs_of(const std::string& text) { return slurm::parse_jobs(text, {}).values; }

TEST(SlurmArray, TasksAreCountedInEachFormThatScontrolWrites) {
  EXPECT_EQ(slurm::read_tasks("4").count, 1);
  EXPECT_EQ(slurm::read_tasks("1-4").count, 4);
  EXPECT_EQ(slurm::read_tasks("0-3,7,9").count, 6);
  EXPECT_EQ(slurm::read_tasks("0-8:2").count, 5);
  EXPECT_EQ(slurm::read_tasks("1-20%2").count, 20);
  EXPECT_EQ(slurm::read_tasks("1-20%2").at_once, 2);
  EXPECT_EQ(slurm::read_tasks("1,3,5,...").count, 3) << "at least";
}

TEST(SlurmArray, WhatCannotBeReadIsOneTask) {
  for (const char* text : {"", "-", "9-1", "a-b", "1-99999999999", "1-4:0", "%", "%%", "...", "-4"})
    EXPECT_EQ(slurm::read_tasks(text).count, 1) << text;
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "0-4000000,";
  EXPECT_EQ(slurm::read_tasks(many).count, slurm::kMostTasks);
}

TEST(SlurmArray, NoMoreTasksThanMayBeUnderWayTogetherAreAskedFor) {
  EXPECT_EQ(jobs_of(record(8, "1-20%4", "PENDING", "gpu:h100:8")).at(0).tasks, 4);
  const auto jobs =
      jobs_of(record(8, "3-20%4", "PENDING", "gpu:h100:8") + record(9, "1", "RUNNING", "gpu:h100:8") +
              record(10, "2", "SUSPENDED", "gpu:h100:8"));
  EXPECT_EQ(jobs.at(0).tasks, 2) << "two of the four are under way";
  EXPECT_EQ(jobs.at(1).tasks, 1);
}

TEST(SlurmArray, IsCalledAsSqueueCallsItHoweverManyTasksItHas) {
  std::string tasks = "1";
  for (int i = 3; i < 300; i += 3) tasks += "," + std::to_string(i);
  const auto job = jobs_of(record(8, tasks, "PENDING", "gpu:h100:1")).at(0);
  EXPECT_EQ(job.tasks, 100);
  EXPECT_LT(job.id.text.size(), 80u);
  EXPECT_TRUE(job.id.text.ends_with(",...]")) << job.id.text;
}

TEST(SlurmArray, EveryTaskIsWantedInSumsAndInThePlanners) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {})})}});
  story.tell(WorkloadsListed{jobs_of(record(7, "1-4", "PENDING", "gpu:1g.10gb:7"))});
  story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
  story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
  story.tell(Loaded{});
  const Cluster& cluster = story.cluster();
  EXPECT_EQ(insight::totals(cluster).waiting_by_request.at("gpu:1g.10gb").units, 28);
  const auto users = insight::users_of(story.model, catalogue());
  ASSERT_EQ(users.size(), 1u);
  EXPECT_EQ(users[0].asks.at("gpu:1g.10gb"), 28);
  const auto queue = pack::demand_of_queue(cluster, "", nullptr, nullptr);
  ASSERT_EQ(queue.demand.size(), 1u);
  EXPECT_EQ(queue.demand[0].count, 28);
}

}  // namespace
}  // namespace tessera::test
