// What the processes on a GPU come to: whose they are, which of them nothing entitles to it, and whether work
// that holds a share of MPS goes through MPS.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::insight {

enum class Standing : std::uint8_t {
  unknown,    // whose it is, or what that holds, is not told
  service,    // of the driver, of MPS, of whoever watches the GPU
  work,       // of a job or pod that holds this GPU, or a slice of it
  no_work,    // of no job or pod
  elsewhere,  // of a job or pod that does not hold this GPU
};
Standing standing_of(const Cluster& cluster, const Node& node, const Gpu& gpu, const GpuProcess& process);
// It computes where it has no allocation.
inline bool is_rogue(Standing standing) {
  return standing == Standing::no_work || standing == Standing::elsewhere;
}

// Why a node's processes are not told, or not whose they are, or not those of which the driver lists nothing,
// as its own source remarks it: for the cluster's remarks, and read from there.
Remark untold_processes(const NodeName& node, const Error& why);
Remark untold_owners(const NodeName& node, const std::string& why);
Remark untold_openers(const NodeName& node, const Error& why);
// That the driver lists no process on GPUs of which memory is in use.
Remark hidden_processes(const NodeName& node, const std::vector<GpuIndex>& gpus);
// The remark itself.
std::optional<std::string> why_hidden(const Cluster& cluster, const NodeName& node);
// What they say behind their first words.
std::optional<std::string> why_untold(const Cluster& cluster, const NodeName& node);
std::optional<std::string> why_no_owners(const Cluster& cluster, const NodeName& node);
std::optional<std::string> why_no_openers(const Cluster& cluster, const NodeName& node);

// That Slurm counts a node's GPUs otherwise than its driver: made here as a remark of the driver's answers,
// and known again here alone. A job of one of its GPUs may then be on another one than its scheduler tells.
std::string crossed_text(int counted, int minor, int index);
std::optional<std::string> why_crossed(const Cluster& cluster, const NodeName& node);

// Jobs that hold a share of MPS on this GPU, and a process that does not go through MPS.
struct PastMps {
  WorkloadId job;  // empty: one of those that hold a share; it is not told which
  const GpuProcess* process = nullptr;
  bool server = false;  // an MPS server has the GPU open all the same
  std::size_t more = 0;
};
// nullopt: all go through MPS, none does yet, or it is not told.
std::optional<PastMps> past_mps(const Cluster& cluster, const Node& node, const Gpu& gpu);
std::string to_text(const PastMps& found);

}  // namespace tessera::insight
