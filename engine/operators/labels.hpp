// Names by which the GPU operator is driven, and those under which tessera leaves its own traces on a node.
//
// After GPU operator v26.3, mig-parted v0.15, k8s-device-plugin v0.20, vgpu-device-manager v0.4; the
// autoscalers' names after their own documentation. Threads: constants.
#pragma once

#include <array>
#include <string_view>

namespace tessera::operators {

inline constexpr std::string_view kMigConfig = "nvidia.com/mig.config";
inline constexpr std::string_view kMigState = "nvidia.com/mig.config.state";
inline constexpr std::string_view kPluginConfig = "nvidia.com/device-plugin.config";
inline constexpr std::string_view kVgpuConfig = "nvidia.com/vgpu.config";
inline constexpr std::string_view kVgpuState = "nvidia.com/vgpu.config.state";
inline constexpr std::string_view kWorkload = "nvidia.com/gpu.workload.config";
inline constexpr std::string_view kDriverUpgrade = "nvidia.com/gpu-driver-upgrade-state";
inline constexpr std::string_view kDeployPrefix = "nvidia.com/gpu.deploy.";
// "false": the node goes without a device plugin, so that nothing of its GPUs is offered.
inline constexpr std::string_view kPluginDeploy = "nvidia.com/gpu.deploy.device-plugin";
inline constexpr std::string_view kPausedForMig = "paused-for-mig-change";
// What the MIG manager pauses while it works (nvidia.com/gpu.deploy.<part>).
inline constexpr std::array<std::string_view, 6> kPausedParts = {
    "device-plugin", "gpu-feature-discovery", "dcgm-exporter", "dcgm", "nvsm", "client"};
inline constexpr std::string_view kSharingStrategy = "nvidia.com/gpu.sharing-strategy";
inline constexpr std::string_view kReplicas = "nvidia.com/gpu.replicas";

inline constexpr std::string_view kMigKey = "config.yaml";  // of a MIG manager's ConfigMap

// Annotations of tessera's.
inline constexpr std::string_view kMark = "tessera/run";        // the run that changes the node
inline constexpr std::string_view kClosing = "tessera/closed";  // the run that cordoned it, and its words
inline constexpr std::string_view kHeld = "tessera/held";       // autoscaler annotations that a run set
inline constexpr std::string_view kScaleDown = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
inline constexpr std::string_view kDisrupt = "karpenter.sh/do-not-disrupt";

// Names of what tessera adds.
inline constexpr std::string_view kOurs = "tessera-";
inline constexpr std::string_view kOurMigMap = "tessera-mig-config";
inline constexpr std::string_view kOurPluginMap = "tessera-device-plugin-config";

}  // namespace tessera::operators
