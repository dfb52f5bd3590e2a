// Work that Kueue has not admitted: it has no pods, and its Workload says what it will ask for and why it
// waits.
#include "backends/kubernetes/objects/kueue.hpp"

#include <atomic>

#include "backends/kubernetes/objects/parse.hpp"
#include "engine/model/kueue.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/why/why.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kPending =
    R"({"type":"QuotaReserved","status":"False","reason":"Pending","message":"couldn't assign flavors to pod )"
    R"(set main: insufficient unused quota for nvidia.com/gpu in flavor h100, 6 more needed"})";

std::string pod_set(const std::string& name, int count, const std::string& limits) {
  return R"({"name":")" + name + R"(","count":)" + std::to_string(count) +
         R"(,"template":{"metadata":{},"spec":{"restartPolicy":"Never","containers":[{"name":"main",)"
         R"("resources":{"limits":{"cpu":"8",)" +
         limits + R"(}}}]}}})";
}
const std::string kTwoGpus = R"("nvidia.com/gpu":"2")";

// A Workload as Kueue makes it for a batch/v1 Job.
std::string workload_json(const std::string& name, const std::string& sets, const std::string& conditions,
                          const std::string& spec = "", const std::string& owner = "Job") {
  return R"({"metadata":{"name":")" + name +
         R"(","namespace":"team","uid":"w1","resourceVersion":"7","creationTimestamp":"2026-11-21T10:00:00Z",)"
         R"("ownerReferences":[{"apiVersion":"batch/v1","kind":")" +
         owner +
         R"(","name":"train","uid":"j1","controller":true}]},"spec":{"queueName":"team-a","podSets":[)" +
         sets + "]" + spec + R"(},"status":{"conditions":[)" + conditions + "]}}";
}
KueueWorkload read(const std::string& text) {
  auto one = Parser().object<KueueWorkload>(text);
  EXPECT_TRUE(one) << text;
  return one ? *one : KueueWorkload{};
}
Workload row(const std::string& text) { return workload_of(read(text), Origin{}); }
const std::string kTrue = R"(","status":"True","message":"m"})";

TEST(Kueue, AWorkloadIsARowThatWaitsWithItsQueueAndKueuesOwnMessage) {
  const Workload work = row(
      workload_json("job-train-1", pod_set("main", 4, kTwoGpus), kPending,
                    R"(,"priority":10,"priorityClassRef":{"kind":"WorkloadPriorityClass","name":"high"})"));
  EXPECT_EQ(work.id.text, "team/job-train-1");
  EXPECT_EQ(work.user, "Job/train");
  EXPECT_EQ(work.group, "team");
  EXPECT_EQ(work.state, WorkloadState::pending);
  EXPECT_TRUE(waits_for_kueue(work));
  EXPECT_EQ(kind_word(work), "workload");
  EXPECT_EQ(work.requests, (std::vector<Request>{{"nvidia.com/gpu", 2, 0}}));
  EXPECT_EQ(work.tasks, 4);
  EXPECT_EQ(work.priority, 10);
  EXPECT_NE(work.comment.find("priority high"), std::string::npos);
  EXPECT_EQ(work.reason,
            "Kueue: not admitted, queue team-a: couldn't assign flavors to pod set main: insufficient unused "
            "quota for nvidia.com/gpu in flavor h100, 6 more needed");
  EXPECT_FALSE(plan::waits_for_room(work, Scheduler::kubernetes)) << "a free GPU does not admit it";
}

TEST(Kueue, PodSetsThatDifferAreAskedForTogether) {
  const Workload work =
      row(workload_json("ray",
                        pod_set("head", 1, R"("nvidia.com/gpu":"1")") + "," +
                            pod_set("workers", 3, kTwoGpus) + "," + pod_set("log", 5, R"("memory":"1Gi")"),
                        ""));
  EXPECT_EQ(work.requests, (std::vector<Request>{{"nvidia.com/gpu", 7, 2}}));
  EXPECT_EQ(work.tasks, 1);
  EXPECT_EQ(work.reason, "Kueue: not admitted, queue team-a") << "Kueue has not looked at it yet";
}

