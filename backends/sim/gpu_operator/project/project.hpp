// The world in Kubernetes' words: what its nodes, work and operator look like as objects of the API.
//
// Labels and resources of the GPUs are told as the GPU operator (v26.3) and its device plugin would tell them
// of the same GPUs, or as NVIDIA's DRA driver (dra-driver-nvidia-gpu v0.5) where that hands them out.
// Threads: pure functions of a world.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/apiserver/kinds.hpp"
#include "backends/sim/apiserver/store.hpp"
#include "backends/sim/gpu_operator/plugin_config.hpp"
#include "backends/sim/world.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::sim::kube {

inline constexpr std::string_view kOperatorNamespace = "gpu-operator";
inline constexpr std::string_view kPluginConfigMap = "device-plugin-config";
inline constexpr std::string_view kStaticMigConfigMap = "default-mig-parted-config";

using Projected = std::pair<Key, Json>;

// gpus: with the labels and resources that feature discovery and the device plugin tell; without, a
// controller of its own writes them.
Projected project_node(const World& world, std::uint32_t node, bool gpus = true);
Projected project_pod(const World& world, const Job& job);
// The DRA driver's kubelet plugin: selected by this label here, by its chart's affinity elsewhere.
inline constexpr std::string_view kDraDeploy = "nvidia.com/gpu.deploy.dra-driver";
inline constexpr std::string_view kDraName = "dra-driver-nvidia-gpu";
bool is_dra_plugin(const Json& pod);
// Its DaemonSet, where a node has it.
std::vector<Projected> dra_objects(const World& world);
// Whether it asks for devices of a DRA driver instead of resources.
bool asks_by_claim(const Shape& shape);
// The ResourceSlice of a node whose GPUs a DRA driver hands out; nullopt: of any other.
std::optional<Projected> project_devices(const World& world, std::uint32_t node);
Key devices_key(const World& world, std::uint32_t node);
// The ResourceClaim of a pod that asks by one, as made from its template.
std::optional<Projected> project_claim(const World& world, const Job& job, const Key& pod);
Key claim_key(const Key& pod);
std::vector<Projected> device_classes(const World& world);
// Namespaces, ReplicaSets and PodDisruptionBudgets of the work that there is.
std::vector<Projected> project_surroundings(const World& world);
// The custom resources that the operator brings: ClusterPolicy.
void add_operator_kinds(Kinds& kinds);
// ClusterPolicy, ConfigMaps and DaemonSets of the operator, as they are at the start.
std::vector<Projected> operator_objects(const World& world);
// ... and what joins them once the ClusterPolicy has virtual machines.
std::vector<Projected> sandbox_objects(const World& world);
// A PodDisruptionBudget's status, from the pods that stand.
Json budget_status(const Json& budget, const std::vector<ObjectPtr>& pods);

// What sharing calls the node.
sharing::NodeShape shape_of(const World& world, std::uint32_t node);
// How a device plugin is set up that shares like that.
PluginConfig shown_config(const sharing::NodeShape& shape);
// The value of nvidia.com/device-plugin.config that fits how the node is shared; empty: the default.
std::string plugin_config_of(const World& world, std::uint32_t node);
// The value of nvidia.com/mig.config that fits what is cut; empty: no GPU can be cut.
std::string mig_config_of(const World& world, std::uint32_t node);

}  // namespace tessera::sim::kube
