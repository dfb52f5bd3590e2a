// Events as the scheduler, the kubelets and the node controller would record them, from what objects show.
#include <fmt/format.h>

#include "backends/sim/gpu_operator/cluster.hpp"

namespace tessera::sim::kube {
namespace {

std::string_view ready_of(const Json& node) {
  if (const Json* conditions = at(node, {"status", "conditions"}))
    for (const Json& one : conditions->items)
      if (view_at(one, {"type"}) == "Ready") return view_at(one, {"status"});
  return {};
}

// Why the scheduler finds no place for it.
std::string_view unschedulable(const Json& pod) {
  if (const Json* conditions = at(pod, {"status", "conditions"}))
    for (const Json& one : conditions->items)
      if (view_at(one, {"reason"}) == "Unschedulable") return view_at(one, {"message"});
  return {};
}

bool leaves(const Json& pod) { return at(pod, {"metadata", "deletionTimestamp"}) != nullptr; }

}  // namespace

EventRecorder::EventRecorder(Cluster& cluster) : cluster_(cluster) {
  cluster_.objects().watch("nodes", [this](const Change& change) {
    if (change.verb == Verb::modified) see_node(change);
  });
  cluster_.objects().watch("pods", [this](const Change& change) {
    if (change.verb != Verb::deleted) see_pod(change);
  });
}

void EventRecorder::see_node(const Change& change) {
  auto say = [&](std::string_view reason, std::string_view source) {
    cluster_.record_event(change.key, "Node", "Normal", reason,
                          fmt::format("Node {} status is now: {}", change.key.name, reason), source);
  };
  bool closed = flag_at(*change.object, {"spec", "unschedulable"});
  if (closed != flag_at(*change.before, {"spec", "unschedulable"}))
    say(closed ? "NodeNotSchedulable" : "NodeSchedulable", "kubelet");
  std::string_view ready = ready_of(*change.object);
  if (ready != ready_of(*change.before))
    say(ready == "True" ? "NodeReady" : "NodeNotReady", "node-controller");
}

void EventRecorder::see_pod(const Change& change) {
  static const Json kNothing = Json::map();
  const Json &now = *change.object, &before = change.before ? *change.before : kNothing;
  auto say = [&](const char* type, const char* reason, const std::string& message, const char* source) {
    cluster_.record_event(change.key, "Pod", type, reason, message, source);
  };
  std::string_view waits = unschedulable(now);
  if (!waits.empty() && unschedulable(before).empty())
    say("Warning", "FailedScheduling", std::string(waits), "default-scheduler");
  std::string_view node = view_at(now, {"spec", "nodeName"});
  if (!node.empty() && view_at(before, {"spec", "nodeName"}).empty() && change.before)
    say("Normal", "Scheduled",
        fmt::format("Successfully assigned {}/{} to {}", change.key.ns, change.key.name, node),
        "default-scheduler");
  if (leaves(now) && !leaves(before)) say("Normal", "Killing", "Stopping container main", "kubelet");
}

}  // namespace tessera::sim::kube