TEST(Kueue, WhatIsAdmittedEndedOrHasPodsIsNoRowOfItsOwn) {
  const std::string set = pod_set("main", 1, kTwoGpus);
  EXPECT_TRUE(waits_without_pods(read(workload_json("w", set, kPending))));
  EXPECT_TRUE(waits_without_pods(read(workload_json("w", set, R"({"type":"QuotaReserved)" + kTrue))));
  EXPECT_FALSE(waits_without_pods(read(workload_json("w", set, R"({"type":"Admitted)" + kTrue))));
  EXPECT_FALSE(waits_without_pods(read(workload_json("w", set, R"({"type":"Finished)" + kTrue))));
  EXPECT_FALSE(
      waits_without_pods(read(workload_json("w", pod_set("main", 1, R"("memory":"1Gi")"), kPending))));
  EXPECT_FALSE(waits_without_pods(read(workload_json("w", pod_set("main", 0, kTwoGpus), kPending))));
  for (const char* owner : {"Pod", "StatefulSet", "Deployment", "LeaderWorkerSet"})
    EXPECT_FALSE(waits_without_pods(read(workload_json("w", set, kPending, "", owner)))) << owner;
  EXPECT_TRUE(waits_without_pods(read(workload_json("w", set, kPending, "", "RayJob"))));
}

TEST(Kueue, WhereItStandsIsSaidInPlainWords) {
  const std::string set = pod_set("main", 1, kTwoGpus);
  const auto said = [&](const std::string& conditions, const std::string& spec = "") {
    return why::meaning(row(workload_json("w", set, conditions, spec)).reason, Scheduler::kubernetes);
  };
  EXPECT_EQ(said(kPending).topic, why::Topic::gate);
  EXPECT_TRUE(said(kPending).text.starts_with("Kueue has not admitted it: queue team-a: couldn't assign"))
      << said(kPending).text;
  const why::Meaning reserved =
      said(R"({"type":"QuotaReserved","status":"True","message":"Quota reserved in ClusterQueue c"},)"
           R"({"type":"Admitted","status":"False","message":"The workload has not all checks ready"})");
  EXPECT_EQ(
      reserved.text,
      "Kueue has reserved its quota and has not admitted it yet: queue team-a: The workload has not all "
      "checks ready");
  const why::Meaning off = said("", R"(,"active":false)");
  EXPECT_EQ(off.topic, why::Topic::held);
  EXPECT_TRUE(off.text.starts_with("it is deactivated in Kueue")) << off.text;
  EXPECT_NE(said(R"({"type":"Evicted","status":"True","message":"Preempted to accommodate a workload"},)" +
                 std::string(kPending))
                .text.find("Preempted to accommodate"),
            std::string::npos);
}

// "The workload has not all checks ready" was all that was told.
TEST(Kueue, WhichAdmissionCheckIsInTheWayIsTold) {
  const auto with = [](const std::string& checks, const std::string& reserved = "True") {
    return row(R"({"metadata":{"name":"w","namespace":"team"},"spec":{"queueName":"team-a","podSets":[)" +
               pod_set("main", 1, kTwoGpus) +
               R"(]},"status":{"conditions":[{"type":"QuotaReserved","status":")" + reserved +
               R"("},{"type":"Admitted","status":"False","message":"The workload has not all checks ready"}],)"
               R"("admissionChecks":[)" +
               checks + "]}}")
        .reason;
  };
  const std::string ready = R"({"name":"budget","state":"Ready","message":"fine"})";
  const std::string waits = R"({"name":"prov","state":"Pending","message":"Waiting for 2 nodes"})";
  EXPECT_EQ(with(ready + "," + waits),
            "Kueue: quota reserved, queue team-a: admission check prov (Pending): Waiting for 2 nodes");
  EXPECT_EQ(
      with(waits + R"(,{"name":"multi","state":"Retry"})"),
      "Kueue: quota reserved, queue team-a: admission check prov (Pending): Waiting for 2 nodes; admission "
      "check multi (Retry)");
  EXPECT_EQ(with(ready), "Kueue: quota reserved, queue team-a: The workload has not all checks ready");
  EXPECT_EQ(with(R"("x",{"state":[]},7)"),
            "Kueue: quota reserved, queue team-a: The workload has not all checks ready");
  EXPECT_EQ(with(waits, "False").find("prov"), std::string::npos) << "no check begins before there is quota";
  EXPECT_EQ(why::meaning(with(waits), Scheduler::kubernetes).text,
            "Kueue has reserved its quota and has not admitted it yet: queue team-a: admission check prov "
            "(Pending): Waiting for 2 nodes");
}

TEST(Kueue, CountsThatNobodyCouldMeanOverflowNothing) {
  const std::string huge = R"("nvidia.com/gpu":"9223372036854775807")";
  const Workload work = row(workload_json(
      "w", pod_set("a", 2147483647, huge) + "," + pod_set("b", 2147483647, kTwoGpus), kPending));
  ASSERT_EQ(work.requests.size(), 1u);
  EXPECT_GT(work.requests[0].count, 0);
  EXPECT_GT(work.tasks, 0);
  const KueueWorkload odd = read(R"({"metadata":{"name":"w"},"spec":{"podSets":{"a":1},"queueName":7},)"
                                 R"("status":{"conditions":"x"}})");
  EXPECT_FALSE(waits_without_pods(odd));
  EXPECT_FALSE(Parser().object<KueueWorkload>(R"({"metadata":{"name":"w"}})"))
      << "without a spec it says nothing";
}

// A pod set that asks by a claim, which is made from a template; and what Kueue has counted of it.
std::string by_template(const std::string& counted) {
  return R"({"metadata":{"name":"w","namespace":"team"},"status":{"resourceRequests":[)" + counted +
         R"(]},"spec":{"queueName":"team-a","podSets":[{"name":"main","count":2,"template":{"spec":{)"
         R"("resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"two-gpus"}],"containers":[{"name":)"
         R"("main","resources":{"requests":{"cpu":"8"},"claims":[{"name":"gpu"}]}}]}}}]}})";
}

// Kueue counts them (KueueDRAIntegration, on since 0.18): work that asks so waits for quota like all other.
TEST(Kueue, WhatAsksByResourceClaimTemplatesWaitsToo) {
  const std::string silent = by_template("");
  ASSERT_TRUE(waits_without_pods(read(silent)));
  EXPECT_TRUE(row(silent).requests.empty()) << "how many devices a template asks for is not told here";
  EXPECT_NE(row(silent).comment.find("how many is not reported"), std::string::npos) << row(silent).comment;
  const std::string told =
      by_template(R"({"name":"main","resources":{"cpu":"16","whole-gpus":"4","gpu-memory":"160Gi"}})");
  EXPECT_EQ(row(told).requests, (std::vector<Request>{{"whole-gpus", 2, 0}}))
      << "of one pod, by the name of deviceClassMappings";
  EXPECT_EQ(row(told).tasks, 2);
  EXPECT_EQ(row(told).comment.find("not reported"), std::string::npos);
  EXPECT_TRUE(row(by_template(R"({"name":"other","resources":{"whole-gpus":"4"}},{"resources":7},3)"))
                  .requests.empty())
      << "another set's";
}

// The API server with one node, a pod, and what Kueue keeps.
class KueueLab : public testing::Test {
 protected:
  KueueLab() {
    api.nodes = {{"a", gpu_node("a")}};
    api.pods = {{"p", gpu_pod("p", "a")}};
    api.instead = [this](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
      const bool list = query.find("watch=1") == std::string::npos;
      const bool kueue = path.ends_with("/workloads");
      if (kueue && removed) return LabApi::Answer{404, "404 page not found", {}};
      if (kueue && forbidden)
        return LabApi::Answer{403, R"({"kind":"Status","message":"no","code":403})", {}};
      if (path == at_path + "/workloads" && list) return answer;
      if (path == "/apis/kueue.x-k8s.io")
        return LabApi::Answer{200, R"({"preferredVersion":{"version":"v1beta2"}})", {}};
      if (path == "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/workloads/w")
        return LabApi::Answer{200, waiting, {}};
      if (path == "/api/v1/namespaces/team/events") return LabApi::Answer{200, events, {}};
      if (path == "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/localqueues/team-a")
        return LabApi::Answer{200, R"({"spec":{"clusterQueue":"whole"}})", {}};
      if (path == "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/whole") return queue;
      return std::nullopt;
    };
  }
  static const Workload* found(const Cluster& cluster, const char* id) {
    return cluster.workloads.find(WorkloadId(id));
  }
  std::string at_path = "/apis/kueue.x-k8s.io/v1beta2";
  std::string waiting = workload_json("w", pod_set("main", 3, kTwoGpus), kPending);
  std::string events = list_json(
      {R"({"involvedObject":{"uid":"w1"},"type":"Warning","reason":"Pending","message":"no flavor fits"})"},
      "9");
  LabApi::Answer answer{
      200,
      list_json({waiting, workload_json("done", pod_set("m", 1, kTwoGpus), R"({"type":"Admitted)" + kTrue)},
                "100"),
      {}};
  LabApi::Answer queue{
      200,
      R"({"metadata":{"name":"whole"},"spec":{"cohortName":"all","resourceGroups":[{"flavors":[
                           {"name":"h100","resources":[{"name":"nvidia.com/gpu","nominalQuota":"6",
                            "borrowingLimit":"2"}]}]}]}})",
      {}};
  std::atomic<bool> removed = false, forbidden = false;  // from now on
  LabApi api;                                            // the first to go: it answers from the others
};

