#include "tui/looks.hpp"

#include "engine/history/keeps_figures.hpp"
#include "engine/looks_into.hpp"
#include "tui/screens/pages/gpu.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kAgain{60'000};

}  // namespace

void Looks::follow(std::span<const BackendPtr> backends, const Model& model, const Screen& shown,
                   Duration now) {
  if (shown.kind == ScreenKind::gpu) {
    const GpuPlace at = gpu_on(shown, model);
    if (at.gpu) ask_processes(backends, shown.cluster, at.node->name, now);
  }
  if (shown.kind != ScreenKind::workload) return;
  const Cluster* cluster = model.find(shown.cluster);
  const Workload* work = cluster ? cluster->workloads.find(WorkloadId(shown.subject)) : nullptr;
  if (work && work->state == WorkloadState::pending) ask(backends, shown.cluster, work->id, now);
}

void Looks::ask(std::span<const BackendPtr> backends, const ClusterName& cluster, const WorkloadId& work,
                Duration now) {
  std::pair page(cluster, work);
  if (asked_ == page && now - at_ < kAgain) return;
  asked_ = std::move(page);
  at_ = now;
  for (const BackendPtr& backend : backends) {
    LooksInto* looks = backend->name() == cluster ? backend->looks_into() : nullptr;
    if (!looks) continue;
    looks->look_into(work, [box = box_, cluster](Details details) {
      const std::lock_guard lock(box->mutex);
      box->told.push_back({cluster, std::move(details)});
    });
  }
}

void Looks::ask_processes(std::span<const BackendPtr> backends, const ClusterName& cluster,
                          const NodeName& node, Duration now) {
  std::pair page(cluster, node);
  if (of_processes_ == page && now - processes_at_ < kAgain) return;
  of_processes_ = std::move(page);
  processes_at_ = now;
  for (const BackendPtr& backend : backends)
    if (history::AsksNodes* asks = backend->name() == cluster ? backend->asks_nodes() : nullptr)
      asks->look_at_processes(node);
}

std::vector<WorkDetails> Looks::take() {
  const std::lock_guard lock(box_->mutex);
  return std::exchange(box_->told, {});
}

}  // namespace tessera::tui
