#include "backends/kubernetes/site_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/kubernetes/deeds.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kStaticMap = "default-mig-parted-config";  // GPU operator's chart

bool has_label(const Json& object, std::string_view key) {
  return at(object, {"metadata", "labels", key}) != nullptr;
}

// Somebody of that name has written fields of it ("argocd-controller", "kustomize-controller").
bool is_written_by(const Json& object, std::string_view manager) {
  const Json* fields = at(object, {"metadata", "managedFields"});
  return fields && std::any_of(fields->items.begin(), fields->items.end(), [&](const Json& one) {
           const Json* name = at(one, {"manager"});
           return name && std::string_view(name->text).starts_with(manager);
         });
}

// Whoever wrote an object from elsewhere writes it again. Argo CD (v3.1, "Resource Tracking") tracks by an
// annotation, by a label, or by a label that Helm uses as well: then only its field manager tells. Charts
// that it renders say that Helm manages them, so it is asked for first.
std::string_view owner_of(const Json& object) {
  if (at(object, {"metadata", "annotations", "argocd.argoproj.io/tracking-id"}) ||
      has_label(object, "argocd.argoproj.io/instance") || is_written_by(object, "argocd-"))
    return "Argo CD";
  if (has_label(object, "kustomize.toolkit.fluxcd.io/name") ||
      has_label(object, "helm.toolkit.fluxcd.io/name") || is_written_by(object, "kustomize-controller") ||
      is_written_by(object, "helm-controller"))
    return "Flux";
  bool helm = text_at(object, {"metadata", "labels", "app.kubernetes.io/managed-by"}) == "Helm" ||
              is_written_by(object, "helm");
  return helm ? "Helm" : "";
}

// One reading: step by step, each from what the one before has told.
class Reading : public std::enable_shared_from_this<Reading> {
 public:
  Reading(Api& api, SiteRead then) : api_(api), then_(std::move(then)) {}

  void begin() {
    api_.get("/apis/nvidia.com/v1/clusterpolicies", [self = shared_from_this()](Answer told) {
      const Json* items = at(told.body, {"items"});
      if (told.ok() && items && !items->items.empty()) self->read_policy(items->items.front());
      // Without an operator there is nothing to read.
      self->site_.policy.empty() ? self->end() : self->find_namespace();
    });
  }

 private:
  void read_policy(const Json& policy) {
    site_.policy = text_at(policy, {"metadata", "name"});
    site_.ns = text_at(policy, {"status", "namespace"});
    site_.strategy = text_at(policy, {"spec", "mig", "strategy"});
    site_.mig_config_map = text_at(policy, {"spec", "migManager", "config", "name"});
    if (site_.mig_config_map == kStaticMap) site_.mig_config_map.clear();  // the chart's own: not the site's
    site_.plugin_config_map = text_at(policy, {"spec", "devicePlugin", "config", "name"});
    site_.plugin_default = text_at(policy, {"spec", "devicePlugin", "config", "default"});
    if (const Json* vms = at(policy, {"spec", "sandboxWorkloads", "enabled"})) site_.vm_nodes = vms->boolean;
    note_owner("ClusterPolicy " + site_.policy, policy);
  }

  void note_owner(const std::string& what, const Json& object) {
    std::string_view owner = owner_of(object);
    if (!owner.empty()) site_.owned_by_others.push_back(fmt::format("{}: managed by {}", what, owner));
  }

  void find_namespace() {
    if (!site_.ns.empty()) return read_nodes();
    api_.get("/api/v1/pods?limit=1&labelSelector=" + url_escape("app=nvidia-device-plugin-daemonset"),
             [self = shared_from_this()](Answer told) {
               const Json* items = at(told.body, {"items"});
               if (told.ok() && items && !items->items.empty())
                 self->site_.ns = text_at(items->items.front(), {"metadata", "namespace"});
               self->read_nodes();
             });
  }

  void read_nodes() {
    api_.list(
        "/api/v1/nodes?labelSelector=" + url_escape("nvidia.com/gpu.present=true"), true,
        [this](const Json& node) { read_node(node); },
        [self = shared_from_this()](const Answer&) { self->read_static_map(); });
  }
  // Only what a plan reads: there may be thousands of nodes with hundreds of labels each.
  void read_node(const Json& node) {
    auto& kept = site_.labels[clean(text_at(node, {"metadata", "name"}), 253)];
    for (std::string_view key :
         {operators::kMigConfig, operators::kMigState, operators::kPluginConfig, operators::kVgpuConfig,
          operators::kVgpuState, operators::kWorkload, operators::kDriverUpgrade,
          std::string_view("nvidia.com/gpu.product"), std::string_view("nvidia.com/gpu.count")})
      if (const Json* value = at(node, {"metadata", "labels", key}))
        kept[std::string(key)] = clean(value->text, 256);
  }

  void read_static_map() {
    if (site_.ns.empty()) return end();
    std::string map = site_.mig_config_map.empty() ? kStaticMap : site_.mig_config_map;
    api_.get(map_target(site_.ns, map), [self = shared_from_this(), map](Answer told) {
      if (told.ok())
        self->site_.mig_config = operators::mig_file(text_at(told.body, {"data", operators::kMigKey}));
      if (told.ok() && map != kStaticMap) self->note_owner("ConfigMap " + map, told.body);
      self->read_generated_maps();
    });
  }
  // What a MIG manager from v0.14 on makes for its node, kept in a ConfigMap for people to see.
  void read_generated_maps() {
    if (!site_.mig_config_map.empty()) return read_plugin_map();
    api_.list(
        map_target(site_.ns, "") +
            "?labelSelector=" + url_escape("app.kubernetes.io/component=nvidia-mig-manager"),
        false, [this](const Json& map) { read_generated_map(map); },
        [self = shared_from_this()](const Answer&) { self->read_plugin_map(); });
  }
  // Nodes with the same boards have the same file: it is kept once.
  void read_generated_map(const Json& map) {
    std::string node = text_at(map, {"metadata", "labels", "nvidia.com/node-name"});
    std::string text = text_at(map, {"data", operators::kMigKey});
    if (node.empty() || text.empty()) return;
    auto [file, fresh] = files_.try_emplace(std::move(text));
    if (fresh) file->second = operators::mig_file(file->first);
    site_.node_config[node] = file->second;
  }
  void read_plugin_map() {
    if (site_.plugin_config_map.empty()) return end();
    api_.get(map_target(site_.ns, site_.plugin_config_map), [self = shared_from_this()](Answer told) {
      if (told.ok()) self->note_owner("ConfigMap " + self->site_.plugin_config_map, told.body);
      if (const Json* data = told.ok() ? at(told.body, {"data"}) : nullptr)
        for (const auto& [key, value] : data->fields) self->site_.plugin_configs[key] = value.text;
      self->end();
    });
  }
  void end() { then_(std::make_shared<const operators::Site>(std::move(site_))); }

  Api& api_;
  SiteRead then_;
  operators::Site site_;
  std::map<std::string, operators::MigFilePtr> files_;  // generated ones, by their text
};

}  // namespace

void read_site(Api& api, SiteRead then) { std::make_shared<Reading>(api, std::move(then))->begin(); }

}  // namespace tessera::kubernetes
