#include "backends/sim/kueue/kueue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "backends/sim/kueue/objects.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kGate = "kueue.x-k8s.io/admission";
constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kGroupLabel = "kueue.x-k8s.io/pod-group-name";
constexpr std::string_view kGroupCount = "kueue.x-k8s.io/pod-group-total-count";  // an annotation
constexpr std::string_view kOfWorkload = "kueue.x-k8s.io/workload";               // an annotation of pods
constexpr std::string_view kSource = "kueue-admission";
constexpr Duration kUntilLook{1000};
constexpr int kMostLooks = 20;            // before it stands as one that has been running for long
constexpr std::int64_t kMostPods = 1000;  // that are made for one Workload

Key key_of(std::string_view resource, const Json& object) {
  return {std::string(resource), text_at(object, {"metadata", "namespace"}),
          text_at(object, {"metadata", "name"})};
}

// The pods that it stands for, of one of its own or of a group; empty: it is of something that makes pods.
std::vector<std::string> pods_behind(const Json& workload) {
  std::vector<std::string> names;
  if (const Json* owners = at(workload, {"metadata", "ownerReferences"}))
    for (const Json& one : owners->items)
      if (view_at(one, {"kind"}) == "Pod") names.push_back(text_at(one, {"name"}));
  return names;
}
std::string owner_name(const Json& workload) {
  const Json* owners = at(workload, {"metadata", "ownerReferences"});
  return owners && !owners->items.empty() ? text_at(owners->items.front(), {"name"})
                                          : text_at(workload, {"metadata", "name"});
}

bool is_gated(const Json& pod) {
  const Json* gates = at(pod, {"spec", "schedulingGates"});
  return gates && std::any_of(gates->items.begin(), gates->items.end(),
                              [](const Json& one) { return view_at(one, {"name"}) == kGate; });
}

bool is_active(const Json& workload) {
  const Json* active = at(workload, {"spec", "active"});
  return !active || active->kind != Json::Kind::boolean || active->boolean;
}

std::string_view stop_policy(const Json& queue) {
  const std::string_view told = view_at(queue, {"spec", "stopPolicy"});
  return told.empty() ? "None" : told;
}

std::string missing_flavors(const ObjectStore& objects, const Json& queue) {
  std::string missing;
  if (const Json* groups = at(queue, {"spec", "resourceGroups"}))
    for (const Json& group : groups->items)
      if (const Json* flavors = at(group, {"flavors"}))
        for (const Json& flavor : flavors->items)
          if (const std::string name = text_at(flavor, {"name"});
              !objects.find({std::string(kFlavors), "", name}))
            missing += (missing.empty() ? "" : ",") + name;
  return missing;
}

std::vector<std::string> checks_of(const Json& cluster_queue) {
  std::vector<std::string> names;
  if (const Json* all = at(cluster_queue, {"spec", "admissionChecksStrategy", "admissionChecks"}))
    for (const Json& one : all->items) names.push_back(text_at(one, {"name"}));
  return names;
}

std::string missing_checks(const ObjectStore& objects, const Json& cluster_queue) {
  std::string missing;
  for (const std::string& name : checks_of(cluster_queue))
    if (!objects.find({std::string(kAdmissionChecks), "", name}))
      missing += (missing.empty() ? "" : ",") + name;
  return missing;
}

bool is_open(const ObjectStore& objects, const Json& cluster_queue) {
  return stop_policy(cluster_queue) == "None" && missing_flavors(objects, cluster_queue).empty() &&
         missing_checks(objects, cluster_queue).empty();
}

// Where a Workload is to be admitted, or why nowhere.
struct Place {
  ObjectPtr queue;
  std::string name;
  std::string why;
};
Place place_of(const ObjectStore& objects, const Json& workload) {
  Place place;
  const std::string local = text_at(workload, {"spec", "queueName"});
  const ObjectPtr queue =
      objects.find({std::string(kLocalQueues), text_at(workload, {"metadata", "namespace"}), local});
  if (!queue) {
    place.why = fmt::format("LocalQueue {} doesn't exist", local);
    return place;
  }
  place.name = text_at(*queue, {"spec", "clusterQueue"});
  place.queue = objects.find({std::string(kClusterQueues), "", place.name});
  if (stop_policy(*queue) != "None")
    place.why = fmt::format("LocalQueue {} is inactive", local);
  else if (!place.queue)
    place.why = fmt::format("ClusterQueue {} doesn't exist", place.name);
  else if (!is_open(objects, *place.queue))
    place.why = fmt::format("ClusterQueue {} is inactive", place.name);
  return place;
}

