// What the objects beside a pod say of it: events, volume claims, DRA claims, Kueue, Volcano and KAI.
#include "backends/kubernetes/objects/related.hpp"

#include <gtest/gtest.h>

#include "backends/kubernetes/objects/kueue_quota.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::kubernetes {
namespace {

Json json(const std::string& text) {
  auto read = parse_json(text, "test");
  EXPECT_TRUE(read) << to_line(read.error());
  return read ? *read : Json();
}

TEST(KubernetesRelated, APodNamesWhatHasASayInItsStart) {
  const PodLinks links = links_of(json(R"({
    "metadata": {"name": "train", "uid": "u1", "labels": {"kueue.x-k8s.io/queue-name": "team-a"},
                 "annotations": {"scheduling.k8s.io/group-name": "gang", "pod-group-name": "pg-1"},
                 "ownerReferences": [{"kind": "Job", "uid": "j1"}]},
    "spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}],
             "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}},
                         {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}},
                         {"name": "c", "configMap": {"name": "x"}}],
             "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]},
    "status": {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "train-gpu-abc"}]}})"));
  EXPECT_EQ(links.uid, "u1");
  EXPECT_EQ(links.owners, std::vector<std::string>{"j1"});
  EXPECT_EQ(links.volume_claims, (std::vector<std::string>{"data", "train-scratch"}));
  EXPECT_EQ(links.claims, std::vector<std::string>{"train-gpu-abc"});
  EXPECT_EQ(links.queue, "team-a");
  EXPECT_TRUE(links.by_kueue);
  EXPECT_EQ(links.volcano, "gang");
  EXPECT_EQ(links.kai, "pg-1");
  ASSERT_EQ(gates_of(links).size(), 1u);
  EXPECT_TRUE(gates_of(links).front().in_the_way);
  EXPECT_FALSE(links_of(json("{}")).by_kueue);
}

TEST(KubernetesRelated, OnlyThePodsOwnEventsCountTheNewestFirst) {
  std::vector<Json> events;
  for (const char* text :
       {R"({"involvedObject":{"uid":"u1"},"type":"Warning","reason":"Old","message":"m",
            "lastTimestamp":"2026-11-21T10:00:00Z","count":12})",
        R"({"involvedObject":{"uid":"another"},"type":"Warning","reason":"Another","message":"m"})",
        R"({"involvedObject":{"uid":"u1"},"type":"Normal","reason":"New","message":"m",
            "eventTime":"2026-11-21T09:00:00.5Z","series":{"count":3,"lastObservedTime":"2026-11-21T11:00:00Z"}})"})
    events.push_back(json(text));
  const std::vector<Related> all = related_events(events, "u1");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].state, "New");
  EXPECT_EQ(all[0].count, 3);
  EXPECT_EQ(all[0].at, parse_utc("2026-11-21T11:00:00Z"));
  EXPECT_FALSE(all[0].in_the_way);
  EXPECT_EQ(all[1].count, 12);
  for (int i = 0; i < 100; ++i) events.push_back(events.front());
  EXPECT_EQ(related_events(events, "u1").size(), kMostEvents);
}

TEST(KubernetesRelated, AVolumeClaimThatIsNotBoundIsInTheWay) {
  const Related bound = related_volume("data", json(R"({"status":{"phase":"Bound"}})"));
  EXPECT_FALSE(bound.in_the_way);
  EXPECT_EQ(bound.state, "Bound");
  const Related pending =
      related_volume("data", json(R"({"spec":{"storageClassName":"fast"},"status":{"phase":"Pending"}})"));
  EXPECT_TRUE(pending.in_the_way);
  EXPECT_NE(pending.text.find("storage class fast"), std::string::npos);
  EXPECT_EQ(related_volume("data", json("{}")).state, "?") << "not told is not bound";
}

