// The Kubernetes role that tessera needs: the same list as docs/kubernetes.md.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/json.hpp"
#include "engine/text.hpp"
#include "tui/cli/doctor.hpp"

namespace tessera::cli {
namespace {

constexpr std::string_view kRead =
    R"(# What tessera reads. Each rule may be left out: what it feeds is then shown as unknown.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: @NAME@
rules:
# nodes, their labels and counts; who runs on them and who waits
- apiGroups: [""]
  resources: [nodes, pods]
  verbs: [get, list, watch]
# which cluster this is, whatever its context is called: a run and a plan file belong to one cluster
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
# what has happened to nodes lately
- apiGroups: [""]
  resources: [events]
  verbs: [get, list, watch]
# which pods may not be evicted now
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch]
# what Kueue has not admitted yet
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch]
# why, while its page is open: how much quota its queue has
- apiGroups: [kueue.x-k8s.io]
  resources: [localqueues, clusterqueues]
  verbs: [get]
# how many GPUs the pods of a namespace may ask for
- apiGroups: [""]
  resources: [resourcequotas]
  verbs: [get, list]
# devices of DRA drivers, and which pods hold them
- apiGroups: [resource.k8s.io]
  resources: [resourceslices, resourceclaims, devicetaintrules]
  verbs: [get, list, watch]
# why a pod waits, while its page is open: its volume claims, and what Volcano or KAI say of it
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get]
- apiGroups: [scheduling.volcano.sh, scheduling.run.ai]
  resources: [podgroups]
  verbs: [get]
# which parts of the GPU stack should run where
- apiGroups: [apps]
  resources: [daemonsets]
  verbs: [get, list]
- apiGroups: [nvidia.com]
  resources: [clusterpolicies, gpuclusters]
  verbs: [get, list]
)";

constexpr std::string_view kWrite =
    R"(# What tessera changes with --write: marks, labels and cordon of nodes, evictions of pods that a plan named,
# and the operator's choice of configurations.
- apiGroups: [""]
  resources: [nodes]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- apiGroups: [nvidia.com]
  resources: [clusterpolicies]
  verbs: [patch]
# while a node of a DRA driver is cut, claims are kept off its devices
- apiGroups: [resource.k8s.io]
  resources: [devicetaintrules]
  verbs: [create, delete]
)";

constexpr std::string_view kOperatorRead = R"(---
# The GPU operator's own namespace: the configurations that a layout or a way of sharing is chosen from, and
# the port of its DCGM exporters, which report use and memory of GPUs and which slice a pod holds.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list]
- apiGroups: [""]
  resources: [pods/proxy]
  verbs: [get]
)";

constexpr std::string_view kOperatorWrite =
    R"(# ... to which --write may add; the MIG manager's pod, where it hangs, and its log; the device plugin's pod for
# `tessera node restart-plugin`. Where a chart of its own brings the plugin, --operator-namespace names that one's.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create, patch]
- apiGroups: [""]
  resources: [pods]
  verbs: [delete]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
)";

constexpr std::string_view kBinding = R"(---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: @NAME@
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: @NAME@
subjects:
- kind: Group
  name: @GROUP@
  apiGroup: rbac.authorization.k8s.io
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: @NAME@
subjects:
- kind: Group
  name: @GROUP@
  apiGroup: rbac.authorization.k8s.io
)";

constexpr std::string_view kPrometheus = R"(---
# Prometheus, as the setting prometheus names it: the API server hands one question for all nodes on to it.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: @NAME@-prometheus
  namespace: @SPACE@
rules:
- apiGroups: [""]
  resources: [services/proxy]
  resourceNames: [@SERVICE@]
  verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: @NAME@-prometheus
  namespace: @SPACE@
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: @NAME@-prometheus
subjects:
- kind: Group
  name: @GROUP@
  apiGroup: rbac.authorization.k8s.io
)";

// What the setting names behind the API server: "monitoring/prometheus-k8s:9090". RBAC knows it by what
// stands between services/ and /proxy in the request, the port and "https:" included.
struct NamedService {
  std::string name_space, name;
};

bool is_plain(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-:") == std::string_view::npos;
}

// nullopt: none is set. Errors: it is set, and names nothing that a role could name.
Result<std::optional<NamedService>> named_service(const Options& options) {
  std::optional<NamedService> named;
  const auto setting = options.figures.find("prometheus");
  if (setting == options.figures.end()) return named;
  for (std::string_view rest = setting->second.value; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (one.find("://") != std::string_view::npos) continue;  // of a Slurm cluster
    const std::size_t slash = one.find('/');
    const std::string_view name = slash == std::string_view::npos ? "" : one.substr(slash + 1);
    const std::string_view space = one.substr(0, slash);
    if (!is_plain(name) || name.find(':') == std::string_view::npos || !is_plain(space) ||
        space.find(':') != std::string_view::npos)
      return Error{"cannot use this setting", setting->second.from + ": \"" + clean(one, 200) + "\"",
                   "NAMESPACE/SERVICE:PORT, like monitoring/prometheus-k8s:9090"};
    // As backends/figures/sources.cpp: a role for the second alone would leave the first without rights.
    if (named)
      return Error{
          "cannot use this setting",
          setting->second.from + ": " +
              fmt::format("two services are named: {} and {}", named->name_space + "/" + named->name, one),
          "keep one of them: a service for Kubernetes and a URL for Slurm may stand side by side"};
    named = NamedService{std::string(space), std::string(name)};
  }
  return named;
}

std::string with(std::string text, std::string_view mark, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
  return text;
}

}  // namespace

Result<std::string> rbac_text(const Options& options) {
  const auto prometheus = named_service(options);
  if (!prometheus) return prometheus.error();
  std::string text = fmt::format(
      "# For the group {}, and for a GPU operator in the namespace {}: --group and --operator-namespace "
      "name\n"
      "# others. To apply it, one must have these rights oneself.\n",
      options.group, options.operator_namespace);
  text += kRead;
  if (options.write) text += kWrite;
  text += kOperatorRead;
  if (options.write) text += kOperatorWrite;
  text += kBinding;
  if (const auto& service = *prometheus) {
    std::string role = with(std::string(kPrometheus), "@SPACE@", to_line(Json::of(service->name_space)));
    text += with(std::move(role), "@SERVICE@", to_line(Json::of(service->name)));
  }
  text = with(std::move(text), "@NAME@", options.write ? "tessera-change" : "tessera-view");
  text = with(std::move(text), "@NAMESPACE@", options.operator_namespace);
  return with(std::move(text), "@GROUP@", to_line(Json::of(options.group)));
}

}  // namespace tessera::cli