void let_go(Json& workload, std::string_view reason, const std::string& message, TimePoint now) {
  set_condition(workload, "QuotaReserved", false, reason, message, now);
  drop(child(workload, "status"), "admission");
  drop(child(workload, "status"), "admissionChecks");
  if (holds(workload, "Admitted"))
    set_condition(workload, "Admitted", false, "NoReservation", "The workload has no reservation", now);
}

// What was true of it is past once it has quota again.
void make_past(Json& workload, std::string_view type, TimePoint now) {
  if (!holds(workload, type)) return;
  const std::string before = text_at(*condition_of(workload, type), {"message"});
  set_condition(workload, type, false, "QuotaReserved", "Previously: " + before, now);
}

}  // namespace

Kueue::Kueue(Cluster& cluster, const KueuePlan& plan)
    : cluster_(cluster), objects_(cluster.objects()), version_(plan.version) {
  add_kueue_kinds(cluster_.more_kinds(), version_);
  cluster_.gate_pods([](const Json& pod) {
    return view_at(pod, {"metadata", "labels", kQueueLabel}).empty() ? std::string() : std::string(kGate);
  });
  // One turn for all of them: a state file is written once.
  (void)cluster_.act([&](World&, Changes&) { begin(plan); });
  watch_ = objects_.watch("", [this](const Change& change) { see(change); });
}

// Work was handed in one after the other, and what came first may have had its quota before.
void Kueue::begin(const KueuePlan& plan) {
  for (auto& [key, one] : kueue_objects(plan, now())) {
    const bool work = key.resource == kWorkloads;
    if (!objects_.find(key)) objects_.create(key, std::move(one));
    for (int i = 0; work && i < kMostLooks && look_once(); ++i) continue;
  }
  show_queues();
}

Kueue::~Kueue() { objects_.unwatch(watch_); }

void Kueue::see(const Change& change) {
  const bool ours = change.key.resource.ends_with(".kueue.x-k8s.io");
  const bool pods = change.key.resource == "pods" && change.verb != Verb::modified;
  if (!busy_ && (ours || pods || change.key.resource == kJobs)) look_soon();
}

void Kueue::look_soon() {
  if (std::exchange(looks_, true)) return;
  cluster_.agenda().at(now() + kUntilLook, [this] { look(); });
}

void Kueue::look() {
  looks_ = false;
  if (look_once()) look_soon();  // what was freed is had by the next
}

// Whether anything was admitted or evicted.
bool Kueue::look_once() {
  busy_ = true;
  take_in_pods();
  take_in_jobs();
  drop_ownerless();
  const bool moved = admit_what_fits();
  show_queues();
  show_jobs();
  busy_ = false;
  return moved;
}

void Kueue::take_in_pods() {
  std::map<std::pair<std::string, std::string>, std::vector<ObjectPtr>> groups;  // by namespace and name
  const auto take_in = [this](std::pair<Key, Json> one) {
    if (!objects_.find(one.first)) objects_.create(one.first, std::move(one.second));
  };
  for (const ObjectPtr& pod : objects_.all("pods")) {
    if (!is_gated(*pod)) continue;
    const std::string group = text_at(*pod, {"metadata", "labels", kGroupLabel});
    if (group.empty())
      take_in(workload_of_pod(*pod, version_));
    else
      groups[{text_at(*pod, {"metadata", "namespace"}), group}].push_back(pod);
  }
  // A group is looked at once all of its pods are there.
  for (const auto& [place, pods] : groups) {
    const std::string told = text_at(*pods.front(), {"metadata", "annotations", kGroupCount});
    const auto count = whole_number<std::size_t>(told);
    if (count && *count > 0 && pods.size() >= *count)
      take_in(workload_of_group(place.second, pods, version_));
  }
}

