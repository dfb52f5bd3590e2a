// The DaemonSet controller and the kubelets that start its pods.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/kube/cluster.hpp"
#include "backends/sim/random.hpp"

namespace tessera::sim::kube {
namespace {

constexpr Duration kSync{1000};   // between a change and the controller's answer
constexpr Duration kStart{3000};  // until a container is ready

std::string suffix(std::uint64_t seed, std::uint64_t count) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t drawn = draw(seed, 101, count);
  std::string text;
  for (int i = 0; i < 5; ++i, drawn /= kLetters.size()) text += kLetters[drawn % kLetters.size()];
  return text;
}

bool selects(const Json& set, const Json& node) {
  const Json* wanted = at(set, {"spec", "template", "spec", "nodeSelector"});
  const Json* labels = at(node, {"metadata", "labels"});
  if (!wanted) return true;
  return std::all_of(wanted->fields.begin(), wanted->fields.end(), [&](const auto& field) {
    const Json* there = labels ? labels->find(field.first) : nullptr;
    return there && *there == field.second;
  });
}

std::string revision_of(const Json& set) {
  const Json* pods = at(set, {"spec", "template"});
  return fmt::format("{:010x}", hash_text(pods ? to_line(*pods) : "") & 0xFFFFFFFFFF);
}

bool is_ready(const Json& node) {
  if (const Json* conditions = at(node, {"status", "conditions"}))
    for (const Json& one : conditions->items)
      if (view_at(one, {"type"}) == "Ready") return view_at(one, {"status"}) == "True";
  return false;
}

std::string_view owner_of(const Json& pod) {
  const Json* owners = at(pod, {"metadata", "ownerReferences"});
  return owners && !owners->items.empty() ? view_at(owners->items.front(), {"uid"}) : std::string_view();
}

Json pod_condition(const char* type, bool holds, const std::string& since) {
  return object({{"type", text(type)},
                 {"status", text(holds ? "True" : "False")},
                 {"lastProbeTime", Json()},
                 {"lastTransitionTime", text(since)}});
}

void set_phase(Json& pod, bool ready, const std::string& now) {
  Json conditions =
      list_of({pod_condition("Initialized", true, now), pod_condition("Ready", ready, now),
               pod_condition("ContainersReady", ready, now), pod_condition("PodScheduled", true, now)});
  Json statuses = Json::list();
  for (const Json& container : at(pod, {"spec", "containers"})->items) {
    Json state = ready ? object({{"running", object({{"startedAt", text(now)}})}})
                       : object({{"waiting", object({{"reason", text("ContainerCreating")}})}});
    statuses.items.push_back(object({{"name", text(text_at(container, {"name"}))},
                                     {"state", std::move(state)},
                                     {"lastState", Json::map()},
                                     {"ready", flag(ready)},
                                     {"restartCount", number(0)},
                                     {"image", text(text_at(container, {"image"}))},
                                     {"imageID", text("")},
                                     {"started", flag(ready)}}));
  }
  put(pod, "status",
      object({{"phase", text(ready ? "Running" : "Pending")},
              {"conditions", std::move(conditions)},
              {"startTime", text(now)},
              {"containerStatuses", std::move(statuses)},
              {"qosClass", text("BestEffort")}}));
}

}  // namespace

DaemonController::DaemonController(Cluster& cluster) : cluster_(cluster) {
  sync();
  first_ = false;
  for (const char* resource : {"nodes", "daemonsets.apps", "pods"})
    cluster_.objects().watch(resource, [this](const Change& change) {
      // Of pods only those of DaemonSets matter; of nodes every change of labels.
      if (change.key.resource != "pods" || !owner_of(*change.object).empty()) plan_sync();
    });
}

void DaemonController::plan_sync() {
  if (planned_) return;
  planned_ = true;
  cluster_.agenda().at(cluster_.world().now + kSync, [this] {
    planned_ = false;
    sync();
  });
}

void DaemonController::sync() {
  std::vector<ObjectPtr> nodes = cluster_.objects().all("nodes");
  for (const ObjectPtr& set : cluster_.objects().all("daemonsets.apps")) sync_set(*set, nodes);
}

