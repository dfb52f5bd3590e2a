#include "backends/sim/kueue/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "backends/sim/random.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kGroup = "kueue.x-k8s.io";

constexpr PrintedColumn kWorkloadColumns[] = {
    {"Queue", "string", "spec queueName"},
    {"Reserved in", "string", "status admission clusterQueue"},
    {"Admitted", "string", "status conditions type=Admitted status"},
    {"Finished", "string", "status conditions type=Finished status"},
    {"Age", "date", "metadata creationTimestamp"}};
constexpr PrintedColumn kClusterQueueColumns[] = {
    {"Cohort", "string", "spec cohortName"}, {"Pending Workloads", "integer", "status pendingWorkloads"}};
constexpr PrintedColumn kLocalQueueColumns[] = {
    {"ClusterQueue", "string", "spec clusterQueue"},
    {"Pending Workloads", "integer", "status pendingWorkloads"},
    {"Admitted Workloads", "integer", "status admittedWorkloads"}};

ResourceKind kind_of(std::string_view version, std::string_view resource, std::string_view kind,
                     bool namespaced, std::string_view short_name, std::span<const PrintedColumn> columns) {
  ResourceKind one;
  one.group = kGroup;
  one.version = version;
  one.resource = resource;
  one.singular = resource.substr(0, resource.size() - 1);
  one.kind = kind;
  one.namespaced = namespaced;
  one.short_name = short_name;
  one.subresources = "status";
  one.custom = true;
  one.columns = columns;
  return one;
}

// As Kueue ends the names of its Workloads: five digits of a digest.
std::string suffixed(const std::string& name, std::string_view of) {
  return fmt::format("{}-{:05x}", name.substr(0, 240), hash_text(of) & 0xFFFFF);
}
std::string fake_uid(std::string_view of) {
  const std::uint64_t a = hash_text(of), b = mix(a);
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", a >> 32, a >> 16 & 0xFFFF, a & 0xFFF, b >> 52,
                     b & 0xFFFFFFFFFFFF);
}

Json head(std::string_view kind, std::string_view version, const Key& key) {
  Json metadata = object({{"name", text(key.name)}});
  if (!key.ns.empty()) put(metadata, "namespace", text(key.ns));
  return object({{"kind", text(std::string(kind))},
                 {"apiVersion", text(fmt::format("{}/{}", kGroup, version))},
                 {"metadata", std::move(metadata)}});
}

std::pair<Key, Json> namespace_object(const std::string& name) {
  Json one = object({{"kind", text("Namespace")},
                     {"apiVersion", text("v1")},
                     {"metadata", object({{"name", text(name)}})},
                     {"spec", object({{"finalizers", list_of({text("kubernetes")})}})},
                     {"status", object({{"phase", text("Active")}})}});
  put_at(one, {"metadata", "labels", "kubernetes.io/metadata.name"}, text(name));
  return {Key{"namespaces", "", name}, std::move(one)};
}

std::pair<Key, Json> cluster_queue(const KueuePlan::ClusterQueue& queue, std::string_view version) {
  Json covered = Json::list(), resources = Json::list();
  for (const KueuePlan::Amount& one : queue.quota) {
    covered.items.push_back(text(one.resource));
    Json quota = object({{"name", text(one.resource)}, {"nominalQuota", text(std::to_string(one.count))}});
    if (queue.borrows) put(quota, "borrowingLimit", text(std::to_string(*queue.borrows)));
    resources.items.push_back(std::move(quota));
  }
  Json flavor = object({{"name", text(queue.flavor)}, {"resources", std::move(resources)}});
  Json group = object({{"coveredResources", std::move(covered)}, {"flavors", list_of({std::move(flavor)})}});
  Key key{std::string(kClusterQueues), "", clean(queue.name, 253)};
  Json one = head("ClusterQueue", version, key);
  put(one, "spec",
      object({{"namespaceSelector", Json::map()},
              {"queueingStrategy", text("BestEffortFIFO")},
              {"preemption", object({{"withinClusterQueue", text(queue.preempts ? "LowerPriority" : "Never")},
                                     {"reclaimWithinCohort", text("Never")}})},
              {"stopPolicy", text(queue.stopped ? "Hold" : "None")},
              {"resourceGroups", list_of({std::move(group)})}}));
  const std::string_view cohort = version == "v1beta1" ? "cohort" : "cohortName";
  if (!queue.cohort.empty()) put_at(one, {"spec", cohort}, text(clean(queue.cohort, 253)));
  Json checks = Json::list();
  for (const std::string& name : queue.checks)
    checks.items.push_back(object({{"name", text(clean(name, 253))}}));
  if (!checks.items.empty())
    put_at(one, {"spec", "admissionChecksStrategy", "admissionChecks"}, std::move(checks));
  return {std::move(key), std::move(one)};
}