// A Workload goes with its Job, and with it its pods.
void Kueue::take_in_jobs() {
  for (const ObjectPtr& job : objects_.all(kJobs)) {
    if (text_at(*job, {"metadata", "labels", kQueueLabel}).empty()) continue;
    auto [key, workload] = workload_of_job(*job, version_);
    of_jobs_.insert_or_assign(key_of(kJobs, *job), key);
    if (!objects_.find(key)) objects_.create(key, std::move(workload));
  }
  std::erase_if(of_jobs_, [&](const auto& one) {
    const bool gone = !objects_.find(one.first);
    if (gone && objects_.find(one.second)) objects_.erase(one.second);
    return gone;
  });
}

// A Job runs while its Workload is admitted, and is suspended else.
void Kueue::show_jobs() {
  for (const auto& [job, key] : of_jobs_) {
    const ObjectPtr workload = objects_.find(key);
    const bool runs = workload && holds(*workload, "Admitted");
    objects_.edit(job, [&](Json& one) {
      put_at(one, {"spec", "suspend"}, flag(!runs));
      put_at(one, {"status", "active"}, number(runs ? number_at(one, {"spec", "parallelism"}, 1) : 0));
      if (!runs)
        drop(child(one, "status"), "startTime");
      else if (!at(one, {"status", "startTime"}))
        put_at(one, {"status", "startTime"}, text(utc_text(now())));
    });
  }
}

// As the garbage collector does; pods of a Workload that is gone go with it.
void Kueue::drop_ownerless() {
  for (const ObjectPtr& workload : objects_.all(kWorkloads))
    if (const std::vector<std::string> pods = pods_behind(*workload);
        !pods.empty() && std::none_of(pods.begin(), pods.end(), [&](const std::string& pod) {
          return objects_.find({"pods", text_at(*workload, {"metadata", "namespace"}), pod}) != nullptr;
        }))
      objects_.erase(key_of(kWorkloads, *workload));
  for (const ObjectPtr& pod : objects_.all("pods"))
    if (const std::string of = text_at(*pod, {"metadata", "annotations", kOfWorkload});
        !of.empty() &&
        !objects_.find({std::string(kWorkloads), text_at(*pod, {"metadata", "namespace"}), of}))
      (void)cluster_.delete_pod(key_of("pods", *pod), Duration(0));
}

bool Kueue::admit_what_fits() {
  std::vector<ObjectPtr> waiting;
  bool moved = false;
  for (const ObjectPtr& one : objects_.all(kWorkloads)) {
    const Key key = key_of(kWorkloads, *one);
    if (holds(*one, "Finished")) continue;
    if (!is_active(*one)) {
      if (!holds(*one, "Evicted")) evict(key, "Deactivated", "The workload is deactivated"), moved = true;
    } else if (!holds(*one, "Admitted")) {
      waiting.push_back(one);
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    const auto rank = [](const Json& one) {
      return std::pair(-number_at(one, {"spec", "priority"}),
                       text_at(one, {"metadata", "creationTimestamp"}));
    };
    return rank(*a) < rank(*b);
  });
  for (const ObjectPtr& one : waiting) {
    const Key key = key_of(kWorkloads, *one);
    if (holds(*one, "QuotaReserved")) {
      moved = pass_checks(key) || moved;
      continue;
    }
    const Place place = place_of(objects_, *one);
    if (!place.why.empty())
      (void)hold_back(key, "Inadmissible", place.why);
    else
      moved = admit(key, *place.queue, place.name) || moved;
  }
  return moved;
}