TEST_F(KueueLab, WhatIsQueuedIsThereWithTheFirstPictureAndGoesWhenItIsAdmitted) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(found(watch.cluster(), "team/w"));
  EXPECT_EQ(watch.cluster().workloads.size(), 2u) << "the pod, and what waits";
  const std::string path = at_path + "/workloads";
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams(path) == 1; }));
  const auto now = [&](const std::string& conditions) {
    return event_json("MODIFIED", workload_json("w", pod_set("main", 3, kTwoGpus), conditions));
  };
  api.script().feed(path, now(R"({"type":"QuotaReserved)" + kTrue));
  EXPECT_TRUE(watch.until([](const Cluster& c) {
    return found(c, "team/w") && found(c, "team/w")->reason.starts_with("Kueue: quota reserved");
  }));
  api.script().feed(path, now(R"({"type":"Admitted)" + kTrue));
  EXPECT_TRUE(watch.until([](const Cluster& c) { return !found(c, "team/w"); }));
  EXPECT_TRUE(found(watch.cluster(), "team/p"));
}

TEST_F(KueueLab, AnOlderKueueIsAskedInItsOwnVersion) {
  at_path = "/apis/kueue.x-k8s.io/v1beta1";
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  EXPECT_TRUE(found(watch.cluster(), "team/w"));
}

TEST_F(KueueLab, AClusterWithoutKueueSaysNothingOfIt) {
  at_path = "/nowhere";
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  EXPECT_EQ(watch.cluster().workloads.size(), 1u);
  const auto told = watch.cluster().remarks.find(Source::kubernetes_pods);
  EXPECT_TRUE(told == watch.cluster().remarks.end() || told->second.empty());
}

TEST_F(KueueLab, WhereItMayNotBeReadThatIsSaidAndNothingIsTakenForEmpty) {
  answer = {403,
            R"({"kind":"Status","message":"workloads.kueue.x-k8s.io is forbidden: eve may not","code":403})",
            {}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    return c.loaded && c.remarks.contains(Source::kubernetes_pods) &&
           !c.remarks.at(Source::kubernetes_pods).empty();
  }));
  const Remark& one = watch.cluster().remarks.at(Source::kubernetes_pods)[0];
  EXPECT_EQ(one.subject, "workloads.kueue.x-k8s.io");
  EXPECT_NE(one.text.find("which work waits until Kueue admits it is not reported"), std::string::npos)
      << one.text;
  EXPECT_FALSE(watch.failure(Source::kubernetes_pods)) << "pods are as good as ever";
}

