// The Kubernetes role that tessera needs: the same list as docs/kubernetes.md.
#include "tui/cli/doctor.hpp"

namespace tessera::cli {
namespace {

constexpr std::string_view kRead =
    R"(# What tessera reads. Each rule may be left out: what it feeds is then shown as unknown.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: tessera
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
# devices of DRA drivers, and which pods hold them
- apiGroups: [resource.k8s.io]
  resources: [resourceslices, resourceclaims]
  verbs: [get, list, watch]
# which parts of the GPU stack should run where
- apiGroups: [apps]
  resources: [daemonsets]
  verbs: [get, list]
- apiGroups: [nvidia.com]
  resources: [clusterpolicies]
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
)";

constexpr std::string_view kOperatorRead = R"(---
# The GPU operator's own namespace: the configurations that a layout or a way of sharing is chosen from, and
# the port of its DCGM exporters, which tell use and memory of GPUs and which slice a pod holds.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: tessera
  namespace: gpu-operator
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list]
- apiGroups: [""]
  resources: [pods/proxy]
  verbs: [get]
)";

constexpr std::string_view kOperatorWrite =
    R"(# ... to which --write may add; the MIG manager's pod, where it hangs, and its log
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
  name: tessera
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: tessera
subjects:
- kind: Group
  name: gpu-admins  # whoever is to use tessera
  apiGroup: rbac.authorization.k8s.io
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: tessera
  namespace: gpu-operator
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: tessera
subjects:
- kind: Group
  name: gpu-admins
  apiGroup: rbac.authorization.k8s.io
)";

}  // namespace

std::string rbac_text(bool write) {
  std::string text(kRead);
  if (write) text += kWrite;
  text += kOperatorRead;
  if (write) text += kOperatorWrite;
  return text + std::string(kBinding);
}

}  // namespace tessera::cli