// Of a controller that nobody runs here.
std::pair<Key, Json> admission_check(const std::string& name, std::string_view version) {
  Key key{std::string(kAdmissionChecks), "", clean(name, 253)};
  Json one = head("AdmissionCheck", version, key);
  put(one, "spec", object({{"controllerName", text("example.com/by-hand")}}));
  return {std::move(key), std::move(one)};
}

Json owner_of(std::string_view api, std::string_view kind, const std::string& name, const std::string& uid) {
  return list_of({object({{"apiVersion", text(std::string(api))},
                          {"kind", text(std::string(kind))},
                          {"name", text(name)},
                          {"uid", text(uid)},
                          {"controller", flag(true)},
                          {"blockOwnerDeletion", flag(true)}})});
}

Json template_of(const KueuePlan::Amount& asks) {
  Json wants = object({{asks.resource, text(std::to_string(asks.count))}});
  Json container = object({{"name", text("main")},
                           {"image", text("registry.example/train:1")},
                           {"resources", object({{"limits", wants}, {"requests", wants}})}});
  return object({{"metadata", Json::map()},
                 {"spec", object({{"containers", list_of({std::move(container)})},
                                  {"restartPolicy", text("Never")}})}});
}

std::pair<Key, Json> job_workload(const KueuePlan::Work& work, std::string_view version, TimePoint now) {
  const std::string place = work.name_space + "/" + work.name, uid = fake_uid("job/" + place);
  Key key{std::string(kWorkloads), clean(work.name_space, 63),
          suffixed("job-" + clean(work.name, 200), place)};
  Json one = head("Workload", version, key);
  put_at(one, {"metadata", "creationTimestamp"}, text(utc_text(now - work.waits)));
  put_at(one, {"metadata", "labels", "kueue.x-k8s.io/job-uid"}, text(uid));
  put_at(one, {"metadata", "ownerReferences"}, owner_of("batch/v1", "Job", clean(work.name, 200), uid));
  Json set =
      object({{"name", text("main")}, {"count", number(work.pods)}, {"template", template_of(work.asks)}});
  put(one, "spec",
      object({{"active", flag(work.active)},
              {"priority", number(work.priority)},
              {"queueName", text(work.queue)},
              {"podSets", list_of({std::move(set)})}}));
  return {std::move(key), std::move(one)};
}

}  // namespace

void add_kueue_kinds(Kinds& kinds, std::string_view version) {
  // What the texts point to outlives them: constants alone.
  const std::string_view served = version == "v1beta1" ? std::string_view("v1beta1") : "v1beta2";
  ResourceKind jobs = kind_of("v1", "jobs", "Job", true, "", {});
  jobs.group = "batch";
  jobs.custom = false;
  kinds.add(jobs);
  kinds.add(kind_of(served, "admissionchecks", "AdmissionCheck", false, "", {}));
  kinds.add(kind_of(served, "resourceflavors", "ResourceFlavor", false, "rf", {}));
  kinds.add(kind_of(served, "clusterqueues", "ClusterQueue", false, "cq", kClusterQueueColumns));
  kinds.add(kind_of(served, "localqueues", "LocalQueue", true, "lq", kLocalQueueColumns));
  kinds.add(kind_of(served, "workloads", "Workload", true, "kwl", kWorkloadColumns));
}