void DaemonController::sync_set(const Json& set, const std::vector<ObjectPtr>& nodes) {
  std::string ns = text_at(set, {"metadata", "namespace"}), name = text_at(set, {"metadata", "name"});
  std::string uid = text_at(set, {"metadata", "uid"});
  std::map<std::string, std::vector<ObjectPtr>, std::less<>> by_node;
  for (ObjectPtr& pod : cluster_.objects().all("pods", ns))
    if (owner_of(*pod) == uid) by_node[text_at(*pod, {"spec", "nodeName"})].push_back(std::move(pod));
  std::int64_t wanted = 0, there = 0, ready = 0, busy = 0;
  const std::string revision = revision_of(set);
  std::optional<std::string> outdated;
  for (const ObjectPtr& node : nodes) {
    std::string node_name = text_at(*node, {"metadata", "name"});
    bool here = selects(set, *node);
    wanted += here;
    std::vector<ObjectPtr> pods = std::move(by_node[node_name]);
    by_node.erase(node_name);
    if (here && pods.empty()) {
      start_pod(set, node_name, first_);
      busy += !first_;
    }
    for (const ObjectPtr& pod : pods) {
      bool ends = at(*pod, {"metadata", "deletionTimestamp"}) != nullptr;
      bool runs = view_at(*pod, {"status", "phase"}) == "Running";
      busy += ends || !runs;
      if (here && !ends) {
        ++there;
        ready += runs && is_ready(*node);
        if (view_at(*pod, {"metadata", "labels", "controller-revision-hash"}) != revision)
          outdated = text_at(*pod, {"metadata", "name"});
      } else if (!ends) {
        cluster_.delete_pod({"pods", ns, text_at(*pod, {"metadata", "name"})}, std::nullopt);
      }
    }
    if (here && pods.empty() && first_) ++there, ready += is_ready(*node);
  }
  for (const auto& [gone, pods] : by_node)  // of nodes that are no longer there
    for (const ObjectPtr& pod : pods)
      cluster_.objects().erase({"pods", ns, text_at(*pod, {"metadata", "name"})});
  // A template that was changed is rolled out one pod after the other.
  if (outdated && busy == 0) cluster_.delete_pod({"pods", ns, *outdated}, std::nullopt);
  cluster_.objects().edit({"daemonsets.apps", ns, name}, [&](Json& one) {
    put(one, "status",
        object({{"currentNumberScheduled", number(there)},
                {"numberMisscheduled", number(0)},
                {"desiredNumberScheduled", number(wanted)},
                {"numberReady", number(ready)},
                {"observedGeneration", number(1)},
                {"updatedNumberScheduled", number(there)},
                {"numberAvailable", number(ready)},
                {"numberUnavailable", number(wanted - ready)}}));
  });
}

void DaemonController::start_pod(const Json& set, const std::string& node, bool at_once) {
  std::string ns = text_at(set, {"metadata", "namespace"}), set_name = text_at(set, {"metadata", "name"});
  std::string name = set_name + "-" + suffix(cluster_.world().seed, ++made_);
  Json labels = *at(set, {"spec", "template", "metadata", "labels"});
  put(labels, "controller-revision-hash", text(revision_of(set)));
  put(labels, "pod-template-generation", text("1"));
  Json owner = object({{"apiVersion", text("apps/v1")},
                       {"kind", text("DaemonSet")},
                       {"name", text(set_name)},
                       {"uid", text(text_at(set, {"metadata", "uid"}))},
                       {"controller", flag(true)},
                       {"blockOwnerDeletion", flag(true)}});
  Json spec = *at(set, {"spec", "template", "spec"});
  put(spec, "nodeName", text(node));
  put(spec, "restartPolicy", text("Always"));
  put(spec, "terminationGracePeriodSeconds", number(30));
  Json pod = object({{"kind", text("Pod")},
                     {"apiVersion", text("v1")},
                     {"metadata", object({{"generateName", text(set_name + "-")},
                                          {"labels", std::move(labels)},
                                          {"ownerReferences", list_of({std::move(owner)})}})},
                     {"spec", std::move(spec)}});
  TimePoint now = cluster_.world().now;
  if (at_once)
    put_at(pod, {"metadata", "creationTimestamp"},
           text(time_text(cluster_.world().start - std::chrono::hours(240))));
  set_phase(pod, at_once, time_text(at_once ? cluster_.world().start - std::chrono::hours(240) : now));
  Key key{"pods", ns, name};
  cluster_.objects().create(key, std::move(pod));
  if (!at_once) cluster_.agenda().at(now + kStart, [this, key] { make_ready(key); });
}

void DaemonController::make_ready(const Key& key) {
  cluster_.objects().edit(key, [&](Json& pod) {
    if (!at(pod, {"metadata", "deletionTimestamp"})) set_phase(pod, true, time_text(cluster_.world().now));
  });
}

}  // namespace tessera::sim::kube
