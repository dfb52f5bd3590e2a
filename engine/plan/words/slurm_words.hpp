// What the steps for Slurm and the actuator that carries them out call things: verbs of Special, and keys of
// NodeFacts::words with the values that mean "as it should be".
//
// Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tessera::plan::slurm {

// Acts that only Slurm knows. Arguments are named beside them.
namespace verb {
inline constexpr std::string_view kStopClients = "stop-gpu-clients";
inline constexpr std::string_view kStartClients = "start-gpu-clients";
// nvidia-mig-parted makes several GPUs so at once. config: the name in `text`, its configuration file
inline constexpr std::string_view kApplyParted = "apply-mig-parted";
inline constexpr std::string_view kWriteBootFile = "write-boot-file";  // path, text
inline constexpr std::string_view kBootUnit = "boot-unit";             // unit, state: "enabled" "disabled"
inline constexpr std::string_view kWriteConfig = "write-config";       // gres: as gres_text()
inline constexpr std::string_view kReconfigure = "reconfigure";
// By srun: a node that this run has drained is opened under its reservation, so that its GPUs can be asked.
inline constexpr std::string_view kOpenToLook = "open-to-look";
inline constexpr std::string_view kRestartController = "restart-controller";
inline constexpr std::string_view kRestartNode = "restart-node";
}  // namespace verb

// Among an intent's Orders: "disabled" where an undo takes back that the run enabled the site's boot unit.
inline constexpr std::string_view kBootUnitOrder = "boot-unit";

// Facts. Where the good value is empty, any other value says what is wrong.
namespace key {
inline constexpr std::string_view kController = "controller";  // "": a controller answers
inline constexpr std::string_view kAdmin = "admin";          // "": we may change nodes, or that is not known
inline constexpr std::string_view kWritable = "writable";    // "": the files can be written
inline constexpr std::string_view kElsewhere = "elsewhere";  // "": a reconfigure would change this node only
// "": slurmctld has forgotten all ended jobs that held mps or shards of this node
inline constexpr std::string_view kForgotten = "forgotten";
inline constexpr std::string_view kReachable = "reachable";  // "": commands reach the node
inline constexpr std::string_view kOpen = "open-for-steps";  // "": it is not drained; a step can run there
// "": the driver's own word is in the picture, or is not needed. Else a plan must not be made from it.
inline constexpr std::string_view kBoards = "boards";
// "" or not reported: the GPUs are as the driver reports them, or nothing there is cut. Else why it could not
// be asked: no condition on instances, modes or layouts holds then.
inline constexpr std::string_view kDriver = "driver";
inline constexpr std::string_view kConfig = "config";          // gres_text() of what the files say
inline constexpr std::string_view kGres = "gres";              // gres_text() of what slurmctld says
inline constexpr std::string_view kRegistered = "registered";  // "yes", or what the node's flags say
inline constexpr std::string_view kBootFile = "boot-file";     // digest() of what stands there
// "enabled" "disabled", or what else systemctl says; "enabled", too, where no systemctl is: what cannot be
// had is told before, by plan and doctor.
inline constexpr std::string_view kBootUnit = "boot-unit";
inline constexpr std::string_view kBootUnitUsable = "boot-unit-usable";  // "": it can be enabled, or is
// What this run had done since the files were last written; "yes". Asking twice does no harm.
inline constexpr std::string_view kClients = "gpu-clients";  // "stopped" "started"
inline constexpr std::string_view kReconfigured = "reconfigured";
inline constexpr std::string_view kControllerRestarted = "controller-restarted";
inline constexpr std::string_view kNodeRestarted = "node-restarted";
}  // namespace key

// "gpu:1g.10gb:7,gpu:3g.40gb:2,mps:200": sorted, without what is 0. mps and shard carry no type, as Slurm
// copies that from the GPU. Empty: no GPU at all.
std::string gres_text(const std::map<std::string, std::int64_t>& counts);

}  // namespace tessera::plan::slurm