std::vector<std::pair<Key, Json>> kueue_objects(const KueuePlan& plan, TimePoint now) {
  std::vector<std::pair<Key, Json>> all;
  std::set<std::string> spaces, flavors, checks;
  for (const KueuePlan::LocalQueue& one : plan.local_queues) spaces.insert(clean(one.name_space, 63));
  for (const KueuePlan::Work& one : plan.work) spaces.insert(clean(one.name_space, 63));
  for (const std::string& name : spaces) all.push_back(namespace_object(name));
  for (const KueuePlan::ClusterQueue& one : plan.cluster_queues)
    if (flavors.insert(one.flavor).second) {
      Key key{std::string(kFlavors), "", clean(one.flavor, 253)};
      Json flavor = head("ResourceFlavor", plan.version, key);
      put(flavor, "spec", Json::map());
      all.emplace_back(std::move(key), std::move(flavor));
    }
  for (const KueuePlan::ClusterQueue& one : plan.cluster_queues)
    for (const std::string& name : one.checks)
      if (checks.insert(name).second) all.push_back(admission_check(name, plan.version));
  for (const KueuePlan::ClusterQueue& one : plan.cluster_queues)
    all.push_back(cluster_queue(one, plan.version));
  for (const KueuePlan::LocalQueue& one : plan.local_queues) {
    Key key{std::string(kLocalQueues), clean(one.name_space, 63), clean(one.name, 253)};
    Json queue = head("LocalQueue", plan.version, key);
    put(queue, "spec", object({{"clusterQueue", text(one.cluster_queue)}, {"stopPolicy", text("None")}}));
    all.emplace_back(std::move(key), std::move(queue));
  }
  std::vector<KueuePlan::Work> work = plan.work;
  std::stable_sort(work.begin(), work.end(), [](const auto& a, const auto& b) { return a.waits > b.waits; });
  for (const KueuePlan::Work& one : work) all.push_back(job_workload(one, plan.version, now));
  return all;
}

namespace {

Json spec_of(const Json& pod) {
  const Json* spec = pod.find("spec");
  Json inner = spec ? *spec : Json::map();
  drop(inner, "schedulingGates");
  return inner;
}
Json pod_set(const std::string& name, std::int64_t count, Json spec) {
  return object({{"name", text(name)},
                 {"count", number(count)},
                 {"template", object({{"metadata", Json::map()}, {"spec", std::move(spec)}})}});
}
Json spec_of_work(const Json& pod, Json sets) {
  return object({{"active", flag(true)},
                 {"priority", number(number_at(pod, {"spec", "priority"}))},
                 {"queueName", text(text_at(pod, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}))},
                 {"podSets", std::move(sets)}});
}

}  // namespace

std::pair<Key, Json> workload_of_pod(const Json& pod, std::string_view version) {
  const std::string name = text_at(pod, {"metadata", "name"}), uid = text_at(pod, {"metadata", "uid"});
  Key key{std::string(kWorkloads), text_at(pod, {"metadata", "namespace"}), suffixed("pod-" + name, uid)};
  Json one = head("Workload", version, key);
  put_at(one, {"metadata", "labels", "kueue.x-k8s.io/job-uid"}, text(uid));
  put_at(one, {"metadata", "ownerReferences"}, owner_of("v1", "Pod", name, uid));
  put(one, "spec", spec_of_work(pod, list_of({pod_set("main", 1, spec_of(pod))})));
  return {std::move(key), std::move(one)};
}

