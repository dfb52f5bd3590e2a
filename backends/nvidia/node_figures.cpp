#include "backends/nvidia/node_figures.hpp"

#include <algorithm>
#include <utility>

#include "engine/model/processes.hpp"

namespace tessera::nvidia {
namespace {

// What a driver keeps of memory where no program runs. Before 510 it counted its reserve, too.
constexpr Mib kMostOwnMemory{1024};

// "C" and "G" as "C+G"; MPS' clients are marked by an M (recorded on 580.159.04: "M+C").
bool is_mps_client(const Client& client) { return client.type.starts_with("M+"); }

std::vector<GpuProcess> processes_of(const Board& board) {
  std::vector<DriverProcess> all;
  for (const Client& client : board.clients)
    if (client.pid > 0)
      all.push_back({{client.pid, client.name, client.instance, client.used, {}}, is_mps_client(client)});
  return in_order_of_mps(std::move(all));
}

// Of the compute instance with the lowest id: programs find the whole instance by it where it has but one.
std::string uuid_of(const std::vector<MigDevice>& devices, GpuIndex gpu, int instance) {
  const MigDevice* first = nullptr;
  for (const MigDevice& one : devices)
    if (one.gpu == gpu && one.instance == instance && (!first || one.compute < first->compute)) first = &one;
  return first ? first->uuid : std::string();
}

// There are samples, and they leave nothing of the GPU's use over.
bool make_up_the_use(const GpuFigures& gpu) {
  double sampled = 0;
  bool any = false;
  for (const GpuProcess& one : *gpu.processes)
    if (one.use) any = true, sampled += one.use->value;
  return any && gpu.figures.use && make_up_use(gpu.figures.use->value, sampled);
}

SliceFigures take_figures(Slice& slice) {
  SliceFigures figures;
  figures.profile = slice.profile;
  figures.instance_id = slice.instance_id;
  figures.device = slice.device;
  figures.use = std::exchange(slice.use, {});
  figures.memory_used = std::exchange(slice.memory_used, {});
  return figures;
}

}  // namespace

Measured take_measured(NodeName node, NodeGpus& looked, TimePoint at) {
  Measured told{std::move(node), Source::nvidia_smi, at, {}};
  for (std::size_t i = 0; i < looked.gpus.size(); ++i) {
    Gpu& gpu = looked.gpus[i];
    GpuFigures figures;
    figures.gpu = gpu.index;
    figures.uuid = gpu.uuid;
    figures.figures = std::exchange(gpu.telemetry, {});
    figures.figures.origin = {};
    if (i < looked.boards.size()) figures.processes = processes_of(looked.boards[i]);
    for (Slice& slice : gpu.slices) {
      SliceFigures of_slice = take_figures(slice);
      if (slice.instance_id) of_slice.uuid = uuid_of(looked.devices, gpu.index, *slice.instance_id);
      figures.slices.push_back(std::move(of_slice));
    }
    const bool cut = gpu.mig_mode == MigMode::enabled;
    if (figures.processes && memory_of_none(figures, cut)) figures.processes.reset();
    told.gpus.push_back(std::move(figures));
  }
  return told;
}

bool shares_a_gpu(const Measured& told) {
  return std::any_of(told.gpus.begin(), told.gpus.end(), [](const GpuFigures& gpu) {
    const bool cut = std::any_of(gpu.slices.begin(), gpu.slices.end(),
                                 [](const SliceFigures& one) { return one.instance_id.has_value(); });
    return !cut && gpu.processes &&
           std::count_if(gpu.processes->begin(), gpu.processes->end(),
                         [](const GpuProcess& one) { return !is_service(one); }) > 1;
  });
}

void put_use(Measured& told, const ProcessUse& use) {
  for (GpuFigures& gpu : told.gpus) {
    if (!gpu.processes) continue;
    std::vector<GpuProcess*> without;
    for (GpuProcess& one : *gpu.processes) {
      const auto found = use.find({gpu.gpu.value, one.pid});
      if (found == use.end()) continue;
      one.use = found->second;
      if (!one.use) without.push_back(&one);
    }
    if (!make_up_the_use(gpu)) continue;
    for (GpuProcess* one : without) one->use = Percent{0};
  }
}

std::optional<Mib> memory_of_none(const GpuFigures& gpu, bool cut) {
  const std::optional<Mib>& used = gpu.figures.memory_used;
  if (cut || (gpu.processes && !gpu.processes->empty()) || !used || *used <= kMostOwnMemory)
    return std::nullopt;
  return used;
}

}  // namespace tessera::nvidia
