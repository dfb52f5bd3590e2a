#include "backends/kubernetes/change/site_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/kubernetes/change/node_facts.hpp"
#include "backends/kubernetes/change/start_action.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

bool has_label(const Json& object, std::string_view key) {
  return at(object, {"metadata", "labels", key}) != nullptr;
}

// A manager of that name has written fields of it ("argocd-controller", "kustomize-controller").
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

using operators::SitePart;
using Is = operators::Reading::Is;

constexpr const char* kNvidiaAlpha = "/apis/nvidia.com/v1alpha1";

// What is not what was asked for is no answer, whatever its status.
const Json* items_of(Answer& told) {
  const Json* items = told.ok() ? at(told.body, {"items"}) : nullptr;
  if (items && items->kind == Json::Kind::list) return items;
  if (told.ok()) told.error = {"the API server's answer is no list", "it has no items", ""};
  return nullptr;
}
bool is_object(Answer& told, const std::string& name) {
  if (!told.ok()) return false;
  if (text_at(told.body, {"metadata", "name"}) == name) return true;
  told.error = {"the API server's answer is not what was asked for", "it is not called " + name, ""};
  return false;
}

// One reading: step by step, each from what the one before has told.
class SiteReading : public std::enable_shared_from_this<SiteReading> {
 public:
  SiteReading(ApiPtr api, SitePtr before, TimePoint now, SiteRead then)
      : api_(std::move(api)), now_(now), then_(std::move(then)) {
    if (before) site_ = *before;
  }

  void begin() {
    api_->get(kNvidiaAlpha, [self = shared_from_this()](Answer told) { self->find_gpu_cluster(told); });
  }

 private:
  void is(SitePart part, Is what) { site_.readings.told(part, what, now_); }
  // A 404 is the only word for "not there".
  bool is_absent(SitePart part, const Answer& told) {
    if (told.status != 404) {
      site_.readings.failed(part, told.error);
      return false;
    }
    is(part, Is::absent);
    return true;
  }

  // The operator from v26.7 on: nvidia.com/v1alpha1 may be served without it, for its NVIDIADriver.
  void find_gpu_cluster(Answer& told) {
    const Json* resources = told.ok() ? at(told.body, {"resources"}) : nullptr;
    if (!resources) {
      if (told.ok()) told.error = {"the API server's answer is no list of resources", kNvidiaAlpha, ""};
      if (is_absent(SitePart::gpu_cluster, told)) site_.gpu_cluster.clear();
      return read_devices();
    }
    for (const Json& one : resources->items) {
      std::string name = text_at(one, {"name"});
      if (text_at(one, {"kind"}) != "GPUCluster" || name.find('/') != std::string::npos) continue;
      return api_->get(std::string(kNvidiaAlpha) + "/" + url_escape(name),
                       [self = shared_from_this()](Answer list) { self->read_gpu_clusters(list); });
    }
    site_.gpu_cluster.clear();
    is(SitePart::gpu_cluster, Is::absent);
    read_devices();
  }
  void read_gpu_clusters(Answer& told) {
    if (const Json* items = items_of(told)) {
      site_.gpu_cluster =
          items->items.empty() ? "" : clean(text_at(items->items.front(), {"metadata", "name"}), 253);
      is(SitePart::gpu_cluster, items->items.empty() ? Is::absent : Is::value);
    } else if (is_absent(SitePart::gpu_cluster, told)) {
      site_.gpu_cluster.clear();
    }
    read_devices();
  }

