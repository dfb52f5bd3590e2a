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
# which parts of the GPU stack should run where
- apiGroups: [apps]
  resources: [daemonsets]
  verbs: [get, list]
- apiGroups: [nvidia.com]
  resources: [clusterpolicies]
  verbs: [get, list]
)";

constexpr std::string_view kWrite =
    R"(# What tessera changes with --write: labels and cordon of nodes, evictions of the pods that a plan named.
- apiGroups: [""]
  resources: [nodes]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
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
)";

}  // namespace

std::string rbac_text(bool write) {
  std::string text(kRead);
  if (write) text += kWrite;
  return text + std::string(kBinding);
}

}  // namespace tessera::cli
