#include "backends/sim/gpu_operator/daemon_sets.hpp"

#include <fmt/format.h>

#include <vector>

#include "backends/sim/gpu_operator/kubelet.hpp"
#include "backends/sim/random.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kResource = "daemonsets.apps";
constexpr std::string_view kHash = "controller-revision-hash";

std::string hash_of(const Json& set) {
  const Json* spec_template = at(set, {"spec", "template"});
  return spec_template ? fmt::format("{:010x}", hash_text(to_line(*spec_template)) >> 24) : "0";
}

std::string suffix(std::uint64_t drawn) {
  constexpr std::string_view kNameLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (int i = 0; i < 5; ++i, drawn /= kNameLetters.size()) text += kNameLetters[drawn % kNameLetters.size()];
  return text;
}

bool owned_by(const Json& pod, std::string_view set) {
  const Json* owners = at(pod, {"metadata", "ownerReferences"});
  if (!owners || owners->items.empty()) return false;
  const Json& owner = owners->items.front();
  return view_at(owner, {"kind"}) == "DaemonSet" && view_at(owner, {"name"}) == set;
}

bool is_ready(const Json& pod) {
  const Json* conditions = at(pod, {"status", "conditions"});
  if (!conditions) return false;
  for (const Json& one : conditions->items)
    if (view_at(one, {"type"}) == "Ready") return view_at(one, {"status"}) == "True";
  return false;
}

Json make_pod(const Json& set, const std::string& node, const std::string& name, const std::string& hash) {
  const Json* pod_template = at(set, {"spec", "template"});
  Json pod = object({{"apiVersion", text("v1")}, {"kind", text("Pod")}});
  Json& metadata = child(pod, "metadata");
  put(metadata, "name", text(name));
  put(metadata, "generateName", text(text_at(set, {"metadata", "name"}) + "-"));
  if (pod_template)
    if (const Json* labels = at(*pod_template, {"metadata", "labels"})) put(metadata, "labels", *labels);
  put(child(metadata, "labels"), kHash, text(hash));
  put(metadata, "ownerReferences",
      list_of({object({{"apiVersion", text("apps/v1")},
                       {"kind", text("DaemonSet")},
                       {"name", text(text_at(set, {"metadata", "name"}))},
                       {"uid", text(text_at(set, {"metadata", "uid"}))},
                       {"controller", flag(true)},
                       {"blockOwnerDeletion", flag(true)}})}));
  Json spec = Json::map();
  if (pod_template)
    if (const Json* found = at(*pod_template, {"spec"})) spec = *found;
  put(spec, "nodeName", text(node));
  put(pod, "spec", std::move(spec));
  put(pod, "status", object({{"phase", text("Pending")}}));
  return pod;
}

// Nothing by which a DaemonSet counts its pods is different.
bool counts_the_same(const Change& change) {
  if (change.verb != Verb::modified) return false;
  const Json &now = *change.object, &before = *change.before;
  return is_ready(now) == is_ready(before) && is_leaving(now) == is_leaving(before) &&
         view_at(now, {"spec", "nodeName"}) == view_at(before, {"spec", "nodeName"}) &&
         view_at(now, {"metadata", "labels", kHash}) == view_at(before, {"metadata", "labels", kHash});
}

struct Tally {
  std::int64_t wanted = 0, there = 0, updated = 0, ready = 0;
};

void write_status(ObjectStore& objects, const Key& set, const Tally& tally) {
  objects.edit(set, [&](Json& one) {
    Json& status = child(one, "status");
    put(status, "currentNumberScheduled", number(tally.there));
    put(status, "desiredNumberScheduled", number(tally.wanted));
    put(status, "numberAvailable", number(tally.ready));
    put(status, "numberMisscheduled", number(0));
    put(status, "numberReady", number(tally.ready));
    put(status, "numberUnavailable", number(tally.wanted - tally.ready));
    put(status, "observedGeneration", number(number_at(one, {"metadata", "generation"}, 1)));
    put(status, "updatedNumberScheduled", number(tally.updated));
  });
}

}  // namespace

