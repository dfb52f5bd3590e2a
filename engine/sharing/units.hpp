// What one of a family is called where people read it: Slurm counts mps and shards, a device plugin makes
// shares of a GPU and lets clients onto it by MPS. Files and JSON keep word(Family).
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/values.hpp"

namespace tessera::sharing {

// "25 mps", "2 shard" on Slurm; "2 shares", "1 MPS client" on Kubernetes, "4 GiB" where that counts memory.
std::string units_text(const Workload& workload, Family family, std::int64_t count);
// "GiB" (ACK), "MiB" (HAMi): what a resource of Kubernetes counts memory of GPUs in; empty: it counts no
// memory.
std::string_view memory_unit(std::string_view resource);
// What a pod's units of that family count of memory: "GiB" (ACK). Empty where it asks for GPUs beside the
// memory, and of HAMi, whose memory only limits the share that it comes with.
std::string_view memory_unit(const Workload& workload, Family family);
// Whether the name of a sum is one of these units: "GiB", "MiB h100".
bool is_memory(std::string_view name, Scheduler scheduler);
// Of a name that begins with a family's word or "MPS", as a sum of a user's holdings has it.
std::string unit_name(const std::string& name, Scheduler scheduler);

}  // namespace tessera::sharing