std::pair<Key, Json> workload_of_job(const Json& job, std::string_view version) {
  const std::string name = text_at(job, {"metadata", "name"}), uid = text_at(job, {"metadata", "uid"});
  Key key{std::string(kWorkloads), text_at(job, {"metadata", "namespace"}), suffixed("job-" + name, uid)};
  Json one = head("Workload", version, key);
  put_at(one, {"metadata", "labels", "kueue.x-k8s.io/job-uid"}, text(uid));
  put_at(one, {"metadata", "ownerReferences"}, owner_of("batch/v1", "Job", name, uid));
  const Json* made_from = at(job, {"spec", "template"});
  const Json pod = made_from ? *made_from : Json::map();
  Json sets = list_of({pod_set("main", number_at(job, {"spec", "parallelism"}, 1), spec_of(pod))});
  Json spec = spec_of_work(pod, std::move(sets));
  put(spec, "queueName", text(text_at(job, {"metadata", "labels", "kueue.x-k8s.io/queue-name"})));
  put(one, "spec", std::move(spec));
  return {std::move(key), std::move(one)};
}

std::pair<Key, Json> workload_of_group(const std::string& name, const std::vector<ObjectPtr>& pods,
                                       std::string_view version) {
  Key key{std::string(kWorkloads), text_at(*pods.front(), {"metadata", "namespace"}), name};
  Json one = head("Workload", version, key);
  put_at(one, {"metadata", "annotations", "kueue.x-k8s.io/is-group-workload"}, text("true"));
  Json owners = Json::list();
  std::vector<std::pair<Json, std::int64_t>> roles;  // what its containers are, and how many pods are so
  for (const ObjectPtr& pod : pods) {
    owners.items.push_back(object({{"apiVersion", text("v1")},
                                   {"kind", text("Pod")},
                                   {"name", text(text_at(*pod, {"metadata", "name"}))},
                                   {"uid", text(text_at(*pod, {"metadata", "uid"}))}}));
    const Json spec = spec_of(*pod);
    const auto like =
        std::find_if(roles.begin(), roles.end(), [&](const auto& role) { return role.first == spec; });
    if (like == roles.end())
      roles.emplace_back(spec, 1);
    else
      ++like->second;
  }
  put_at(one, {"metadata", "ownerReferences"}, std::move(owners));
  Json sets = Json::list();
  for (auto& [spec, count] : roles)
    sets.items.push_back(pod_set(fmt::format("role-{}", sets.items.size() + 1), count, std::move(spec)));
  put(one, "spec", spec_of_work(*pods.front(), std::move(sets)));
  return {std::move(key), std::move(one)};
}

const Json* condition_of(const Json& object, std::string_view type) {
  const Json* all = at(object, {"status", "conditions"});
  if (!all || all->kind != Json::Kind::list) return nullptr;
  for (const Json& one : all->items)
    if (view_at(one, {"type"}) == type) return &one;
  return nullptr;
}

bool holds(const Json& object, std::string_view type) {
  const Json* one = condition_of(object, type);
  return one && view_at(*one, {"status"}) == "True";
}

void set_condition(Json& whole, std::string_view type, bool is, std::string_view reason,
                   std::string_view message, TimePoint now) {
  const Json* before = condition_of(whole, type);
  const std::string_view status = is ? "True" : "False";
  const bool same = before && view_at(*before, {"status"}) == status;
  Json one =
      object({{"lastTransitionTime", text(same ? text_at(*before, {"lastTransitionTime"}) : utc_text(now))},
              {"message", text(clean(message, 1024))},
              {"observedGeneration", number(1)},
              {"reason", text(std::string(reason))},
              {"status", text(std::string(status))},
              {"type", text(std::string(type))}});
  Json& all = child(whole, "status");
  if (!member(all, "conditions") || member(all, "conditions")->kind != Json::Kind::list)
    put(all, "conditions", Json::list());
  std::vector<Json>& items = member(all, "conditions")->items;
  for (Json& there : items)
    if (view_at(there, {"type"}) == type) {
      there = std::move(one);
      return;
    }
  items.push_back(std::move(one));
}

}  // namespace tessera::sim::kube