// It was dropped: one Workload fewer in the list looked like work that had been admitted.
TEST_F(KueueLab, WorkloadsThatCannotBeReadAreToldOf) {
  answer.body = list_json({waiting, R"({"metadata":{"namespace":"team","name":"odd"}})"}, "100");
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  EXPECT_TRUE(found(watch.cluster(), "team/w"));
  const auto& remarks = watch.cluster().remarks.at(Source::kubernetes_pods);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_TRUE(
      remarks[0].text.starts_with("which work waits until Kueue admits it is not all reported: 1 of the "
                                  "workloads.kueue.x-k8s.io could not be read"))
      << remarks[0].text;
}

// They stayed, since a refused list takes nothing away.
TEST_F(KueueLab, WhatWaitsForAKueueThatWasRemovedGoesWithIt) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(found(watch.cluster(), "team/w"));
  const std::string path = at_path + "/workloads";
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams(path) == 1; }));
  removed = true;
  api.script().close_streams(path);
  EXPECT_TRUE(watch.until([](const Cluster& c) { return !found(c, "team/w"); }));
  EXPECT_TRUE(found(watch.cluster(), "team/p"));
  const auto told = watch.cluster().remarks.find(Source::kubernetes_pods);
  EXPECT_TRUE(told == watch.cluster().remarks.end() || told->second.empty()) << "that is no failure";
}