// Whether anything was admitted or evicted.
bool Kueue::admit(const Key& key, const Json& queue, const std::string& queue_name) {
  const ObjectPtr workload = objects_.find(key);
  if (!workload) return false;  // it went with the pod that was ended for another one
  const std::vector<PodSetAsk> asks = asks_of(*workload);
  const std::optional<Cohort> cohort = cohort_around(queue);
  const Fit found = fit(queue, used(queue_name), asks, cohort ? &*cohort : nullptr);
  if (!found.why.empty()) {
    const bool evicts = found.when_empty &&
                        view_at(queue, {"spec", "preemption", "withinClusterQueue"}) == "LowerPriority" &&
                        preempt_for(key, queue, queue_name);
    (void)hold_back(key, "Pending", found.why + (evicts ? ". Pending the preemption of workloads" : ""));
    return evicts;
  }
  objects_.edit(key, [&](Json& one) {
    put_at(one, {"status", "admission"}, admission_of(queue_name, asks, found));
    set_condition(one, "QuotaReserved", true, "QuotaReserved",
                  fmt::format("Quota reserved in ClusterQueue {}", queue_name), now());
    make_past(one, "Evicted", now());
    make_past(one, "Preempted", now());
    Json checks = Json::list();
    for (const std::string& name : checks_of(queue))
      checks.items.push_back(object({{"name", text(name)},
                                     {"state", text("Pending")},
                                     {"message", text("")},
                                     {"lastTransitionTime", text(utc_text(now()))}}));
    if (checks.items.empty()) return;
    put_at(one, {"status", "admissionChecks"}, std::move(checks));
    set_condition(one, "Admitted", false, "UnsatisfiedChecks", "The workload has not all checks ready",
                  now());
  });
  if (checks_of(queue).empty()) begin_work(key);
  return true;
}

void Kueue::begin_work(const Key& key) {
  objects_.edit(key, [&](Json& one) {
    set_condition(one, "Admitted", true, "Admitted", "The workload is admitted", now());
  });
  const ObjectPtr workload = objects_.find(key);
  cluster_.record_event(
      key, "Workload", "Normal", "Admitted",
      fmt::format("Admitted by ClusterQueue {}", text_at(*workload, {"status", "admission", "clusterQueue"})),
      kSource);
  start_pods(*workload);
}

// Whether anything follows from its checks: one that is refused deactivates it, one that is to be tried again
// gives its quota back.
bool Kueue::pass_checks(const Key& key) {
  const ObjectPtr workload = objects_.find(key);
  const Json* checks = workload ? at(*workload, {"status", "admissionChecks"}) : nullptr;
  if (!checks) return false;
  const auto any = [&](std::string_view state) {
    return std::any_of(checks->items.begin(), checks->items.end(),
                       [&](const Json& one) { return view_at(one, {"state"}) == state; });
  };
  if (any("Rejected")) {
    objects_.edit(key, [](Json& one) { put_at(one, {"spec", "active"}, flag(false)); });
    return true;
  }
  if (any("Retry")) {
    evict(key, "AdmissionCheck", "At least one admission check is false");
    return true;
  }
  const bool ready = std::all_of(checks->items.begin(), checks->items.end(),
                                 [](const Json& one) { return view_at(one, {"state"}) == "Ready"; });
  if (ready) begin_work(key);
  return ready;
}

// Ends those of lower priority, the lowest first and of these the newest, until it fits.
bool Kueue::preempt_for(const Key& key, const Json& queue, const std::string& queue_name) {
  const ObjectPtr workload = objects_.find(key);
  const std::int64_t priority = number_at(*workload, {"spec", "priority"});
  std::vector<ObjectPtr> lower;
  for (const ObjectPtr& one : objects_.all(kWorkloads))
    if (view_at(*one, {"status", "admission", "clusterQueue"}) == queue_name &&
        number_at(*one, {"spec", "priority"}) < priority)
      lower.push_back(one);
  std::stable_sort(lower.begin(), lower.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    const std::int64_t x = number_at(*a, {"spec", "priority"}), y = number_at(*b, {"spec", "priority"});
    if (x != y) return x < y;
    return view_at(*a, {"metadata", "creationTimestamp"}) > view_at(*b, {"metadata", "creationTimestamp"});
  });
  Usage left = used(queue_name);
  std::optional<Cohort> cohort = cohort_around(queue);
  const auto fits = [&](const std::vector<PodSetAsk>& wanted) {
    return fit(queue, left, wanted, cohort ? &*cohort : nullptr).why.empty();
  };
  const std::vector<PodSetAsk> asks = asks_of(*workload);
  std::size_t count = 0;
  while (count < lower.size() && !fits(asks)) {
    const Usage given_back = usage_of(*lower[count++]);
    subtract(left, given_back);
    if (cohort) subtract(cohort->used, given_back);
  }
  if (!fits(asks)) return false;
  const std::string message = fmt::format(
      "Preempted to accommodate a workload (UID: {}, JobUID: {}) due to prioritization in the ClusterQueue; "
      "preemptor path: /{}; preemptee path: /{}",
      text_at(*workload, {"metadata", "uid"}),
      text_at(*workload, {"metadata", "labels", "kueue.x-k8s.io/job-uid"}), queue_name, queue_name);
  for (std::size_t i = 0; i < count; ++i) {
    const Key victim = key_of(kWorkloads, *lower[i]);
    objects_.edit(
        victim, [&](Json& one) { set_condition(one, "Preempted", true, "InClusterQueue", message, now()); });
    evict(victim, "Preempted", message);
    objects_.edit(victim,
                  [&](Json& one) { set_condition(one, "Requeued", true, "Preempted", message, now()); });
  }
  return count > 0;
}