  // Asked of discovery first, which everyone may read: where rights are missing, a resource that is not
  // served is refused like any other.
  void read_devices() {
    api_->get("/apis/resource.k8s.io", [self = shared_from_this()](Answer told) {
      std::string version = text_at(told.body, {"preferredVersion", "groupVersion"});
      if (told.ok() && version.empty())
        told.error = {"the API server's answer is not what was asked for", "it names no version", ""};
      if (!told.ok() || version.empty()) {
        if (self->is_absent(SitePart::devices, told)) self->no_devices();
        return self->read_policies();
      }
      self->api_->get("/apis/" + version + "/resourceslices?limit=1", [self, version](Answer list) {
        const Json* items = items_of(list);
        const bool absent = items ? items->items.empty() : self->is_absent(SitePart::devices, list);
        if (items) self->is(SitePart::devices, absent ? Is::absent : Is::value);
        // An empty list is no missing API: a run's rule may stand while the driver is down.
        if (absent && !items) self->no_devices();
        if (!items || absent) return self->read_policies();
        self->site_.dra_api = clean(version, 64);
        self->find_rules(0);
      });
      if (const Json* versions = at(told.body, {"versions"}))
        for (const Json& one : versions->items)
          if (self->dra_versions_.size() < 8)
            self->dra_versions_.push_back(clean(text_at(one, {"groupVersion"}), 64));
    });
  }
  // DeviceTaintRules are in a younger version than the slices, up to Kubernetes 1.36.
  void find_rules(std::size_t next) {
    if (next >= dra_versions_.size()) {
      site_.rules_api.clear();
      return find_driver();
    }
    api_->get("/apis/" + dra_versions_[next], [self = shared_from_this(), next](Answer told) {
      if (!told.ok() && told.status != 404) return self->find_driver();  // as it was known
      if (const Json* resources = at(told.body, {"resources"}))
        for (const Json& one : resources->items)
          if (text_at(one, {"name"}) == "devicetaintrules") {
            self->site_.rules_api = self->dra_versions_[next];
            return self->find_driver();
          }
      self->find_rules(next + 1);
    });
  }
  void no_devices() {
    site_.dra_api.clear();
    site_.rules_api.clear();
    site_.dra_ns.clear();
  }
  // Its chart's name, under which it may have come before it moved to the Kubernetes project, too.
  void find_driver() {
    api_->get("/api/v1/pods?limit=1&labelSelector=" +
                  url_escape("app.kubernetes.io/name in (dra-driver-nvidia-gpu,nvidia-dra-driver-gpu)"),
              [self = shared_from_this()](Answer told) {
                if (const Json* items = items_of(told))
                  self->site_.dra_ns =
                      items->items.empty()
                          ? ""
                          : clean(text_at(items->items.front(), {"metadata", "namespace"}), 63);
                self->read_policies();
              });
  }

  void read_policies() {
    api_->get("/apis/nvidia.com/v1/clusterpolicies", [self = shared_from_this()](Answer told) {
      const Json* items = items_of(told);
      if (items && !items->items.empty()) {
        self->read_policy(in_force(*items));
      } else if (items || self->is_absent(SitePart::policy, told)) {
        self->no_operator();
        return self->end();
      }
      // Of an operator that is not known there is nothing more to ask.
      self->site_.readings.has(SitePart::policy) ? self->find_namespace() : self->end();
    });
  }
  // The operator follows one ClusterPolicy and calls all others ignored.
  static const Json& in_force(const Json& items) {
    for (const Json& one : items.items)
      if (text_at(one, {"status", "state"}) != "ignored") return one;
    return items.items.front();
  }
  void no_operator() {
    operators::OperatorSetup bare;
    bare.readings = site_.readings;
    bare.gpu_cluster = site_.gpu_cluster;
    bare.dra_api = site_.dra_api;
    bare.rules_api = site_.rules_api;
    bare.dra_ns = site_.dra_ns;
    bare.kept_back = site_.kept_back;
    bare.slurmd_pods = site_.slurmd_pods;
    site_ = std::move(bare);
    for (SitePart part : {SitePart::policy, SitePart::name_space, SitePart::fleet, SitePart::mig_config,
                          SitePart::generated, SitePart::plugin_config})
      is(part, Is::absent);
  }

