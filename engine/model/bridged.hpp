// Pods that Slurm places onto Kubernetes nodes (Slinky's slurm-bridge): each is a pod of Kubernetes, and a
// job of Slurm stands for one or several of them. The words by which each side names the other, and which
// jobs are told by their pods already.
//
// As slurm-bridge 1.2 writes them: the job's AdminComment, which only Slurm's operators set, lists its pods
// as JSON; a pod's label has the number of its job. Both must agree, and be unique in what is read. Threads:
// pure functions of values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::slinky {

// Of a job's AdminComment: the pods that it stands for, "NAMESPACE/NAME"; empty: it stands for none, or names
// what no pod can be called.
std::vector<WorkloadId> read_bridged(std::string_view admin_comment);

// What such a job says of itself (Workload::comment), and then its user's own words. Those of a job that
// stands for no pod never read like it.
std::string bridged_comment(const std::vector<WorkloadId>& pods, std::string_view own);
// The pods of a job with such a comment; empty: none, or not all of them are named in it.
std::vector<WorkloadId> pods_of(const Workload& job);

// What a pod with that label says of itself, and the job that it names; nullopt: it has no such label.
inline constexpr std::string_view kJobLabel = "scheduler.slinky.slurm.net/slurm-jobid";
std::string placed_comment(std::string_view job_number);
std::optional<WorkloadId> placing_job(const Workload& pod);

// Whether all pods of the job are in this model and say the same, so that who holds what is told by them.
bool is_told_by_pods(const Model& model, const Cluster& cluster, const Workload& job);

}  // namespace tessera::slinky