// Whether that is news: an event tells it once.
bool Kueue::hold_back(const Key& key, std::string_view reason, const std::string& message) {
  const bool news = objects_.edit(key, [&](Json& one) { let_go(one, reason, message, now()); });
  if (news) cluster_.record_event(key, "Workload", "Warning", "Pending", message, kSource);
  return news;
}

void Kueue::evict(const Key& key, std::string_view reason, const std::string& message) {
  const ObjectPtr before = objects_.find(key);
  if (!before) return;
  objects_.edit(key, [&](Json& one) {
    set_condition(one, "Evicted", true, reason, message, now());
    let_go(one, "Pending", message, now());
  });
  cluster_.record_event(key, "Workload", "Normal", fmt::format("EvictedDueTo{}", reason), message, kSource);
  end_pods(*before);
}

void Kueue::start_pods(const Json& workload) {
  const std::string ns = text_at(workload, {"metadata", "namespace"}), owner = owner_name(workload);
  const std::vector<std::string> behind = pods_behind(workload);
  for (const std::string& pod : behind) (void)cluster_.open_gate({"pods", ns, pod}, kGate);
  if (!behind.empty()) return;
  const Json* sets = at(workload, {"spec", "podSets"});
  if (!sets) return;
  for (const Json& set : sets->items)
    for (std::int64_t i = 0; i < std::min(number_at(set, {"count"}, 1), kMostPods); ++i) {
      const Key key{"pods", ns, fmt::format("{}-{}-{}", owner, text_at(set, {"name"}), i)};
      const Json *spec = at(set, {"template", "spec"}),
                 *owners = at(workload, {"metadata", "ownerReferences"});
      Json pod = object({{"kind", text("Pod")},
                         {"apiVersion", text("v1")},
                         {"metadata", object({{"name", text(key.name)}, {"namespace", text(ns)}})},
                         {"spec", spec ? *spec : Json::map()}});
      if (owners) put_at(pod, {"metadata", "ownerReferences"}, *owners);
      put_at(pod, {"metadata", "annotations", kOfWorkload}, text(text_at(workload, {"metadata", "name"})));
      (void)cluster_.create_pod(key, std::move(pod));
    }
}

void Kueue::end_pods(const Json& workload) {
  const std::string ns = text_at(workload, {"metadata", "namespace"});
  const std::string name = text_at(workload, {"metadata", "name"});
  const std::vector<std::string> behind = pods_behind(workload);
  for (const std::string& one : behind) {
    // A pod that waits behind its gate has not begun.
    const Key key{"pods", ns, one};
    if (const ObjectPtr pod = objects_.find(key); pod && !is_gated(*pod))
      (void)cluster_.delete_pod(key, Duration(0));
  }
  if (!behind.empty()) return;
  for (const ObjectPtr& pod : objects_.all("pods", ns))
    if (view_at(*pod, {"metadata", "annotations", kOfWorkload}) == name)
      (void)cluster_.delete_pod(key_of("pods", *pod), Duration(0));
}

Usage Kueue::used(const std::string& cluster_queue) const {
  Usage sum;
  for (const ObjectPtr& one : objects_.all(kWorkloads))
    if (view_at(*one, {"status", "admission", "clusterQueue"}) == cluster_queue && !holds(*one, "Finished"))
      add(sum, usage_of(*one));
  return sum;
}

