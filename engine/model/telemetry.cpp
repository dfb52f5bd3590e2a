#include "engine/model/telemetry.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/model/tells_any.hpp"

namespace tessera {
namespace {

bool is_of(const GpuFigures& figures, const Gpu& gpu) {
  if (!figures.uuid.empty() && !gpu.uuid.empty()) return figures.uuid == gpu.uuid;
  return figures.gpu == gpu.index;
}

bool is_of(const SliceFigures& figures, const Gpu& gpu, const Slice& slice) {
  if (figures.profile != slice.profile) return false;
  if (figures.instance_id && slice.instance_id) return *figures.instance_id == *slice.instance_id;
  if (figures.device && slice.device) return *figures.device == *slice.device;
  return gpu.slices.size() == 1;
}

// The source whose figures are shown, of those for which `tells` is true; nullptr: none tells.
template <class Tells>
const Measured* shown_of(const FiguresOfNode& told, TimePoint now, Tells tells) {
  const Measured* best = nullptr;
  const auto worth = [&](const Measured& one) {
    const bool fresh = now - one.at <= kFiguresFresh;
    return std::tuple(fresh, fresh ? rank_of(one.source) : 0, one.at);
  };
  for (const auto& [source, one] : told)
    if (tells(one) && (!best || worth(*best) < worth(one))) best = &one;
  return best;
}

const GpuFigures* find(const Measured& measured, const Gpu& gpu) {
  for (const GpuFigures& figures : measured.gpus)
    if (is_of(figures, gpu)) return &figures;
  return nullptr;
}

const SliceFigures* find(const Measured& measured, const Gpu& gpu, const Slice& slice) {
  const GpuFigures* of_gpu = find(measured, gpu);
  if (!of_gpu) return nullptr;
  for (const SliceFigures& figures : of_gpu->slices)
    if (is_of(figures, gpu, slice)) return &figures;
  return nullptr;
}

bool show(Gpu& gpu, const FiguresOfNode& told, TimePoint now) {
  const Measured* from = shown_of(told, now, [&](const Measured& one) {
    const GpuFigures* figures = find(one, gpu);
    return figures && tells_any(figures->figures);
  });
  Telemetry figures = from ? find(*from, gpu)->figures : Telemetry{};
  if (from) figures.origin = {from->source, from->at};
  const Source before = gpu.telemetry.origin.source;
  gpu.telemetry.origin.at = figures.origin.at;
  const bool other = gpu.telemetry != figures || before != figures.origin.source;
  gpu.telemetry = std::move(figures);
  return other;
}

bool show(Slice& slice, const Gpu& gpu, const FiguresOfNode& told, TimePoint now) {
  const Measured* from = shown_of(told, now, [&](const Measured& one) {
    const SliceFigures* figures = find(one, gpu, slice);
    return figures && tells_any(*figures);
  });
  const SliceFigures figures = from ? *find(*from, gpu, slice) : SliceFigures{};
  const Source source = from ? from->source : Source::none;
  const bool other = slice.use != figures.use || slice.memory_used != figures.memory_used ||
                     slice.tensor != figures.tensor || slice.memory_busy != figures.memory_busy ||
                     slice.measured.source != source;
  slice.use = figures.use;
  slice.memory_used = figures.memory_used;
  slice.tensor = figures.tensor;
  slice.memory_busy = figures.memory_busy;
  slice.measured = {source, from ? from->at : TimePoint{}};
  return other;
}

// Processes and the UUIDs of instances are told by few sources, and now and then: the newest counts, with its
// time, whichever source's figures are shown.
bool show_processes(Gpu& gpu, const FiguresOfNode& told) {
  const Measured* from = nullptr;
  for (const auto& [source, one] : told)
    if (const GpuFigures* figures = find(one, gpu); figures && figures->processes)
      if (!from || from->at < one.at) from = &one;
  Boxed<GpuProcesses> now;
  if (from) now = GpuProcesses{*find(*from, gpu)->processes, {from->source, from->at}};
  if (gpu.processes == now) return false;
  gpu.processes = std::move(now);
  return true;
}

// Told by few sources, too: the newest counts.
bool show_own(Gpu& gpu, const FiguresOfNode& told) {
  const Measured* from = nullptr;
  for (const auto& [source, one] : told)
    if (const GpuFigures* figures = find(one, gpu); figures && !figures->own.empty())
      if (!from || from->at < one.at) from = &one;
  Boxed<OwnUses> now;
  if (from) now = OwnUses{find(*from, gpu)->own, {from->source, from->at}};
  const bool other = gpu.own.has_value() != now.has_value() || (now && gpu.own->list != now->list) ||
                     (now && gpu.own->origin.source != now->origin.source);
  gpu.own = std::move(now);
  return other;
}

bool show_uuid(Slice& slice, const Gpu& gpu, const FiguresOfNode& told) {
  const Measured* from = nullptr;
  for (const auto& [source, one] : told)
    if (const SliceFigures* figures = find(one, gpu, slice); figures && !figures->uuid.empty())
      if (!from || from->at < one.at) from = &one;
  if (!from || find(*from, gpu, slice)->uuid == slice.uuid) return false;
  slice.uuid = find(*from, gpu, slice)->uuid;
  return true;
}

Measured& of_source(std::vector<Measured>& all, const NodeName& node, const Origin& origin) {
  auto found =
      std::find_if(all.begin(), all.end(), [&](const Measured& one) { return one.source == origin.source; });
  if (found != all.end()) return *found;
  return all.emplace_back(Measured{node, origin.source, origin.at, {}});
}

// Another source may tell it than the one whose figures are shown.
GpuFigures& figures_of(Measured& measured, const Gpu& gpu) {
  if (measured.gpus.empty() || measured.gpus.back().gpu != gpu.index)
    measured.gpus.push_back({gpu.index, gpu.uuid, {}, {}, {}});
  return measured.gpus.back();
}

// What one source told is kept with one time: the older one, since who had a GPU open then may have ended.
void add_processes(Measured& measured, const Gpu& gpu, GpuProcesses told, TimePoint at) {
  measured.at = std::min(measured.at, at);
  figures_of(measured, gpu).processes = std::move(told.list);
}

}  // namespace

std::vector<Measured> take_figures(Node& node) {
  std::vector<Measured> all;
  for (Gpu& gpu : node.gpus) {
    GpuFigures figures{gpu.index, gpu.uuid, std::exchange(gpu.telemetry, {}), {}, {}};
    const Origin origin = std::exchange(figures.figures.origin, {});
    auto own = std::exchange(gpu.own, std::nullopt);
    auto processes = std::exchange(gpu.processes, std::nullopt);
    for (Slice& slice : gpu.slices) {
      SliceFigures of_slice;
      of_slice.profile = slice.profile;
      of_slice.instance_id = slice.instance_id;
      of_slice.device = slice.device;
      of_slice.use = std::exchange(slice.use, {});
      of_slice.memory_used = std::exchange(slice.memory_used, {});
      of_slice.tensor = std::exchange(slice.tensor, {});
      of_slice.memory_busy = std::exchange(slice.memory_busy, {});
      slice.measured = {};
      if (tells_any(of_slice)) figures.slices.push_back(std::move(of_slice));
    }
    if (tells_any(figures.figures) || !figures.slices.empty())
      of_source(all, node.name, origin).gpus.push_back(std::move(figures));
    const auto by = [&](const Origin& told) { return told.source == Source::none ? origin : told; };
    if (own) figures_of(of_source(all, node.name, by(own->origin)), gpu).own = std::move(own->list);
    if (processes) {
      const Origin told = by(processes->origin);
      add_processes(of_source(all, node.name, told), gpu, std::move(*processes), told.at);
    }
  }
  return all;
}

bool show_figures(Node& node, const FiguresOfNode& told, TimePoint now) {
  bool other = false;
  for (Gpu& gpu : node.gpus) {
    other |= show(gpu, told, now);
    other |= show_processes(gpu, told);
    other |= show_own(gpu, told);
    for (Slice& slice : gpu.slices) {
      other |= show(slice, gpu, told, now);
      other |= show_uuid(slice, gpu, told);
    }
  }
  return other;
}

}  // namespace tessera