  void read_policy(const Json& policy) {
    std::string mig = text_at(policy, {"spec", "migManager", "config", "name"});
    std::string plugin = text_at(policy, {"spec", "devicePlugin", "config", "name"});
    if (mig == kStaticMap) mig.clear();  // the chart's own: not the site's
    if (mig != site_.mig_config_map) forget_mig_config();
    if (plugin != site_.plugin_config_map) {
      forget_plugin_configs();
      site_.readings.forget(SitePart::plugin_config);
    }
    std::erase_if(site_.owned_by_others, [&](const std::string& line) {
      return !is_about(line, "ConfigMap " + mig) && !is_about(line, "ConfigMap " + plugin);
    });
    site_.policy = text_at(policy, {"metadata", "name"});
    if (std::string ns = text_at(policy, {"status", "namespace"}); !ns.empty()) {
      site_.ns = ns;
      is(SitePart::name_space, Is::value);
    }
    site_.strategy = text_at(policy, {"spec", "mig", "strategy"});
    site_.mig_config_map = std::move(mig);
    site_.plugin_config_map = std::move(plugin);
    site_.plugin_default = text_at(policy, {"spec", "devicePlugin", "config", "default"});
    site_.plugin_version = clean(text_at(policy, {"spec", "devicePlugin", "version"}), 128);
    const Json* machines = at(policy, {"spec", "sandboxWorkloads", "enabled"});
    site_.vm_nodes = machines ? std::optional(machines->boolean) : std::nullopt;
    note_owner("ClusterPolicy " + site_.policy, policy);
    is(SitePart::policy, Is::value);
  }
  void forget_mig_config() {
    site_.mig_config = nullptr;
    site_.node_config.clear();
    site_.readings.forget(SitePart::mig_config);
    site_.readings.forget(SitePart::generated);
  }

  static bool is_about(const std::string& line, const std::string& what) {
    return line.starts_with(what + ": ");
  }
  void note_owner(const std::string& what, const Json& object) {
    std::erase_if(site_.owned_by_others, [&](const std::string& line) { return is_about(line, what); });
    std::string_view owner = owner_of(object);
    if (!owner.empty()) site_.owned_by_others.push_back(fmt::format("{}: managed by {}", what, owner));
  }

  void find_namespace() {
    if (site_.readings.of(SitePart::name_space).at == now_ && site_.readings.has(SitePart::name_space))
      return read_nodes();
    api_->get("/api/v1/pods?limit=1&labelSelector=" + url_escape("app=nvidia-device-plugin-daemonset"),
              [self = shared_from_this()](Answer told) {
                const Json* items = items_of(told);
                if (items && !items->items.empty())
                  self->site_.ns = text_at(items->items.front(), {"metadata", "namespace"});
                if (items)
                  self->is(SitePart::name_space, items->items.empty() ? Is::absent : Is::value);
                else
                  self->site_.readings.failed(SitePart::name_space, told.error);
                self->read_nodes();
              });
  }

  void read_nodes() {
    api_->list(
        "/api/v1/nodes?labelSelector=" + url_escape("nvidia.com/gpu.present=true"), true,
        [this](const Json& node) { read_node(node); },
        [self = shared_from_this()](const Answer& told) {
          // A page that is missing makes the whole fleet unknown: the nodes on it would seem to have no
          // label.
          if (told.ok()) {
            self->site_.labels = std::move(self->labels_);
            self->is(SitePart::fleet, Is::value);
          } else {
            self->site_.readings.failed(SitePart::fleet, told.error);
          }
          self->read_mig_map();
        });
  }
  // Only what a plan reads: there may be thousands of nodes with hundreds of labels each.
  void read_node(const Json& node) {
    auto& kept = labels_[clean(text_at(node, {"metadata", "name"}), 253)];
    for (std::string_view key :
         {operators::kMigConfig, operators::kMigState, operators::kPluginConfig, operators::kVgpuConfig,
          operators::kVgpuState, operators::kWorkload, operators::kPluginDeploy, operators::kDriverUpgrade,
          std::string_view("nvidia.com/gpu.product"), std::string_view("nvidia.com/gpu.count")})
      if (const Json* value = at(node, {"metadata", "labels", key}))
        kept[std::string(key)] = clean(value->text, 256);
  }

