// Under other names a machine of two schedulers stays one: what joins its sides is told in digests, and no
// name or word of people is left.
#include "engine/record/anonymous.hpp"

#include <gtest/gtest.h>

#include "engine/model/both_sides.hpp"
#include "engine/model/bridged.hpp"
#include "engine/model/bridged_nodes.hpp"
#include "engine/model/slinky.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

constexpr const char* kSalt = "salt";

// Both clusters of a site, as they are, or as a recording under digests has them.
struct Site {
  Model model;

  void tell(const char* cluster, Scheduler scheduler, Node node, Workload work, bool hidden) {
    ClusterName name(cluster);
    if (hidden) {
      name = ClusterName(record::hashed(cluster, kSalt));
      record::hash_names(node, kSalt), record::hash_names(work, kSalt);
    }
    const auto say = [&](decltype(Event::what) what) { reduce(model, {name, 0, at(0), std::move(what)}); };
    say(ClusterSeen{scheduler, false, "", "", ""});
    say(NodesListed{{std::move(node)}});
    say(WorkloadsListed{{std::move(work)}});
    say(Loaded{});
  }
  const Cluster& kubernetes() const {
    for (const Cluster& one : model.clusters)
      if (one.scheduler == Scheduler::kubernetes) return one;
    return model.clusters.front();
  }
  const Cluster& slurm() const {
    for (const Cluster& one : model.clusters)
      if (one.scheduler == Scheduler::slurm) return one;
    return model.clusters.front();
  }
};

Workload pod(const char* id, const std::string& comment) {
  Workload one = running(id, "NodeSet/gpu", {holds("worker-1", {{0, 1}})});
  one.kind = WorkloadKind::pod, one.comment = comment;
  return one;
}

// slurm-operator: slurmd of gpu-0 runs in a pod on worker-1.
Site joined(bool hidden) {
  Site site;
  Node gpu_0 = node("gpu-0", {gpu(0, Strategy::whole, {whole(0)})});
  gpu_0.host_pod = HostPod{"slurm", "gpu-0"}, gpu_0.state = {"IDLE", "DRAIN"};
  site.tell("hpc", Scheduler::slurm, gpu_0, running("7", "alice", {holds("gpu-0", {{0, 1}})}), hidden);
  site.tell("k8s", Scheduler::kubernetes, node("worker-1", {gpu(0, Strategy::whole, {whole(0)})}),
            pod("slurm/gpu-0",
                slinky::pod_comment("gpu-0", {"IDLE", "DRAIN"}, "alice is away") + "; priority high"),
            hidden);
  return site;
}

TEST(AnonymousRecording, AMachineOfTwoSchedulersStaysOne) {
  for (const bool hidden : {false, true}) {
    const Site site = joined(hidden);
    EXPECT_EQ(slinky::kubernetes_side(site.model, site.slurm().nodes.all()[0]).join, slinky::Join::joined);
    EXPECT_TRUE(slinky::stands_for_jobs(site.kubernetes(), site.kubernetes().workloads.all()[0]))
        << "its GPUs are counted with Slurm's jobs: " << hidden;
  }
}

// Each cluster has a recording of its own: read alone, its node still says that it has another side.
TEST(AnonymousRecording, OfOneClusterAloneAPodThatStandsForJobsIsStillNotCounted) {
  const Site site = joined(false);
  Node told = site.kubernetes().nodes.all()[0];
  Workload work = site.kubernetes().workloads.all()[0];
  record::hash_names(told, kSalt), record::hash_names(work, kSalt);
  for (const std::string* text : {&told.components.at(0).detail, &work.comment})
    for (const char* name : {"gpu-0", "hpc", "alice", "priority"})
      EXPECT_EQ(text->find(name), std::string::npos) << *text;
  EXPECT_EQ(slinky::other_words(told).at(0).state, (std::vector<std::string>{"IDLE", "DRAIN"}));
  Cluster alone;
  alone.scheduler = Scheduler::kubernetes;
  alone.nodes.upsert(told), alone.workloads.upsert(work);
  EXPECT_TRUE(slinky::stands_for_jobs(alone, work));
}

TEST(AnonymousRecording, APodThatSlurmPlacesAndItsJobStayOne) {
  for (const bool hidden : {false, true}) {
    Site site;
    Workload job = running("42", "slurm", {holds("worker-1", {{0, 1}})});
    job.comment = slinky::bridged_comment({WorkloadId("team/a")}, "mine");
    site.tell("hpc", Scheduler::slurm, node("worker-1", {}), job, hidden);
    site.tell("k8s", Scheduler::kubernetes, node("worker-1", {gpu(0, Strategy::whole, {whole(0)})}),
              pod("team/a", slinky::placed_comment("42") + "; priority high"), hidden);
    EXPECT_TRUE(slinky::is_told_by_pods(site.model, site.slurm(), site.slurm().workloads.all()[0])) << hidden;
  }
}

TEST(AnonymousRecording, ANodeOfSlurmBridgeKeepsThatAloneOfItsTaintsAndLabels) {
  Node told = node("worker-1", {});
  told.taints = {"team=alice:NoSchedule",
                 std::string(slinky::kManagedTaint) + "=slurm-bridge-scheduler:NoExecute"};
  told.features = {"owner=alice", std::string(slinky::kSlurmNameLabel) + "=n1"};
  record::hash_names(told, kSalt);
  EXPECT_TRUE(slinky::is_managed(told));
  EXPECT_EQ(slinky::slurm_name(told), record::hashed("n1", kSalt));
  EXPECT_EQ(told.taints.size() + told.features.size(), 2U);
  Node other = node("worker-2", {});
  other.taints = {"team=alice:NoSchedule"}, other.features = {"owner=alice"};
  record::hash_names(other, kSalt);
  EXPECT_TRUE(other.taints.empty() && other.features.empty());
}

TEST(AnonymousRecording, AJobsOwnCommentIsNotKept) {
  Workload job = running("7", "alice", {});
  job.comment = "runs slurmd of alice";
  record::hash_names(job, kSalt);
  EXPECT_EQ(job.comment, "") << "a job's comment is its user's own words";
}

TEST(AnonymousRecording, ClientsThatWroteLabelsAreNotNamed) {
  Node one = node("worker-1", {gpu(0, Strategy::whole, {whole(0)})});
  one.order = LayoutOrder{"all-disabled", "success", {}, "alice", at(0)};
  one.writes = {{"nvidia.com/device-plugin.config", "alice", at(0)}};
  record::hash_names(one, kSalt);
  EXPECT_EQ(one.order->by, "");
  EXPECT_TRUE(one.writes.empty());
}

TEST(Anonymous, ALayoutThatASiteNamedIsADigestAndOneOfNvidiasListStays) {
  const auto hidden = [](const char* config) {
    Node one = node("n1", {});
    one.order = LayoutOrder{config, "success", {}};
    record::hash_names(one, kSalt);
    return one.order->config;
  };
  EXPECT_EQ(hidden("custom-for-team-blue"), record::hashed("custom-for-team-blue", kSalt));
  EXPECT_EQ(hidden("all-of-team-blue"), record::hashed("all-of-team-blue", kSalt));
  for (const char* known :
       {"all-disabled", "all-enabled", "all-balanced", "all-1g.5gb", "all-1g.10gb.me", ""})
    EXPECT_EQ(hidden(known), known);
}

}  // namespace
}  // namespace tessera::test
