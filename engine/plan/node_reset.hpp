// Resetting GPUs of a node once no job has them (nvidia-smi --gpu-reset), beside any change of a layout.
//
// The driver's own rules, by NVIDIA's documents: no program may have such a GPU open, monitors included; its
// MIG instances are gone afterwards, so that a GPU in MIG mode is not reset by itself; before Ampere, GPUs
// that NVLink joins are reset in one command. Kubernetes gives no way to run a command on a node: there it is
// refused. Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

namespace resets {
// An act, as verb of Special. gpus: as gpu_numbers(). Asks the driver whether these answer and need no
// further reset. Errors: one does not, or does.
inline constexpr std::string_view kReadBack = "read-reset-back";

// Keys of NodeFacts::words, of the run that marks the node; their values are gpu_numbers(). The driver told
// of these that they were reset. Forgotten when the process ends: asking twice does no harm to an empty GPU.
inline constexpr std::string_view kDone = "GPUs that were reset";
// They answered afterwards, and needed no further reset.
// What the driver lists before, as "0=GPU-5d3f… 1=…": what answers afterwards is held against it.
inline constexpr std::string_view kBefore = "GPUs before their reset";
inline constexpr std::string_view kSound = "GPUs that answered after their reset";
}  // namespace resets

// "0,3"; each once, in order: a reading of it gives the same GPUs again.
std::string gpu_numbers(const std::vector<GpuIndex>& gpus);
// "0,2-3"; nullopt: it names none, one twice, or something that is no number of a GPU.
std::optional<std::vector<GpuIndex>> parse_gpus(std::string_view text);

Special read_reset_back(const std::vector<GpuIndex>& gpus);
bool is_reset_look(const Special& act);

// Why these GPUs of a node cannot be reset, as reason and hint; nullopt: they can.
std::optional<Error> why_no_reset(const Cluster& cluster, const Node& node, const std::vector<GpuIndex>& gpus,
                                  const Means& can);
// What must be free of work: these GPUs, or the whole node where the command itself needs room there.
Scope scope_of_reset(const std::vector<GpuIndex>& gpus, const Means& can);
// Precondition: why_no_reset() has nothing against it. blast_radius: of that scope.
std::vector<Step> reset_steps(const Node& node, const NodeAction& action, const Intent& intent,
                              const Means& can, std::vector<Disturbed> blast_radius);
// Gives a node back on which such a run has stopped: clients of the GPUs that it has stopped are started,
// what it has closed is opened, its mark goes. begun: as in Unfinished.
std::vector<Step> steps_after_reset(const Node& node, const Intent& intent, const Means& can,
                                    const std::set<std::string>& begun);
// Whether a step is one of those, of such a wish.
bool is_of_reset(const NodeAction& wished, const Step& step);
// What to know before: who else has GPUs open there, what a reset does not mend.
std::vector<Notice> notices_of_reset(const Node& node, const std::vector<GpuIndex>& gpus, const Means& can);

// What of a GPU's own state still asks for something after a reset, as the driver tells it; empty: nothing.
struct AfterReset {
  std::optional<bool> remap_pending, remap_failed, reset_required;  // nullopt: not told
  std::string recovery;                                             // "None", "Reset"; empty: not told
};
std::string why_unsound(GpuIndex gpu, const AfterReset& told);

}  // namespace tessera::plan