  void read_mig_map() {
    if (site_.ns.empty()) return end();
    std::string map = site_.mig_config_map.empty() ? kStaticMap : site_.mig_config_map;
    api_->get(map_target(site_.ns, map), [self = shared_from_this(), map](Answer told) {
      if (is_object(told, map)) {
        self->site_.mig_config = operators::mig_file(text_at(told.body, {"data", operators::kMigKey}));
        if (map != kStaticMap) self->note_owner("ConfigMap " + map, told.body);
        self->is(SitePart::mig_config, Is::value);
      } else if (self->is_absent(SitePart::mig_config, told)) {
        self->site_.mig_config = nullptr;
      }
      self->read_generated_maps();
    });
  }
  // What a MIG manager from v0.14 on makes for its node, kept in a ConfigMap for people to see.
  void read_generated_maps() {
    if (!site_.mig_config_map.empty()) {
      is(SitePart::generated, Is::absent);
      return read_plugin_map();
    }
    api_->list(
        map_target(site_.ns, "") +
            "?labelSelector=" + url_escape("app.kubernetes.io/component=nvidia-mig-manager"),
        false, [this](const Json& map) { read_generated_map(map); },
        [self = shared_from_this()](const Answer& told) {
          if (told.ok()) {
            self->site_.node_config = std::move(self->node_config_);
            self->is(SitePart::generated, Is::value);
          } else if (self->is_absent(SitePart::generated, told)) {
            self->site_.node_config.clear();
          }
          self->read_plugin_map();
        });
  }
  // Nodes with the same GPUs have the same file: it is kept once.
  void read_generated_map(const Json& map) {
    std::string node = text_at(map, {"metadata", "labels", "nvidia.com/node-name"});
    std::string text = text_at(map, {"data", operators::kMigKey});
    if (node.empty() || text.empty()) return;
    auto [file, fresh] = files_.try_emplace(std::move(text));
    if (fresh) file->second = operators::mig_file(file->first);
    node_config_[node] = file->second;
  }
  void forget_plugin_configs() {
    site_.plugin_configs.clear();
    site_.plugin_configs_written.reset();
  }
  void read_plugin_map() {
    if (site_.plugin_config_map.empty()) {
      is(SitePart::plugin_config, Is::absent);
      return end();
    }
    api_->get(map_target(site_.ns, site_.plugin_config_map), [self = shared_from_this()](Answer told) {
      const std::string& map = self->site_.plugin_config_map;
      bool there = is_object(told, map);
      if (there || self->is_absent(SitePart::plugin_config, told)) self->forget_plugin_configs();
      if (there) {
        self->site_.plugin_configs_written = last_write(told.body, "data");
        self->note_owner("ConfigMap " + map, told.body);
        self->is(SitePart::plugin_config, Is::value);
        if (const Json* data = at(told.body, {"data"}))
          for (const auto& [key, value] : data->fields) self->site_.plugin_configs[key] = value.text;
      }
      self->end();
    });
  }
  void end() { then_(std::make_shared<const operators::OperatorSetup>(std::move(site_))); }

  ApiPtr api_;
  const TimePoint now_;
  SiteRead then_;
  operators::OperatorSetup site_;          // begins as the reading before
  std::vector<std::string> dra_versions_;  // "resource.k8s.io/v1", as the server lists them
  // Of lists that are under way: they count once they are complete.
  std::map<std::string, std::map<std::string, std::string>> labels_;
  std::map<std::string, operators::MigFilePtr> node_config_;
  std::map<std::string, operators::MigFilePtr> files_;  // generated ones, by their text
};

}  // namespace

void read_site(ApiPtr api, SitePtr before, TimePoint now, SiteRead then) {
  std::make_shared<SiteReading>(std::move(api), std::move(before), now, std::move(then))->begin();
}

}  // namespace tessera::kubernetes