TEST_F(KueueLab, WhatCanNoLongerBeReadSaysThatItIsOld) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const std::string path = at_path + "/workloads";
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams(path) == 1; }));
  forbidden = true;
  api.script().close_streams(path);
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    return found(c, "team/w") &&
           found(c, "team/w")->reason.ends_with("; this is old: its Workload cannot be read now");
  }));
  forbidden = false;
  watch.backend().refresh();
  EXPECT_TRUE(watch.until(
      [](const Cluster& c) { return found(c, "team/w")->reason.find("this is old") == std::string::npos; }));
}

TEST_F(KueueLab, ItsWorkloadAndTheEventsOfThatAreAskedWhileItIsLookedAt) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Details details = watch.details_of(WorkloadId("team/w"));
  ASSERT_EQ(details.asked.size(), 4u);
  EXPECT_EQ(details.asked[0].command, "kubectl -n team get workloads.kueue.x-k8s.io w");
  EXPECT_EQ(details.asked[3].command, "kubectl get clusterqueues.kueue.x-k8s.io whole");
  for (const Inquiry& one : details.asked) EXPECT_FALSE(one.failure) << one.command;
  ASSERT_EQ(details.related.size(), 3u);
  EXPECT_EQ(details.related[0].kind, "Workload");
  EXPECT_TRUE(details.related[0].in_the_way);
  EXPECT_EQ(details.related[1].text, "no flavor fits");
  // "6 more needed" did not say of how many.
  EXPECT_EQ(details.related[2].kind, "ClusterQueue");
  EXPECT_EQ(
      details.related[2].text,
      "nominalQuota 6 of nvidia.com/gpu in flavor h100, borrowingLimit 2, lendingLimit not set; cohort all");
  EXPECT_EQ(api.count("/namespaces/team/pods/w"), 0u) << "there is no such pod";
}

TEST_F(KueueLab, AQueueThatMayNotBeReadIsNotKnownAndNotWithoutQuota) {
  queue = {
      403,
      R"({"kind":"Status","message":"clusterqueues.kueue.x-k8s.io is forbidden: eve may not","code":403})",
      {}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Details details = watch.details_of(WorkloadId("team/w"));
  ASSERT_EQ(details.asked.size(), 4u);
  EXPECT_TRUE(details.asked[3].failure);
  EXPECT_EQ(details.related.size(), 2u);
}

}  // namespace
}  // namespace tessera::kubernetes
