// What a job asked for and what it holds, in GPUs, MPS shares and shards.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera::slurm {

// One `Nodes=… CPU_IDs=… Mem=… GRES=…` group of a job: equal nodes are folded into one.
struct JobGroup {
  std::string_view nodes;
  std::string_view gres;
};

// What allocations weigh in memory: comments can look like jobs, and a few bytes of them unfold to very much.
std::size_t weight_of(const std::vector<Allocation>& allocations);
constexpr std::size_t kMostOfJob = 1'000'000, kMostOfAnswer = 5'000'000;

// Adds what the group holds on each of its nodes, an allocation of nothing where it holds no GPU: the job is
// there all the same. The result names what could not be read. With more than `room` in all nothing of the
// job is believed: `into` and `room` become empty.
std::optional<std::string> add_allocations(const JobGroup& group, std::vector<Allocation>& into,
                                           std::size_t& room);

// Adds an allocation of nothing on each node of `nodes` (a folded list) that none of `into` names: a job is
// on all nodes of its NodeList=, whatever its groups tell. The result names what could not be read.
std::optional<std::string> add_nodes(std::string_view nodes, std::vector<Allocation>& into,
                                     std::size_t& room);

// The fields in which Slurm reports what was asked for, as they stand in the record.
struct Asked {
  std::string_view per_job, per_node, per_task, per_socket;  // TresPerJob=, …
  std::string_view tres;                                     // ReqTRES=, or TRES= up to 22.05
  int nodes = 1;
  std::optional<int> tasks;
};

// The fields in which Slurm reports the CPUs and the memory that were asked for.
struct AskedMachine {
  std::string_view nodes;                          // NumNodes=: "1", "2-4"
  std::string_view cpus_of_node;                   // MinCPUsNode=
  std::string_view memory_of_node, memory_of_cpu;  // MinMemoryNode= or MinMemoryCPU=
  std::string_view cpus_of_gpu, memory_of_gpu;     // CpusPerTres=, MemPerTres=
};
// Fills in how much of both it asks for: in all, and of each of its nodes at the least.
void read_machine(const AskedMachine& machine, const Asked& asked, const std::vector<Request>& requests,
                  NodeNeeds& needs);

// GPU resources in all, in the words of the field that tells most directly: per job, node or task, then the
// trackable resources (which only sites with accounting show), then per socket, counted once a node. The
// result names what could not be read.
std::optional<std::string> requests_of(const Asked& asked, std::vector<Request>& into);
// Whether these are counted for each node, and not for the job or its tasks, which Slurm may spread.
bool asks_each_node(const Asked& asked);

}  // namespace tessera::slurm
