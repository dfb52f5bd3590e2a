// Texts to hand to users: pod snippets, submit lines, memory limits, queries, scripts. All copyable as they
// are.
//
// Names from a cluster are cleaned, and refused where they would not be a name (quotes, line breaks).
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/guide/proposals.hpp"

namespace tessera::guide {

struct Advice {
  std::string id;  // "pod", "sbatch", "pytorch", "tensorflow", "peak-memory", "mps-job", …
  std::string title;
  std::string text;  // one or more lines, ends without a line break
};

// A pod that asks for one of a resource; empty for a name that is no resource name.
std::string pod_snippet(std::string_view resource, bool host_ipc);
// "sbatch --gres=gpu:1g.10gb:1 job.sh"; resource in Slurm's words, as Request::resource.
std::string sbatch_line(std::string_view resource, std::int64_t count);
// Limits of one share among so many.
std::string pytorch_limit(int replicas);
std::string tensorflow_limit(Mib share);
// Peak memory of each pod on a board over a window: "7d", "12h".
std::string peak_memory_query(std::string_view window);
// Variables for one client, and a job script that starts a daemon of its own and cleans up after itself.
std::string mps_variables(int percent, std::optional<Mib> memory);
std::string mps_job_script(int percent);
enum class TimeSlice : std::uint8_t { standard, brief, medium, extended };
std::string time_slice_command(TimeSlice length, std::optional<GpuIndex> gpu = {});
// The device plugin's configuration for MPS or time-slicing.
// With the switches that the node has, or that are wished for; nullopt: the names stay, and a pod that asks
// for several shares is refused.
std::string sharing_config(Strategy method, std::string_view resource, int replicas,
                           const std::optional<plan::Switches>& switches = {});

// What goes with a leaf here. proposal: the one that is looked at; nullptr: in general.
std::vector<Advice> advice(Strategy strategy, sharing::Platform platform, const Proposal* proposal);

}  // namespace tessera::guide
