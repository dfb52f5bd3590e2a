#include "engine/insight/own_use.hpp"

#include "engine/insight/processes.hpp"
#include "engine/model/processes.hpp"

namespace tessera::insight {
namespace {

bool elsewhere(const std::optional<int>& instance, const Slice& slice) {
  return instance && slice.instance_id && instance != slice.instance_id;
}

// A pod or job of the same name may have been there before.
bool began_before(const Cluster& cluster, const WorkloadId& holder, TimePoint told) {
  const Workload* work = cluster.workloads.find(holder);
  return work && (!work->started || *work->started < told);
}

std::optional<OwnFigures> by_name(const Gpu& gpu, const Slice& slice, const WorkloadId& holder) {
  if (!gpu.own) return std::nullopt;
  for (const OwnUse& one : gpu.own->list)
    if (one.workload == holder && !elsewhere(one.instance_id, slice) && (one.use || one.memory_used))
      return OwnFigures{one.use, one.memory_used, gpu.own->origin};
  return std::nullopt;
}

// Told only where it is known whose each process is, and each of its own has the figure.
std::optional<OwnFigures> by_processes(const Cluster& cluster, const Node& node, const Gpu& gpu,
                                       const Slice& slice, const WorkloadId& holder) {
  if (!gpu.processes || why_untold(cluster, node.name)) return std::nullopt;
  OwnFigures sum{Percent{0}, Mib{0}, gpu.processes->origin};
  bool any = false;
  for (const GpuProcess& one : gpu.processes->list) {
    if (elsewhere(one.instance_id, slice)) continue;
    if (one.workload.empty() && !is_service(one)) return std::nullopt;  // it may be its own
    if (one.workload != holder) continue;
    any = true;
    if (sum.use && one.use)
      sum.use->value += one.use->value;
    else
      sum.use.reset();
    if (sum.memory && one.memory)
      sum.memory->value += one.memory->value;
    else
      sum.memory.reset();
  }
  return any && (sum.use || sum.memory) ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<OwnFigures> own_figures(const Cluster& cluster, const Node& node, const Gpu& gpu,
                                      const Slice& slice, const WorkloadId& holder) {
  auto named = by_name(gpu, slice, holder);
  auto processes = by_processes(cluster, node, gpu, slice, holder);
  if (named && processes) (named->origin.at < processes->origin.at ? named : processes).reset();
  auto& found = named ? named : processes;
  return found && began_before(cluster, holder, found->origin.at) ? found : std::nullopt;
}

}  // namespace tessera::insight
