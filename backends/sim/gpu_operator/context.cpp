#include "backends/sim/gpu_operator/context.hpp"

#include "backends/sim/apiserver/managed_fields.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {

std::string shown_name(const World& world, std::uint32_t node) { return clean(world.node_name(node), 253); }

std::string deploy_label(std::string_view component) {
  return "nvidia.com/gpu.deploy." + std::string(component);
}

std::string label_of(const ObjectStore& objects, const std::string& node, std::string_view key) {
  ObjectPtr object = objects.find({"nodes", "", node});
  return object ? text_at(*object, {"metadata", "labels", key}) : "";
}

bool has_label(const ObjectStore& objects, const std::string& node, std::string_view key) {
  ObjectPtr object = objects.find({"nodes", "", node});
  return object && at(*object, {"metadata", "labels", key}) != nullptr;
}

namespace {

// All fields that it has ever set, and when it did so last.
void note_manager(Json& object, std::string_view manager, const LabelPatch& patch, TimePoint now) {
  Json& labels = child(child(child(entry_of(object, manager, now), "fieldsV1"), "f:metadata"), "f:labels");
  for (const auto& [key, value] : patch)
    if (value) put(labels, "f:" + key, Json::map());
}

}  // namespace

void patch_labels(ObjectStore& objects, const std::string& node, const LabelPatch& patch,
                  std::string_view manager) {
  objects.edit({"nodes", "", node}, [&](Json& object) {
    Json& labels = child(child(object, "metadata"), "labels");
    for (const auto& [key, value] : patch) {
      if (value)
        put(labels, key, text(*value));
      else
        drop(labels, key);
    }
    if (!manager.empty()) note_manager(object, manager, patch, objects.now());
  });
}

std::optional<std::string> config_text(const Context& context, const std::string& map,
                                       const std::string& key) {
  ObjectPtr object = context.objects.find({"configmaps", context.ns, map});
  if (!object) return std::nullopt;
  const Json* value = at(*object, {"data", key});
  return value && value->kind == Json::Kind::text ? std::optional(value->text) : std::nullopt;
}

std::string policy_text(const ObjectStore& objects, Path path) {
  std::vector<ObjectPtr> policies = objects.all("clusterpolicies.nvidia.com");
  return policies.empty() ? "" : text_at(*policies.front(), path);
}

std::string manager_env(const ObjectStore& objects, std::string_view name) {
  std::vector<ObjectPtr> policies = objects.all("clusterpolicies.nvidia.com");
  if (policies.empty()) return "";
  if (const Json* env = at(*policies.front(), {"spec", "migManager", "env"}))
    for (const Json& one : env->items)
      if (view_at(one, {"name"}) == name) return text_at(one, {"value"});
  return "";
}

std::vector<ObjectPtr> operator_pods(const Context& context, const std::string& node, std::string_view app) {
  std::vector<ObjectPtr> pods;
  for (ObjectPtr& pod : context.objects.pods_on(node))
    if (view_at(*pod, {"metadata", "namespace"}) == context.ns &&
        (app.empty() || view_at(*pod, {"metadata", "labels", "app"}) == app))
      pods.push_back(std::move(pod));
  return pods;
}

bool is_leaving(const Json& pod) { return at(pod, {"metadata", "deletionTimestamp"}) != nullptr; }

}  // namespace tessera::sim::kube