bool wants(const Json& set, const Json& node) {
  const Json* selector = at(set, {"spec", "template", "spec", "nodeSelector"});
  if (!selector) return true;
  for (const auto& [key, value] : selector->fields)
    if (view_at(node, {"metadata", "labels", key}) != value.text || !at(node, {"metadata", "labels", key}))
      return false;
  return true;
}

void DaemonSets::see(const Change& change) {
  if (change.key.resource == kResource) return look_soon(change.key);
  if (change.key.resource == "nodes") {
    const Json* after = at(*change.object, {"metadata", "labels"});
    const Json* before = change.before ? at(*change.before, {"metadata", "labels"}) : nullptr;
    if (change.verb == Verb::modified && after && before && *after == *before) return;
    for (const ObjectPtr& set : context_.objects.all(kResource))
      look_soon({std::string(kResource), text_at(*set, {"metadata", "namespace"}),
                 text_at(*set, {"metadata", "name"})});
  }
  if (change.key.resource == "pods" && !counts_the_same(change))
    if (const Json* owners = at(*change.object, {"metadata", "ownerReferences"});
        owners && !owners->items.empty())
      if (view_at(owners->items.front(), {"kind"}) == "DaemonSet")
        look_soon({std::string(kResource), change.key.ns, text_at(owners->items.front(), {"name"})});
}

void DaemonSets::create_pod(const Key& key, const Json& set, const std::string& node, bool runs) {
  std::string name = fmt::format(
      "{}-{}", key.name, suffix(draw(context_.world().seed, hash_text(key.name), hash_text(node), ++made_)));
  Json pod = make_pod(set, node, name, hash_of(set));
  if (runs) show_running(pod, context_.world().nodes[find_node(context_.world(), node).value_or(0)].booted);
  context_.objects.create({"pods", key.ns, name}, std::move(pod));
}

void DaemonSets::populate() {
  for (const ObjectPtr& set : context_.objects.all(kResource)) {
    Key key{std::string(kResource), text_at(*set, {"metadata", "namespace"}),
            text_at(*set, {"metadata", "name"})};
    for (const ObjectPtr& node : context_.objects.all("nodes"))
      if (wants(*set, *node)) create_pod(key, *set, text_at(*node, {"metadata", "name"}), true);
    look_soon(key);
  }
}

void DaemonSets::look_soon(const Key& set) {
  if (!due_.insert(set).second) return;
  context_.after(milliseconds(400), [this, set] {
    due_.erase(set);
    look(set);
  });
}

void DaemonSets::look(const Key& key) {
  ObjectPtr set = context_.objects.find(key);
  if (!set || !at(*set, {"spec", "template"})) return;
  std::string hash = hash_of(*set);
  std::map<std::string, ObjectPtr, std::less<>> by_node;
  for (ObjectPtr& pod : context_.objects.all("pods", key.ns))
    if (owned_by(*pod, key.name)) by_node[text_at(*pod, {"spec", "nodeName"})] = std::move(pod);
  Tally tally;
  const Json* outdated = nullptr;
  bool all_ready = true;
  for (const ObjectPtr& node : context_.objects.all("nodes")) {
    std::string name = text_at(*node, {"metadata", "name"});
    auto found = by_node.find(name);
    bool wanted = wants(*set, *node);
    tally.wanted += wanted;
    if (found == by_node.end()) {
      if (!wanted) continue;
      create_pod(key, *set, name, false);
      all_ready = false;
      continue;
    }
    const Json& pod = *found->second;
    if (!wanted) {
      if (!is_leaving(pod)) remove_(pod);
      continue;
    }
    bool fresh = text_at(pod, {"metadata", "labels", kHash}) == hash;
    ++tally.there;
    tally.updated += fresh;
    tally.ready += is_ready(pod) && !is_leaving(pod);
    all_ready &= is_ready(pod) && !is_leaving(pod);
    if (!fresh && !is_leaving(pod) && !outdated) outdated = &pod;
  }
  for (const auto& [node, pod] : by_node)
    if (!context_.objects.find({"nodes", "", node}))
      context_.objects.erase({"pods", key.ns, text_at(*pod, {"metadata", "name"})});
  // maxUnavailable 1, and a pod that is not ready may go at once.
  if (outdated && (all_ready || !is_ready(*outdated))) remove_(*outdated);
  write_status(context_.objects, key, tally);
}

}  // namespace tessera::sim::kube