TEST(KubernetesRelated, KueueSaysInItsOwnWordsWhyItDoesNotAdmit) {
  PodLinks links;
  links.uid = "u1", links.owners = {"j1"};
  const Json other = json(R"({"metadata":{"name":"w0","ownerReferences":[{"uid":"j0"}]}})");
  Json ours =
      json(R"({"metadata":{"name":"w1","ownerReferences":[{"uid":"j1"}]},"spec":{"queueName":"team-a"},
    "status":{"conditions":[{"type":"QuotaReserved","status":"False","reason":"Pending","message":
      "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu, 2 more needed"}]}})");
  const auto behind = [&](std::vector<Json> workloads) {
    const Json* one = workload_behind(workloads, links);
    return one ? std::optional(related_workload(*one)) : std::nullopt;
  };
  auto found = behind({other, ours});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "w1");
  EXPECT_EQ(found->state, "not admitted");
  EXPECT_TRUE(found->in_the_way);
  EXPECT_NE(found->text.find("queue team-a; couldn't assign flavors"), std::string::npos) << found->text;
  ours = json(R"({"metadata":{"name":"w1","labels":{"kueue.x-k8s.io/job-uid":"j1"}},
    "status":{"conditions":[{"type":"Admitted","status":"True","message":"The workload is admitted"}]}})");
  EXPECT_FALSE(behind({ours})->in_the_way);
  EXPECT_FALSE(behind({other})) << "that of another job is none of it";
}

// "Quota reserved in ClusterQueue gpus" told nobody what it waits for.
TEST(KubernetesRelated, OnceItsQuotaIsReservedKueueSaysWhichCheckIsPending) {
  const Related waits = related_workload(json(R"({"metadata":{"name":"w1"},"spec":{"queueName":"team-a"},
    "status":{"conditions":[
      {"type":"QuotaReserved","status":"True","message":"Quota reserved in ClusterQueue gpus"},
      {"type":"Admitted","status":"False","message":"The workload waits for the check prov-prod"}]}})"));
  EXPECT_EQ(waits.state, "quota reserved, not admitted yet");
  EXPECT_EQ(waits.text, "queue team-a; The workload waits for the check prov-prod");
  EXPECT_TRUE(waits.in_the_way);
  const Related named = related_workload(json(R"({"status":{"conditions":[
      {"type":"QuotaReserved","status":"True"},
      {"type":"Admitted","status":"False","message":"The workload has not all checks ready"}],
    "admissionChecks":[{"name":"a","state":"Ready"},{"name":"prov","state":"Retry","message":"no node yet"}]}})"));
  EXPECT_EQ(named.text, "admission check prov (Retry): no node yet");
  const Related untold = related_workload(json(R"({"status":{"conditions":[
      {"type":"QuotaReserved","status":"False","reason":"Pending"}]}})"));
  EXPECT_EQ(untold.text, "Pending") << "its reason, where it has no message";
}

TEST(KubernetesRelated, EachResourceThatKueueNamesIsLookedUpInItsQueue) {
  const auto named = quotas_named(
      "queue a; couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor h100, 2 "
      "more "
      "needed, insufficient unused quota for nvidia.com/gpu in flavor h100, 6 more needed, insufficient "
      "unused "
      "quota for cpu in flavor h100, 2 more needed");
  EXPECT_EQ(named, (std::vector<QuotaNamed>{{"cpu", "h100", 2}, {"nvidia.com/gpu", "h100", 6}}));
  EXPECT_TRUE(quotas_named("LocalQueue for x is not in flavor y").empty());
  const Json queue = json(R"({"metadata":{"name":"whole"},"spec":{"cohortName":"all","resourceGroups":[
      {"flavors":[{"name":"old","resources":[{"name":"nvidia.com/gpu","nominalQuota":"1"}]},
                  {"name":"h100","resources":[{"name":"nvidia.com/gpu","nominalQuota":"6","borrowingLimit":2}]}]}]},
    "status":{"flavorsReservation":[{"name":"h100","resources":[
      {"name":"nvidia.com/gpu","total":"7","borrowed":"1"}]}]}})");
  const Related told = related_queue(queue, {{"nvidia.com/gpu", "h100"}});
  EXPECT_EQ(told.name, "whole");
  EXPECT_EQ(
      told.text,
      "nominalQuota 6 of nvidia.com/gpu in flavor h100, 7 reserved (1 of it borrowed), borrowingLimit 2, "
      "lendingLimit not set; cohort all");
  EXPECT_EQ(related_queue(queue, {{"cpu", "h100"}}).text, "no quota of cpu in flavor h100; cohort all");
  const Related alone = related_queue(json(R"({"spec":{"resourceGroups":[{"flavors":[{"name":"f","resources":[
      {"name":"r","nominalQuota":6}]}]}]}})"),
                                      {{"r", "f"}});
  EXPECT_EQ(alone.text, "nominalQuota 6 of r in flavor f") << "without a cohort nothing is borrowed or lent";
}

