#include "backends/sim/apiserver/kinds.hpp"

#include <charconv>
#include <iterator>

namespace tessera::sim::kube {
namespace {

constexpr KnownFields kNodeFields[] = {
    {"", "apiVersion kind metadata spec status"},
    {"spec", "podCIDR podCIDRs providerID unschedulable taints configSource externalID"}};
constexpr KnownFields kPodFields[] = {{"", "apiVersion kind metadata spec status"}};
constexpr KnownFields kConfigMapFields[] = {{"", "apiVersion kind metadata data binaryData immutable"}};

constexpr ResourceKind kKinds[] = {
    {"", "v1", "configmaps", "configmap", "ConfigMap", true, "cm", "", false, false, 0, 1000,
     kConfigMapFields},
    {"", "v1", "events", "event", "Event", true, "ev", ""},
    {"", "v1", "resourcequotas", "resourcequota", "ResourceQuota", true, "quota", "status"},
    {"", "v1", "namespaces", "namespace", "Namespace", false, "ns", "status"},
    {"", "v1", "nodes", "node", "Node", false, "no", "status", false, false, 0, 1000, kNodeFields},
    {"", "v1", "pods", "pod", "Pod", true, "po", "eviction log proxy status", false, false, 0, 1000,
     kPodFields},
    {"apps", "v1", "daemonsets", "daemonset", "DaemonSet", true, "ds", "status"},
    {"apps", "v1", "replicasets", "replicaset", "ReplicaSet", true, "rs", "status"},
    {"policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", true, "pdb",
     "status", false, false, 21},
    {"policy", "v1beta1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", true, "pdb",
     "status", false, false, 0, 24},
    {"coordination.k8s.io", "v1", "leases", "lease", "Lease", true, "", ""},
    {"resource.k8s.io", "v1", "deviceclasses", "deviceclass", "DeviceClass", false, "", "", false, false, 34},
    {"resource.k8s.io", "v1", "resourceclaims", "resourceclaim", "ResourceClaim", true, "", "status", false,
     false, 34},
    {"resource.k8s.io", "v1", "resourceslices", "resourceslice", "ResourceSlice", false, "", "", false, false,
     34},
    {"resource.k8s.io", "v1beta2", "devicetaintrules", "devicetaintrule", "DeviceTaintRule", false, "",
     "status", false, false, 36, 36},
    {"resource.k8s.io", "v1", "devicetaintrules", "devicetaintrule", "DeviceTaintRule", false, "", "status",
     false, false, 37},
    {"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "selfsubjectaccessreview",
     "SelfSubjectAccessReview", false, "", "", false, true},
    {"authorization.k8s.io", "v1", "selfsubjectrulesreviews", "selfsubjectrulesreview",
     "SelfSubjectRulesReview", false, "", "", false, true},
    {"authentication.k8s.io", "v1", "selfsubjectreviews", "selfsubjectreview", "SelfSubjectReview", false, "",
     "", false, true, 28},
};

}  // namespace

std::string ResourceKind::key() const {
  return std::string(resource) + (group.empty() ? "" : "." + std::string(group));
}

std::string ResourceKind::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

bool ResourceKind::has(std::string_view subresource) const {
  std::string_view rest = subresources;
  while (!rest.empty()) {
    std::size_t blank = rest.find(' ');
    if (rest.substr(0, blank) == subresource) return true;
    if (blank == std::string_view::npos) break;
    rest.remove_prefix(blank + 1);
  }
  return false;
}

bool ResourceKind::is_served_by(std::string_view cluster) const {
  int minor = minor_of(cluster);
  return minor >= since_minor && minor <= last_minor;
}

int minor_of(std::string_view cluster) {
  std::size_t dot = cluster.find("v1.");
  int minor = 0;
  if (dot != std::string_view::npos)
    std::from_chars(cluster.data() + dot + 3, cluster.data() + cluster.size(), minor);
  return minor;
}

std::string_view eviction_version(std::string_view cluster) {
  return minor_of(cluster) < 22 ? "v1beta1" : "v1";
}

Kinds::Kinds() : all_(std::begin(kKinds), std::end(kKinds)) {}

const ResourceKind* Kinds::find(std::string_view group, std::string_view version,
                                std::string_view resource) const {
  for (const ResourceKind& kind : all_)
    if (kind.group == group && kind.version == version && kind.resource == resource) return &kind;
  return nullptr;
}

}  // namespace tessera::sim::kube
