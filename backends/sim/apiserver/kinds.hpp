// The resources that the simulated API server knows, with the names by which kubectl asks for them.
// Threads: constant data.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera::sim::kube {

struct ResourceKind {
  std::string_view group;  // empty: the core group
  std::string_view version;
  std::string_view resource;  // plural: "nodes"
  std::string_view singular;
  std::string_view kind;
  bool namespaced = false;
  std::string_view short_name;    // "no"; empty: none
  std::string_view subresources;  // by blanks: "status eviction log"
  bool custom = false;            // a custom resource: no strategic patches
  bool create_only = false;       // reviews: answered, never kept
  int since_minor = 0;            // served from Kubernetes 1.<this> on
  int last_minor = 1000;          // ... up to 1.<this>

  // As the store calls it: "nodes", "daemonsets.apps".
  std::string key() const;
  std::string api_version() const;  // "v1", "apps/v1"
  bool has(std::string_view subresource) const;
  // cluster: its version, "kubernetes v1.32.2".
  bool is_served_by(std::string_view cluster) const;
};

// Of "kubernetes v1.32.2": 32; 0: not told.
int minor_of(std::string_view cluster);
// In which version pods/eviction is told: policy/v1beta1 before 1.22. Later servers still take that one.
std::string_view eviction_version(std::string_view cluster);

std::span<const ResourceKind> resource_kinds();
// nullptr: there is none. Several versions of a group may serve one resource.
const ResourceKind* find_kind(std::string_view group, std::string_view version, std::string_view resource);

}  // namespace tessera::sim::kube
