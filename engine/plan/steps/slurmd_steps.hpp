// Nodes whose pods run slurmd (Slinky): what a plan of the Kubernetes side does about Slurm.
//
// The cordon drains the node in Slurm, too: slurm-operator sees to it, with the reason that it is told, and
// opens it again afterwards. So one plan of one cluster drains both, and Slurm's jobs are waited for, never
// ended. Threads: pure functions of values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/operators/slinky.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {

using SlurmdPods = std::map<std::string, operators::SlurmdPod>;

// The simulator tells it as a label of the machine: "NAMESPACE/POD", and with blanks between what of which
// resource that pod asks for. No real cluster has it.
inline constexpr std::string_view kSimulatedSlurmd = "tessera.sim/slurmd";

// By pod, "namespace/name": those on the node of the change.
SlurmdPods slurmd_pods_on(const NodeChange& change);

// Why a Slurm node cannot be planned by itself: its slurmd runs in a pod.
std::string planned_on_its_machine(const HostPod& pod);

// The steps about Slurm alone, for whoever builds a plan of the machine. guarded: what everything there
// relies on.
Step await_slurm_step(const ChangeOptions& options, Conditions guarded);
std::vector<Step> stop_slurmd_steps(const SlurmdPods& pods, const Conditions& guarded);
// Some of these are made again on the machine once it is open, and can be waited for there.
bool starts_again(const SlurmdPods& pods);
Step await_slurmd_step();
// Another than the run that has marked it keeps a machine closed: no slurmd is started there, and none is
// waited for.
bool is_closed_by_another(const NodeFacts& facts);

// What to know before arming.
std::vector<Notice> slurmd_notices(const NodeChange& change);

}  // namespace tessera::plan
