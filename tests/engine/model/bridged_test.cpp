// Pods that Slurm places (slurm-bridge): told once where both sides agree, and twice where that is not
// certain.
#include "engine/model/bridged.hpp"

#include <gtest/gtest.h>

#include "engine/insight/users.hpp"
#include "engine/query/tables.hpp"

namespace tessera::slinky {
namespace {

using Ids = std::vector<WorkloadId>;

TEST(Bridged, AnAdminCommentNamesThePods) {
  EXPECT_EQ(read_bridged(R"({"pods":["team/b","team/a","team/a"]})"),
            (Ids{WorkloadId("team/a"), WorkloadId("team/b")}));
  const std::string deep(5000, '[');
  for (const std::string& other :
       {std::string(""), std::string("moved by ann"), std::string("{}"), std::string("[]"),
        std::string(R"({"pods":"team/a"})"), std::string(R"({"pods":["a"]})"),
        std::string(R"({"pods":["a/b/c"]})"), std::string(R"({"pods":["team/a","Team/B"]})"),
        std::string(R"({"pods":["team/a\u001b[2J"]})"), std::string(R"({"pods":[7]})"), "{\"pods\":" + deep,
        R"({"pods":["t/)" + std::string(254, 'a') + "\"]}",
        R"({"pods":["t/a"],"x":")" + std::string(20000, 'a') + "\"}"})
    EXPECT_TRUE(read_bridged(other).empty()) << other.substr(0, 60);
}

TEST(Bridged, AUsersOwnCommentNeverReadsLikeIt) {
  Workload job;
  job.comment = bridged_comment({}, "stands for pods team/a");
  EXPECT_TRUE(pods_of(job).empty()) << job.comment;
  job.comment = bridged_comment({WorkloadId("team/a")}, "mine, team/z; x");
  EXPECT_EQ(pods_of(job), Ids{WorkloadId("team/a")});
  Ids many;
  for (int i = 0; i < 100; ++i) many.emplace_back("team/p" + std::to_string(i));
  job.comment = bridged_comment(many, "");
  EXPECT_TRUE(pods_of(job).empty()) << "those that are not named cannot be looked for";
  EXPECT_NE(job.comment.find(" and 36 more"), std::string::npos);
}

TEST(Bridged, OnlyANumberIsAJob) {
  for (const char* label : {"", "0", "-1", "7x", "99999999999", "\x1b[2J"})
    EXPECT_EQ(placed_comment(label), "");
  Workload pod;
  pod.kind = WorkloadKind::pod;
  pod.comment = placed_comment("42") + "; priority high";
  EXPECT_EQ(placing_job(pod), WorkloadId("42"));
  pod.kind = WorkloadKind::job;
  EXPECT_EQ(placing_job(pod), std::nullopt);
}

struct Site {
  Model model;
  Cluster& cluster(const char* name, Scheduler scheduler) {
    Cluster one;
    one.name = ClusterName(name);
    one.scheduler = scheduler;
    model.clusters.push_back(std::move(one));
    return model.clusters.back();
  }
};

Workload job(const char* id, const Ids& pods) {
  Workload one;
  one.id = WorkloadId(id);
  one.user = "slurm";
  one.state = WorkloadState::running;
  one.comment = bridged_comment(pods, "");
  one.allocations = {{NodeName("n"), Family::gpu, "", 2, {}}};
  return one;
}
Workload pod(const char* id, const char* number) {
  Workload one;
  one.id = WorkloadId(id);
  one.kind = WorkloadKind::pod;
  one.user = "ann";
  one.state = WorkloadState::running;
  one.comment = placed_comment(number);
  one.allocations = {{NodeName("n"), Family::gpu, "", 2, {}}};
  return one;
}

TEST(Bridged, AJobWhoseOnlyPodsAllNameItIsToldByThem) {
  Site site;
  site.model.clusters.reserve(4);
  Cluster& slurm = site.cluster("hpc", Scheduler::slurm);
  Cluster& kube = site.cluster("k", Scheduler::kubernetes);
  slurm.workloads.upsert(job("7", {WorkloadId("team/a"), WorkloadId("team/b")}));
  slurm.workloads.upsert(job("8", {}));
  kube.workloads.upsert(pod("team/a", "7"));
  const auto told = [&] {
    return is_told_by_pods(site.model, slurm, *slurm.workloads.find(WorkloadId("7")));
  };
  const auto rows = [&](const char* only) {
    return query::workload_rows(site.model, ClusterName(only)).size();
  };
  EXPECT_FALSE(told()) << "one of its pods is not read";
  EXPECT_EQ(rows(""), 3u);
  kube.workloads.upsert(pod("team/b", "9"));
  EXPECT_FALSE(told()) << "it names another job";
  kube.workloads.upsert(pod("team/b", ""));
  EXPECT_FALSE(told()) << "it names none";
  kube.workloads.upsert(pod("team/b", "7"));
  EXPECT_TRUE(told());
  EXPECT_FALSE(is_told_by_pods(site.model, slurm, *slurm.workloads.find(WorkloadId("8"))));
  EXPECT_FALSE(is_told_by_pods(site.model, kube, *kube.workloads.find(WorkloadId("team/a"))));
  EXPECT_EQ(rows(""), 3u) << "two pods and the other job";
  EXPECT_EQ(rows("hpc"), 2u) << "the table of one cluster has all of its jobs";
  int running = 0;
  for (const insight::UserSum& one : insight::users_of(site.model, {})) running += one.running;
  EXPECT_EQ(running, 3) << "nothing is held twice";
}

TEST(Bridged, WhereTwoAnswerToOneNameNothingIsLeftOut) {
  Site site;
  site.model.clusters.reserve(4);
  Cluster& slurm = site.cluster("hpc", Scheduler::slurm);
  Cluster& kube = site.cluster("k", Scheduler::kubernetes);
  slurm.workloads.upsert(job("7", {WorkloadId("team/a")}));
  kube.workloads.upsert(pod("team/a", "7"));
  const auto told = [&] {
    return is_told_by_pods(site.model, slurm, *slurm.workloads.find(WorkloadId("7")));
  };
  EXPECT_TRUE(told());
  Cluster& copy = site.cluster("hpc-copy", Scheduler::slurm);
  copy.workloads.upsert(job("7", {WorkloadId("team/a")}));
  EXPECT_FALSE(told()) << "a job of that number in another Slurm stands for the same pod";
  copy.workloads.upsert(job("7", {WorkloadId("team/z")}));
  EXPECT_TRUE(told());
  Cluster& second = site.cluster("k2", Scheduler::kubernetes);
  second.workloads.upsert(pod("team/a", "7"));
  EXPECT_FALSE(told()) << "another cluster has a pod of that name";
}

}  // namespace
}  // namespace tessera::slinky