// nullopt: the queue is in none.
std::optional<Cohort> Kueue::cohort_around(const Json& cluster_queue) const {
  const std::string name = cohort_of(cluster_queue);
  if (name.empty()) return std::nullopt;
  Cohort cohort;
  for (const ObjectPtr& queue : objects_.all(kClusterQueues)) {
    if (cohort_of(*queue) != name) continue;
    add(cohort.quota, quota_of(*queue));
    add(cohort.used, used(text_at(*queue, {"metadata", "name"})));
  }
  return cohort;
}

// What queues say of themselves: whether they are active, and how many wait.
void Kueue::show_queues() {
  struct Counts {
    std::int64_t waiting = 0, reserving = 0, admitted = 0;
  };
  std::map<std::string, Counts> local, cluster;
  for (const ObjectPtr& one : objects_.all(kWorkloads)) {
    const std::string at_local =
        text_at(*one, {"metadata", "namespace"}) + "/" + text_at(*one, {"spec", "queueName"});
    const bool admitted = holds(*one, "Admitted");
    if (holds(*one, "Finished") || (!admitted && !is_active(*one))) continue;
    const bool reserves = admitted || holds(*one, "QuotaReserved");
    for (Counts* counts : {&local[at_local], &cluster[place_of(objects_, *one).name]}) {
      ++(reserves ? counts->reserving : counts->waiting);
      counts->admitted += admitted;
    }
  }
  const auto show = [this](const Key& key, const Counts& counts, bool active, std::string_view reason,
                           const std::string& message) {
    objects_.edit(key, [&](Json& one) {
      put_at(one, {"status", "pendingWorkloads"}, number(counts.waiting));
      put_at(one, {"status", "reservingWorkloads"}, number(counts.reserving));
      put_at(one, {"status", "admittedWorkloads"}, number(counts.admitted));
      set_condition(one, "Active", active, reason, message, now());
    });
  };
  for (const ObjectPtr& queue : objects_.all(kClusterQueues)) {
    const Key key = key_of(kClusterQueues, *queue);
    objects_.edit(key, [&](Json& one) {
      put_at(one, {"status", "flavorsReservation"}, reservation_of(one, used(key.name)));
    });
    const std::string missing = missing_flavors(objects_, *queue);
    if (stop_policy(*queue) != "None")
      show(key, cluster[key.name], false, "Stopped", "Can't admit new workloads: is stopped.");
    else if (!missing.empty())
      show(key, cluster[key.name], false, "FlavorNotFound",
           fmt::format("Can't admit new workloads: references missing ResourceFlavor(s): {}.", missing));
    else if (const std::string checks = missing_checks(objects_, *queue); !checks.empty())
      show(key, cluster[key.name], false, "AdmissionCheckNotFound",
           fmt::format("Can't admit new workloads: references missing AdmissionCheck(s): {}.", checks));
    else
      show(key, cluster[key.name], true, "Ready", "Can admit new workloads");
  }
  for (const ObjectPtr& queue : objects_.all(kLocalQueues)) {
    const Key key = key_of(kLocalQueues, *queue);
    const auto counts = local[key.ns + "/" + key.name];
    const ObjectPtr behind =
        objects_.find({std::string(kClusterQueues), "", text_at(*queue, {"spec", "clusterQueue"})});
    if (stop_policy(*queue) != "None")
      show(key, counts, false, "Stopped", "LocalQueue is stopped");
    else if (!behind)
      show(key, counts, false, "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue");
    else if (!is_open(objects_, *behind))
      show(key, counts, false, "ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue");
    else
      show(key, counts, true, "Ready", "Can submit new workloads to localQueue");
  }
}

std::unique_ptr<Kueue> install_kueue(Cluster& cluster) {
  const World& world = cluster.world();
  const std::optional<KueuePlan> plan = kueue_of(*world.scenario, world.spec().name);
  return plan ? std::make_unique<Kueue>(cluster, *plan) : nullptr;
}

}  // namespace tessera::sim::kube
