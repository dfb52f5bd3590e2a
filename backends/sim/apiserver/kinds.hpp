// The resources that a simulated API server serves, with the names by which kubectl asks for them: those of
// Kubernetes itself, and what whoever owns the server adds (custom resources).
// Threads: constant data; Kinds is filled before it is served.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>

namespace tessera::sim::kube {

// Of the map at `path` (names by blanks): the fields that a server knows. A part that is not listed may hold
// anything.
struct KnownFields {
  std::string_view path, fields;
};

// Of a custom resource, as its definition prints it beside the name (additionalPrinterColumns).
struct PrintedColumn {
  std::string_view name, type, path;  // path: names by blanks
};

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
  std::span<const KnownFields> known = {};
  std::span<const PrintedColumn> columns = {};

  // As the store calls it: "nodes", "daemonsets.apps".
  std::string key() const;
  std::string api_version() const;  // "v1", "apps/v1"
  bool has(std::string_view subresource) const;
  // cluster: its version, "kubernetes v1.32.2".
  bool is_served_by(std::string_view cluster) const;
};

// Of "kubernetes v1.32.2": 32; 0: not reported.
int minor_of(std::string_view cluster);
// In which version pods/eviction is told: policy/v1beta1 before 1.22. Later servers still take that one.
std::string_view eviction_version(std::string_view cluster);

class Kinds {
 public:
  Kinds();  // those of Kubernetes itself

  // What the texts of `kind` point to outlives this.
  void add(const ResourceKind& kind) { all_.push_back(kind); }
  const std::deque<ResourceKind>& all() const { return all_; }
  // nullptr: there is none. Several versions of a group may serve one resource. Stays where it is.
  const ResourceKind* find(std::string_view group, std::string_view version, std::string_view resource) const;

 private:
  std::deque<ResourceKind> all_;
};

}  // namespace tessera::sim::kube