// "What would help" ended in commands that show: by how much to raise which number was left to the reader.
TEST(KubernetesRelated, WhatIsMissingInAClusterQueueHasTheCommandThatRaisesItsQuota) {
  const Json queue = json(R"({"metadata":{"name":"whole"},"spec":{"resourceGroups":[
      {"flavors":[{"name":"old","resources":[{"name":"nvidia.com/gpu","nominalQuota":"1"}]},
                  {"name":"h100","resources":[{"name":"cpu","nominalQuota":64},
                                              {"name":"nvidia.com/gpu","nominalQuota":"6"}]}]}]}})");
  const auto raise = [&](const std::string& message) {
    return related_queue(queue, quotas_named(message)).makes_room;
  };
  const std::string gpus = "insufficient unused quota for nvidia.com/gpu in flavor h100, 2 more needed";
  EXPECT_EQ(raise(gpus),
            R"(kubectl patch clusterqueues.kueue.x-k8s.io whole --type=json -p '[)"
            R"({"op":"test","path":"/spec/resourceGroups/0/flavors/1/name","value":"h100"},)"
            R"({"op":"test","path":"/spec/resourceGroups/0/flavors/1/resources/1/name",)"
            R"("value":"nvidia.com/gpu"},)"
            R"({"op":"test","path":"/spec/resourceGroups/0/flavors/1/resources/1/nominalQuota","value":"6"},)"
            R"({"op":"replace","path":"/spec/resourceGroups/0/flavors/1/resources/1/nominalQuota",)"
            R"("value":"8"}]')");
  const std::string both = raise("insufficient unused quota for cpu in flavor h100, 8 more needed, " + gpus);
  EXPECT_NE(both.find(R"("value":72})"), std::string::npos) << "a number stays a number: " << both;
  EXPECT_NE(both.find(R"("value":"8"})"), std::string::npos) << both;
  const std::string edit = "kubectl edit clusterqueues.kueue.x-k8s.io whole";
  EXPECT_EQ(raise("insufficient quota for nvidia.com/gpu in flavor h100, request > maximum capacity (8 > 6)"),
            edit);
  EXPECT_EQ(raise("insufficient unused quota for nvidia.com/gpu in flavor a30, 2 more needed"), edit);
  EXPECT_EQ(related_queue(queue, {}).makes_room, "");
}

