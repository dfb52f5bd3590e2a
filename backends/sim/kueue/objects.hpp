// Kueue's objects: the kinds that it brings, and what a scenario has of them at the start.
//
// After kueue.x-k8s.io v1beta1 and v1beta2 (Kueue 0.19). Threads: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backends/sim/apiserver/kinds.hpp"
#include "backends/sim/apiserver/store.hpp"
#include "backends/sim/scenario/kueue_plan.hpp"

namespace tessera::sim::kube {

inline constexpr std::string_view kJobs = "jobs.batch";
inline constexpr std::string_view kAdmissionChecks = "admissionchecks.kueue.x-k8s.io";
inline constexpr std::string_view kFlavors = "resourceflavors.kueue.x-k8s.io";
inline constexpr std::string_view kClusterQueues = "clusterqueues.kueue.x-k8s.io";
inline constexpr std::string_view kLocalQueues = "localqueues.kueue.x-k8s.io";
inline constexpr std::string_view kWorkloads = "workloads.kueue.x-k8s.io";

// Served in one version alone: "v1beta2", or "v1beta1" as an older Kueue has it. Jobs (batch/v1) are, too.
void add_kueue_kinds(Kinds& kinds, std::string_view version);

// Queues first, then work, that which waits longest first. now: from which the waiting is counted back.
std::vector<std::pair<Key, Json>> kueue_objects(const KueuePlan& plan, TimePoint now);

// The Workload that stands for a pod of its own (kueue.sigs.k8s.io, "Run Plain Pods").
std::pair<Key, Json> workload_of_pod(const Json& pod, std::string_view version);
// The Workload of a Job: as many pods as it has at the same time (spec.parallelism).
std::pair<Key, Json> workload_of_job(const Json& job, std::string_view version);

// The Workload of a group of pods (label kueue.x-k8s.io/pod-group-name), which is called as the group is: a
// pod set for those that are made alike. Precondition: there are some.
std::pair<Key, Json> workload_of_group(const std::string& name, const std::vector<ObjectPtr>& pods,
                                       std::string_view version);

// status.conditions: sets one, with the time of the change where its status changes.
void set_condition(Json& object, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, TimePoint now);
// nullptr: there is none of that type.
const Json* condition_of(const Json& object, std::string_view type);
bool holds(const Json& object, std::string_view type);

}  // namespace tessera::sim::kube
