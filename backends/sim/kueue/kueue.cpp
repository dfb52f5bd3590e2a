#include "backends/sim/kueue/kueue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "backends/sim/kueue/objects.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kGate = "kueue.x-k8s.io/admission";
constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kOfWorkload = "kueue.x-k8s.io/workload";  // an annotation of pods
constexpr std::string_view kSource = "kueue-admission";
constexpr Duration kUntilLook{1000};
constexpr int kMostLooks = 20;            // before it stands as one that has been running for long
constexpr std::int64_t kMostPods = 1000;  // that are made for one Workload

Key key_of(std::string_view resource, const Json& object) {
  return {std::string(resource), text_at(object, {"metadata", "namespace"}),
          text_at(object, {"metadata", "name"})};
}

bool is_of_pod(const Json& workload) {
  const Json* owners = at(workload, {"metadata", "ownerReferences"});
  return owners && std::any_of(owners->items.begin(), owners->items.end(),
                               [](const Json& one) { return view_at(one, {"kind"}) == "Pod"; });
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

bool is_open(const ObjectStore& objects, const Json& cluster_queue) {
  return stop_policy(cluster_queue) == "None" && missing_flavors(objects, cluster_queue).empty();
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
  if (!busy_ && (ours || pods)) look_soon();
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
  drop_ownerless();
  const bool moved = admit_what_fits();
  show_queues();
  busy_ = false;
  return moved;
}

void Kueue::take_in_pods() {
  for (const ObjectPtr& pod : objects_.all("pods"))
    if (is_gated(*pod)) {
      auto [key, workload] = workload_of_pod(*pod, version_);
      if (!objects_.find(key)) objects_.create(key, std::move(workload));
    }
}

// As the garbage collector does; pods of a Workload that is gone go with it.
void Kueue::drop_ownerless() {
  for (const ObjectPtr& workload : objects_.all(kWorkloads))
    if (is_of_pod(*workload) &&
        !objects_.find({"pods", text_at(*workload, {"metadata", "namespace"}), owner_name(*workload)}))
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
  const Fit found = fit(queue, used(queue_name), asks);
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
    set_condition(one, "Admitted", true, "Admitted", "The workload is admitted", now());
  });
  cluster_.record_event(key, "Workload", "Normal", "Admitted",
                        fmt::format("Admitted by ClusterQueue {}", queue_name), kSource);
  start_pods(*objects_.find(key));
  return true;
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
  const std::vector<PodSetAsk> asks = asks_of(*workload);
  std::size_t count = 0;
  while (count < lower.size() && !fit(queue, left, asks).why.empty())
    subtract(left, usage_of(*lower[count++]));
  if (!fit(queue, left, asks).why.empty()) return false;
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
  if (is_of_pod(workload)) return (void)cluster_.open_gate({"pods", ns, owner});
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
  if (is_of_pod(workload)) {
    // A pod that waits behind its gate has not begun.
    const Key key{"pods", ns, owner_name(workload)};
    if (const ObjectPtr pod = objects_.find(key); pod && !is_gated(*pod))
      (void)cluster_.delete_pod(key, Duration(0));
    return;
  }
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

// What queues say of themselves: whether they are active, and how many wait.
void Kueue::show_queues() {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> local, cluster;  // waiting, admitted
  for (const ObjectPtr& one : objects_.all(kWorkloads)) {
    const std::string at_local =
        text_at(*one, {"metadata", "namespace"}) + "/" + text_at(*one, {"spec", "queueName"});
    const bool admitted = holds(*one, "Admitted");
    if (holds(*one, "Finished") || (!admitted && !is_active(*one))) continue;
    for (auto* counts : {&local[at_local], &cluster[place_of(objects_, *one).name]})
      ++(admitted ? counts->second : counts->first);
  }
  const auto show = [this](const Key& key, std::pair<std::int64_t, std::int64_t> counts, bool active,
                           std::string_view reason, const std::string& message) {
    objects_.edit(key, [&](Json& one) {
      put_at(one, {"status", "pendingWorkloads"}, number(counts.first));
      put_at(one, {"status", "reservingWorkloads"}, number(counts.second));
      put_at(one, {"status", "admittedWorkloads"}, number(counts.second));
      set_condition(one, "Active", active, reason, message, now());
    });
  };
  for (const ObjectPtr& queue : objects_.all(kClusterQueues)) {
    const Key key = key_of(kClusterQueues, *queue);
    const std::string missing = missing_flavors(objects_, *queue);
    if (stop_policy(*queue) != "None")
      show(key, cluster[key.name], false, "Stopped", "Can't admit new workloads: is stopped.");
    else if (!missing.empty())
      show(key, cluster[key.name], false, "FlavorNotFound",
           fmt::format("Can't admit new workloads: references missing ResourceFlavor(s): {}.", missing));
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
