// The words in which an actuator for the GPU operator reports what its steps are judged by
// (NodeFacts::words), and the acts that only it knows (Special). A node's labels are words under their own
// keys.
//
// A word that is "" when all is well says otherwise itself what is wrong.
// Threads: constants.
#pragma once

#include <string>
#include <string_view>

namespace tessera::plan::words {

inline constexpr std::string_view kAccess = "access";                 // "": every verb was granted
inline constexpr std::string_view kDriverUpgrade = "driver upgrade";  // "": none under way
inline constexpr std::string_view kMigManager = "MIG manager";        // "": its pod is ready on the node
inline constexpr std::string_view kDevicePlugin = "device plugin";    // the same of the plugin's
inline constexpr std::string_view kAutoscaler = "autoscaler";         // "held" "free"
inline constexpr std::string_view kGpuPods = "GPU pods";      // "": none is there but those of DaemonSets
inline constexpr std::string_view kEviction = "eviction of";  // of(.., pod): "": not refused for good
inline constexpr std::string_view kMigMap =
    "MIG configuration file";  // ConfigMap that the ClusterPolicy names
inline constexpr std::string_view kPluginMap = "device plugin configurations";
inline constexpr std::string_view kMigEntry = "MIG configuration";  // of(.., name): the ConfigMap that has it
inline constexpr std::string_view kPluginEntry = "device plugin configuration";
inline constexpr std::string_view kMigFile = "the MIG manager's file";  // "": as new as the ConfigMap
// "": its label says for a while what it says; a change of it starts the plugin again, some seconds later
inline constexpr std::string_view kPluginSettled = "device plugin's time";
inline constexpr std::string_view kPluginFile = "the device plugin's file";
inline constexpr std::string_view kMigOrder = "MIG order";  // the label, where the manager works on it or has
inline constexpr std::string_view kMigFailure = "MIG failure";  // "": none; else the cause and the log's tail
inline constexpr std::string_view kMigStuck = "MIG manager's pace";  // "": it goes on, or is done
inline constexpr std::string_view kMigSlow = "MIG manager's time";   // "": no longer than usual
inline constexpr std::string_view kMigHollow =
    "MIG layout";  // "": what was told to be made is offered, or may be yet
inline constexpr std::string_view kMigWork = "MIG manager's work";  // "": it is at nothing; else at what
// The configuration that is made: told so, named by the label, and offered. "": none, or that cannot be told.
inline constexpr std::string_view kMigMade = "MIG layout made";
inline constexpr std::string_view kVgpuOrder = "vGPU order";      // as kMigOrder, of the vGPU device manager
inline constexpr std::string_view kVgpuFailure = "vGPU failure";  // "": none
inline constexpr std::string_view kVgpuOffer = "vGPUs on offer";  // of(.., type): how many are allocatable
// "default": whole GPUs alone; "mps": memory in parts alone; else what is offered, in words
inline constexpr std::string_view kAckOffer = "ACK's offer";
// Of pods that run slurmd (Slinky): "": no job is in any of them, and none begins there
inline constexpr std::string_view kSlurmWork = "Slurm's work";
inline constexpr std::string_view kSlurmBack = "slurmd";  // "": one runs on the node, and Slurm has it
inline constexpr std::string_view kSlurmReason = "drain reason";  // "": slurm-operator is told why it drains

inline constexpr std::string_view kDraDriver = "DRA driver";  // "": its pod is ready on the node
inline constexpr std::string_view kDevices =
    "DRA devices";  // "closed" by the run's DeviceTaintRule, or "open"
// "": it tells of instances that stand when it starts, and makes none itself.
inline constexpr std::string_view kDraStatic = "DRA driver's way";
// What it tells of the node's GPUs (operators::devices_text).
inline constexpr std::string_view kDraDevices = "the DRA driver's devices";
// "": its pod has started since the MIG manager reported its end.
inline constexpr std::string_view kDraAgain = "the DRA driver's new pod";

inline std::string of(std::string_view kind, std::string_view name) {
  return std::string(kind) + " " + std::string(name);
}

}  // namespace tessera::plan::words

namespace tessera::plan::verbs {

inline constexpr std::string_view kReviewAccess = "review-access";  // verbs, namespace
inline constexpr std::string_view kHoldAutoscaler = "hold-autoscaler";
inline constexpr std::string_view kFreeAutoscaler = "free-autoscaler";
inline constexpr std::string_view kWriteMigConfig =
    "write-mig-config";  // map, found, name, entry, diff [text]
inline constexpr std::string_view kWritePluginConfig =
    "write-plugin-config";                                                // map, found, name, text [base]
inline constexpr std::string_view kPatchPolicy = "patch-cluster-policy";  // policy, patch, found
inline constexpr std::string_view kLabelNode = "label-node";              // labels; empty: taken off
inline constexpr std::string_view kOrderMig = "order-mig";                // config, found
inline constexpr std::string_view kOrderVgpu = "order-vgpu";              // config, found, workload
inline constexpr std::string_view kRecoverMig = "recover-mig-manager";    // config, namespace
inline constexpr std::string_view kTellSlurm = "tell-slurm";              // words
inline constexpr std::string_view kStopSlurmd = "stop-slurmd";            // pod, slurm_node
// The run's DeviceTaintRule for all devices of the node: made, and taken away. No arguments.
inline constexpr std::string_view kCloseDevices = "close-devices";
inline constexpr std::string_view kOpenDevices = "open-devices";
inline constexpr std::string_view kRestartDra = "restart-dra-driver";  // no arguments

}  // namespace tessera::plan::verbs