// CPUs of one group and GPUs of another were both missing: the command raised the CPUs alone, and the job
// went on waiting.
TEST(KubernetesRelated, WhatIsMissingInTwoResourceGroupsIsRaisedInBothAndOfOneGroupInOneFlavor) {
  const Json queue = json(R"({"metadata":{"name":"two"},"spec":{"resourceGroups":[
      {"flavors":[{"name":"general","resources":[{"name":"cpu","nominalQuota":64}]}]},
      {"flavors":[{"name":"h100","resources":[{"name":"nvidia.com/gpu","nominalQuota":"6"}]},
                  {"name":"a30","resources":[{"name":"nvidia.com/gpu","nominalQuota":"4"}]}]}]}})");
  const auto raise = [&](const std::string& message) {
    return related_queue(queue, quotas_named(message)).makes_room;
  };
  const std::string cpus = "insufficient unused quota for cpu in flavor general, 8 more needed";
  const std::string h100 = "insufficient unused quota for nvidia.com/gpu in flavor h100, 2 more needed";
  const std::string a30 = "insufficient unused quota for nvidia.com/gpu in flavor a30, 1 more needed";
  const std::string both = raise(cpus + ", " + h100 + ", " + a30);
  const auto raises = [&](const std::string& entry, const std::string& value) {
    return both.find(R"({"op":"replace","path":"/spec/resourceGroups/)" + entry +
                     R"(/resources/0/nominalQuota","value":)" + value + "}") != std::string::npos;
  };
  EXPECT_TRUE(raises("0/flavors/0", "72")) << both;
  EXPECT_TRUE(raises("1/flavors/0", R"("8")")) << both;
  EXPECT_EQ(both.find("flavors/1"), std::string::npos) << "either flavor of a group would do: " << both;
  const std::string edit = "kubectl edit clusterqueues.kueue.x-k8s.io two";
  EXPECT_EQ(
      raise("insufficient quota for cpu in flavor general, request > maximum capacity (80 > 64), " + h100),
      edit)
      << "of what is missing of the CPUs nothing is known";
  EXPECT_EQ(raise(h100 + ", insufficient unused quota for memory in flavor general, 2 more needed"), edit)
      << "the queue has no quota of memory";
}

TEST(KubernetesRelated, GroupsAndClaimsSayWhereTheyStand) {
  const Related gang = related_group("gang", json(R"({"spec":{"queue":"default"},"status":{"phase":"Pending",
    "conditions":[{"type":"Unschedulable","status":"True","message":"3/3 tasks in gang unschedulable"}]}})"));
  EXPECT_TRUE(gang.in_the_way);
  EXPECT_EQ(gang.state, "Pending");
  EXPECT_EQ(gang.text, "queue default; 3/3 tasks in gang unschedulable");
  const Related kai = related_group("pg", json(R"({"status":{"schedulingConditions":[
    {"type":"UnschedulableOnNodePool","message":"not enough gpus"}]}})"));
  EXPECT_EQ(kai.text, "not enough gpus");
  const Related claim = related_claim("c", json(R"({"spec":{"devices":{"requests":[
    {"name":"a","exactly":{"deviceClassName":"gpu.nvidia.com"}},{"name":"b","deviceClassName":"mig.nvidia.com"}]}}})"));
  EXPECT_EQ(claim.state, "not allocated");
  EXPECT_EQ(claim.text, "asks for gpu.nvidia.com, mig.nvidia.com");
  EXPECT_EQ(related_claim("c", json(R"({"status":{"allocation":{}}})")).state, "allocated");
}

TEST(KubernetesRelated, HostileTextReachesNoTerminalAndStaysShort) {
  const std::string evil = "\\u001b[31m" + std::string(100'000, 'x');
  for (const Related& one :
       {related_group("g",
                      json(R"({"status":{"conditions":[{"status":"True","message":")" + evil + "\"}]}}")),
        related_claim("c",
                      json(R"({"spec":{"devices":{"requests":[{"deviceClassName":")" + evil + "\"}]}}}")),
        related_events({json(R"({"reason":")" + evil + R"(","message":")" + evil + "\"}")}, "").front()}) {
    EXPECT_EQ(clean(one.text), one.text);
    EXPECT_EQ(clean(one.state), one.state);
    EXPECT_LT(one.text.size(), 2000u);
  }
  Json wrong = json(R"({"metadata":[1],"spec":"x","status":{"conditions":{"a":1},"phase":7}})");
  EXPECT_EQ(related_volume("v", wrong).state, "?");
  EXPECT_TRUE(links_of(wrong).volume_claims.empty());
}

}  // namespace
}  // namespace tessera::kubernetes
