// Slurm nodes whose slurmd runs in a pod of Kubernetes (Slinky's slurm-operator): the words by which each
// side names the other, as slurm-operator 1.2 writes them. Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera::slinky {

// How the reason begins of each drain that slurm-operator makes. It undoes those, and no other.
inline constexpr std::string_view kOwnReason = "slurm-operator:";

// A Slurm node's Comment. nullopt: a comment of another kind, or names that no pod can have.
std::optional<HostPod> read_comment(std::string_view comment);

// What a pod that runs slurmd says of itself (Workload::comment): its Slurm node, and that node's states as
// slurm-operator tells them; states: {"IDLE", "DRAIN"}, empty: not told.
std::string pod_comment(std::string_view slurm_node, const std::vector<std::string>& states,
                        std::string_view reason);
// The Slurm node of a pod with such a comment; nullopt: it runs no slurmd.
std::optional<std::string> slurm_node_of(const Workload& pod);

// By the states: no job runs on the node, and none is started there.
bool is_empty(const std::vector<std::string>& states);
// Why it does not work: DOWN, not responding, registered with less than is configured; empty: it does.
std::string why_not_up(const std::vector<std::string>& states);

}  // namespace tessera::slinky
