#include "engine/usage/ledger.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/hours.hpp"
#include "engine/insight/available.hpp"
#include "engine/insight/own_use.hpp"
#include "engine/insight/processes.hpp"
#include "engine/insight/worth.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/record/step.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/usage/demand.hpp"
#include "engine/usage/silent.hpp"
#include "engine/usage/worth.hpp"

namespace tessera::usage {
namespace {

constexpr double kHour = 3'600'000;

// Memory slices that `share` of such a slice takes; nullopt: the product is not known.
std::optional<double> memory_slices(const Gpu& gpu, const Slice& slice, int share,
                                    const mig::Catalogue& catalogue) {
  const mig::Product* product = mig::product_of(gpu, catalogue);
  if (!product || product->units <= 0) return std::nullopt;
  double units = product->units;
  if (slice.kind == SliceKind::gpu_instance) {
    const mig::Profile* profile = product->find(slice.profile.view());
    if (!profile) return std::nullopt;
    units = profile->memory_slices;
  }
  return slice.capacity > 1 ? units * std::max(1, share) / slice.capacity : units;
}

std::string_view kind_word(const Slice& slice) {
  if (slice.kind == SliceKind::whole_gpu) return "whole";
  if (slice.kind == SliceKind::gpu_instance) return slice.profile.view();
  return word(slice.kind);
}
std::string kind_of(const Slice& slice) { return std::string(kind_word(slice)); }

std::optional<Percent> use_of(const Gpu& gpu, const Slice& slice) {
  return slice.kind == SliceKind::whole_gpu && !slice.use ? gpu.telemetry.use : slice.use;
}
std::optional<Mib> memory_used(const Gpu& gpu, const Slice& slice) {
  return slice.kind == SliceKind::whole_gpu && !slice.memory_used ? gpu.telemetry.memory_used
                                                                  : slice.memory_used;
}

// Where all GPUs of a Kubernetes node are cut alike (strategy single), instances are called nvidia.com/gpu;
// to Slurm an instance is a GPU like others.
bool named_as_gpu(const Cluster& cluster, const Node& node, const Slice& slice) {
  if (slice.kind != SliceKind::gpu_instance || cluster.scheduler == Scheduler::slurm || !node.allocatable)
    return true;
  return std::none_of(node.allocatable->begin(), node.allocatable->end(), [&](const auto& offered) {
    const auto name = sharing::parse_resource(offered.first, cluster.scheduler);
    return name && name->profile && *name->profile == slice.profile;
  });
}

// Whether what waits for that resource may get such a slice. What cannot be told apart counts as asked for:
// "unasked" has to be certain.
bool may_take(const sharing::ResourceName& asked, const Spare& spare, Scheduler scheduler,
              const mig::Catalogue& catalogue) {
  using enum sharing::ResourceKind;
  switch (asked.kind) {
    case instance: return spare.kind == SliceKind::gpu_instance && asked.profile->text == spare.profile;
    case mps: return spare.kind == SliceKind::mps;
    case shard: return spare.kind == SliceKind::shard;
    case vgpu: return spare.kind == SliceKind::vgpu;
    case gpu: break;
    case gpu_memory:
    case other_gpu: return true;
  }
  // Slurm's type is a model's, or a site's word for instances, of which it is not known which.
  if (scheduler == Scheduler::slurm && !asked.type.empty())
    return spare.kind != SliceKind::gpu_instance || catalogue.by_slurm_type(asked.type, {}).empty();
  return spare.kind != SliceKind::vgpu && spare.as_gpu;
}

// So long after work began figures may still be of what ran before it: an exporter tells what it gathered up
// to half a minute ago, and a scheduler's clock differs by seconds from the one that dates figures.
constexpr Duration kSettles{30'000};

// A figure speaks for so long, of work that had begun when it was taken. Where it is not told when that was,
// it may be that of the job before, and one that is older than a round says nothing.
bool is_fresh(const Origin& origin, TimePoint at, Duration speaks, const std::optional<TimePoint>& began) {
  if (origin.source == Source::none) return false;
  const Duration age = at - origin.at;
  return began ? age <= speaks && *began + kSettles <= origin.at : age <= kLongestRound;
}
const Origin& origin_of(const Gpu& gpu, const Slice& slice) {
  return slice.measured.source != Source::none ? slice.measured : gpu.telemetry.origin;
}

// The slice in which it runs; null: not told.
const Slice* slice_of(const Gpu& gpu, const GpuProcess& process) {
  if (gpu.slices.size() == 1) return &gpu.slices.front();
  for (const Slice& slice : gpu.slices)
    if (process.instance_id && slice.instance_id == process.instance_id) return &slice;
  return nullptr;
}

// The key of a slice in which something runs without an allocation; null: of the GPU, it is not told in
// which.
std::string rogue_place(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice* slice) {
  return cluster.name.text + '\x1f' + node.name.text + '\x1f' + std::to_string(gpu.index.value) + '\x1f' +
         (slice ? std::to_string(slice - gpu.slices.data()) + '\x1f' + kind_of(*slice) : std::string());
}

bool has_device(const Gpu& gpu, int device) {
  return std::any_of(gpu.slices.begin(), gpu.slices.end(),
                     [&](const Slice& slice) { return slice.device == device; });
}
bool has_device(const Node& node, int device) {
  // Of GPUs that are not cut it most often is the GPU's place, too.
  const auto place = static_cast<std::size_t>(device);
  if (device >= 0 && place < node.gpus.size() && has_device(node.gpus[place], device)) return true;
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [&](const Gpu& gpu) { return has_device(gpu, device); });
}

bool is_kept(const Cluster& cluster, const Slice& slice) {
  return std::any_of(slice.holders.begin(), slice.holders.end(), [&](const Holder& holder) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    return workload && keeps_what_it_holds(*workload);
  });
}

// Where it stood in the round before, it most often stands still.
const Workload* find_from(const Workloads& workloads, const WorkloadId& id, std::size_t& place) {
  const auto all = workloads.all();
  if (place < all.size() && all[place].id == id) return &all[place];
  const std::optional<std::size_t> found = workloads.place_of(id);
  return found ? &all[place = *found] : nullptr;
}
const Node* find_from(const Nodes& nodes, const NodeName& name, std::size_t& place) {
  const auto all = nodes.all();
  if (place < all.size() && all[place].name == name) return &all[place];
  const std::optional<std::size_t> found = nodes.place_of(name);
  return found ? &all[place = *found] : nullptr;
}

// Whether its devices are slices of GPUs that are told; those of a pool are not (Slurm's MIG types). Where
// one of them has a number that no slice has, the count alone is believed (link_holders).
bool names_gpus(const Cluster& cluster, const Allocation& allocation, std::size_t& node_place) {
  const Node* node =
      allocation.devices.empty() ? nullptr : find_from(cluster.nodes, allocation.node, node_place);
  if (!node || !node->pool.empty()) return false;
  return std::all_of(allocation.devices.begin(), allocation.devices.end(),
                     [&](const DeviceShare& device) { return has_device(*node, device.device); });
}

}  // namespace

void Spread::add(float percent, double for_hours) {
  const int step = std::clamp(static_cast<int>(percent / 5), 0, kSteps - 1);
  hours[static_cast<std::size_t>(step)] += for_hours;
}

void Spread::add(const Spread& other) {
  for (std::size_t i = 0; i < hours.size(); ++i) hours[i] += other.hours[i];
}

std::optional<double> Spread::percentile(double part) const {
  double all = 0;
  for (double one : hours) all += one;
  if (all <= 0) return std::nullopt;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    sum += hours[static_cast<std::size_t>(i)];
    // The upper end of the step: it stayed below that.
    if (sum >= part * all - 1e-9) return std::min(100.0, i * 5.0 + 5.0);
  }
  return 100.0;
}

void Ledger::see(const Cluster& cluster, TimePoint at, Duration longest) {
  auto [before, first] = before_.try_emplace(cluster.name, at);
  const Duration since = std::clamp<Duration>(at - before->second, Duration{0}, longest);
  // Of what the scheduler told long ago it is not known whether it still holds.
  const bool silent = work_is_silent(cluster, at, longest);
  const double hours = silent ? 0 : static_cast<double>(since.count()) / kHour;
  const Passed passed{before->second, at,
                      hours,          silent || at - before->second > longest,
                      longest,        record::longest_step(cluster.pace),
                      first,          silent};
  if (first) began_.emplace(cluster.name, at);
  before->second = at;
  ++rounds_;
  covered_[cluster.name] += hours;
  // Where nodes or work are not told, what is free is not known.
  const bool known = insight::nodes_are_current(cluster) && insight::work_is_current(cluster);
  known_[cluster.name] += passed.gap || !known ? 0 : hours;
  held_.clear();
  spare_here_.clear();
  Places& places = seats_[cluster.name];
  for (const Node& node : cluster.nodes.all()) {
    see_node(cluster, node, places.seats[node.name], passed);
    see_spare(cluster, node, passed);
  }
  see_work(cluster, places.desks, hours);
  for (auto& [key, spare] : spare_)
    if (spare.cluster == cluster.name) {
      // Where none was free in a round before, that one has told otherwise.
      if (std::exchange(spare.is_new, false)) spare.goes_on = !looked_at_.contains(cluster.name);
      if (known)
        go_on(spare, passed);
      else
        spare.stood = false;  // what was free meanwhile is not known
      spare.asked = false;
      spare.slices_before = spare.slices_now;
      spare.free_before = spare.free_now;
      spare.slices_now = spare.free_now = 0;
      spare.free = false;
    }
  if (known) looked_at_.insert(cluster.name);
}

// What was between two rounds counts if it was free in both: of so many no more than in either.
void Ledger::go_on(Spare& spare, const Passed& passed) {
  const bool stands = spare.free && !spare.asked;
  if (!stands) {
    spare.since = spare.slice_hours = spare.hours = 0;
    spare.goes_on = false;
  } else if (spare.stood && !passed.gap) {
    spare.since += passed.hours;
    spare.slice_hours += std::min(spare.slices_before, spare.slices_now) * passed.hours;
    spare.hours += std::min(spare.free_before, spare.free_now) * passed.hours;
  }
  spare.stood = stands;
}

void Ledger::see_node(const Cluster& cluster, const Node& node, std::vector<std::vector<Seat>>& seats,
                      const Passed& passed) {
  seats.resize(node.gpus.size());
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    const Gpu& gpu = node.gpus[i];
    seats[i].resize(gpu.slices.size());
    for (std::size_t k = 0; k < gpu.slices.size(); ++k)
      see_slice(cluster, node, gpu, gpu.slices[k], seats[i][k], passed);
  }
  // Slices whose GPU is not told: see_work() counts their hours.
  for (const Slice& slice : node.pool)
    if (slice.exact && is_kept(cluster, slice)) count_held(slice);
}

void Ledger::see_slice(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice& slice,
                       Seat& seat, const Passed& passed) {
  if (!slice.exact) return;
  // What several use together says nothing of each of them; what is told of one by itself does.
  const bool alone = slice.holders.size() == 1;
  const bool told = alone && !passed.silent;
  bool held = false;
  for (const Holder& holder : slice.holders) {
    const Workload* workload = find_from(cluster.workloads, holder.workload, seat.place);
    if (!workload || !keeps_what_it_holds(*workload)) continue;
    if (slinky::stands_for_jobs(cluster, *workload)) continue;
    held = true;
    if (!alone || !seat.is_of(holder, gpu, slice)) {
      Hold& hold = hold_of(cluster, node, gpu, slice, holder, *workload);
      seat = {seat.place, holder.workload, gpu.index.value, slice.kind, slice.profile, &hold};
    }
    seat.hold->hours += passed.hours;
    const Origin& origin = origin_of(gpu, slice);
    if (told && is_fresh(origin, passed.at, passed.speaks, workload->started))
      measure(*seat.hold, use_of(gpu, slice), memory_used(gpu, slice), origin.at, passed);
    else if (!alone && !passed.silent)
      measure_own(*seat.hold, cluster, node, gpu, slice, workload->started, passed);
    // Of work that began long before it was looked at the first figure is not late, but missing.
    const bool young = workload->started && passed.at - *workload->started < limits_.idle_after;
    if (young && seat.hold->told == TimePoint{} && !passed.gap) seat.hold->before_first += passed.hours;
  }
  if (held && !is_amd(gpu)) count_held(slice);
}

// Most GPUs are of the model of the one before.
bool Ledger::is_amd(const Gpu& gpu) {
  if (!gpu.partition_mode.empty()) return true;
  if (amd_.first != gpu.model) amd_ = {gpu.model, sharing::amd::is_amd(gpu)};
  return amd_.second;
}

void Ledger::count_held(const Slice& slice) {
  const std::string_view profile = profile_in_demand(slice);
  if (profile.empty()) return;
  const auto known = held_.find(profile);
  if (known == held_.end())
    held_.emplace(profile, 1);
  else
    ++known->second;
}

Hold& Ledger::hold_of(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice& slice,
                      const Holder& holder, const Workload& workload) {
  std::string key = cluster.name.text + '\x1f' + holder.workload.text + '\x1f' + node.name.text + '\x1f' +
                    std::to_string(gpu.index.value) + '\x1f' + std::to_string(&slice - gpu.slices.data()) +
                    '\x1f' + kind_of(slice);
  auto [it, fresh] = holds_.try_emplace(std::move(key));
  Hold& hold = it->second;
  if (!fresh) return hold;
  hold.cluster = cluster.name, hold.workload = workload.id, hold.node = node.name, hold.gpu = gpu.index;
  hold.user = workload.user, hold.account = workload.account, hold.group = workload.group;
  hold.profile = kind_of(slice), hold.product = gpu.product, hold.began = workload.started;
  hold.part = insight::part_of(&gpu, slice, holder.share, catalogue_);
  if (slice.capacity > 1) {
    Slice shared = slice;
    shared.capacity = 1;
    hold.measured_part = insight::part_of(&gpu, shared, 1, catalogue_);
  }
  hold.slices = memory_slices(gpu, slice, holder.share, catalogue_);
  hold.memory = insight::memory_of(gpu, slice, catalogue_);
  return hold;
}

void Ledger::measure_own(Hold& hold, const Cluster& cluster, const Node& node, const Gpu& gpu,
                         const Slice& slice, const std::optional<TimePoint>& began, const Passed& passed) {
  const auto own = insight::own_figures(cluster, node, gpu, slice, hold.workload);
  const bool now =
      own && own->origin.at <= passed.at && is_fresh(own->origin, passed.at, passed.speaks, began);
  if (now) measure(hold, own->use, own->memory, own->origin.at, passed);
  // Of a GPU that is not cut its figure speaks of all who share it.
  const bool together = slice.use || (slice.kind != SliceKind::gpu_instance && gpu.telemetry.use.has_value());
  if ((now && own->use) || passed.gap || !together) return;
  if (!is_fresh(origin_of(gpu, slice), passed.at, passed.speaks, began)) return;
  hold.together += passed.hours;
  hold.sharers = std::max(hold.sharers, slice.holders.size());
}

void Hold::count_figure(TimePoint taken) {
  if (!first_figure) first_figure = taken;
  if (last_figure != taken) figures = figures.value_or(0) + 1;
  last_figure = taken;
}

void Ledger::measure(Hold& hold, std::optional<Percent> use, std::optional<Mib> memory, TimePoint taken,
                     const Passed& passed) {
  if (memory && (!hold.memory_peak || hold.memory_peak->value < memory->value)) hold.memory_peak = memory;
  if (!use) return;
  // Held before, but not measured then: it may have been used meanwhile.
  if (passed.gap || hold.told != passed.before) hold.run = {}, hold.goes_on = false;
  if (passed.first) hold.goes_on = true, hold.head_began = passed.at;
  hold.told = passed.at;
  const double hours = passed.gap ? 0 : passed.hours;
  if (hours > 0) hold.count_figure(taken);
  hold.measured += hours;
  hold.use += static_cast<double>(use->value) * hours;
  hold.spread.add(use->value, hours);
  if (use->value >= limits_.idle_below) {
    hold.run = {};
    hold.goes_on = passed.first;
    return;
  }
  const double least = hours_of(limits_.idle_after) - 1e-9;
  const bool keeps = memory && hold.memory && hold.memory->value > 0 &&
                     100.0 * static_cast<double>(memory->value) >=
                         limits_.parked_from * static_cast<double>(hold.memory->value);
  // The whole stretch counts, once it is long enough.
  const Hold::Stretch before = hold.run;
  hold.run.go_on_with({hours, keeps ? hours : 0, taken, taken, passed.speaks > kLongestRound});
  if (hold.goes_on) hold.head = hold.run;
  if (!hold.run.counts(least)) return;
  const bool just = !before.counts(least);
  hold.idle += just ? hold.run.idle : hours;
  hold.parked += just ? hold.run.parked : keeps ? hours : 0;
}

// Memory slices that the layout of the GPU strands; nullopt: it is not cut, or its layout is not known. There
// are few layouts, and many GPUs that have them.
std::optional<int> Ledger::stranded_slices(const Gpu& gpu) {
  if (gpu.strategy != Strategy::mig || !gpu.product) return std::nullopt;
  const auto [known, first] = products_.try_emplace(gpu.product->text);
  if (first) known->second = mig::product_of(gpu, catalogue_);
  const mig::Product* product = known->second;
  auto layout = product ? mig::observed_layout(*product, gpu) : std::nullopt;
  if (!layout) return std::nullopt;
  const auto [stranding, is_new] = stranding_[product].try_emplace(std::move(*layout));
  if (is_new) stranding->second = mig::room(*product, stranding->first).stranded_memory_slices;
  return stranding->second;
}

Spare& Ledger::spare_of(const ClusterName& cluster, const Slice& slice) {
  const std::string_view kind = kind_word(slice);
  for (Spare* known : spare_here_)
    if (known->profile == kind) return *known;
  Spare& spare = spare_[cluster.text + '\x1f' + std::string(kind)];
  spare.cluster = cluster;
  spare.profile = kind;
  spare_here_.push_back(&spare);
  return spare;
}

void Ledger::see_spare(const Cluster& cluster, const Node& node, const Passed& passed) {
  std::optional<insight::Sight> sight;  // on most nodes nothing is free
  for (const Gpu& gpu : node.gpus) {
    const std::vector<const Slice*> run_in = see_processes(cluster, node, gpu, passed);
    // Of a node that takes no work nothing could be had in any layout.
    if (const auto stranded = stranded_slices(gpu); stranded && *stranded > 0) {
      if (!sight) sight = insight::sight_of(cluster, node);
      if (sight->access != insight::Access::closed)
        stranded_[cluster.name][node.name] += *stranded * passed.hours;
    }
    for (const Slice& slice : gpu.slices) {
      // What is shared and held in part was asked for.
      if (slice.holding != Holding::free || !slice.holders.empty()) continue;
      if (!sight) sight = insight::sight_of(cluster, node);
      const std::optional<int> free = insight::available(*sight, slice);
      // MPS that waits for that of another GPU is held by no job, and a process may use it all the same.
      const bool waits = sight->mps_in_use && sight->access == insight::Access::open && sight->work_read &&
                         slice.kind == SliceKind::mps && slice.usable == true;
      if (!free || (*free <= 0 && !waits)) continue;
      const bool used = see_rogue(cluster, node, gpu, slice, passed) ||
                        std::find(run_in.begin(), run_in.end(), &slice) != run_in.end();
      if (*free <= 0) continue;
      Spare& spare = spare_of(cluster.name, slice);
      spare.kind = slice.kind;
      spare.as_gpu = spare.as_gpu || named_as_gpu(cluster, node, slice);
      spare.free = true;
      if (used) continue;  // no one waits for it either, but its hours are those of what uses it
      spare.free_now += 1;
      spare.slices_now += memory_slices(gpu, slice, *free, catalogue_).value_or(0);
    }
  }
}

bool Ledger::see_rogue(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice& slice,
                       const Passed& passed) {
  // A GPU's memory may be set aside for virtual machines that do not run.
  if (!slice.exact || slice.kind == SliceKind::vgpu) return false;
  const bool often = passed.speaks <= record::longest_step(kLongestRound);
  // An older figure may be that of work that held it: since when it is free is not told. Where figures are
  // rare it makes no row, and a slice counts as free only while none speaks of use.
  const Origin& origin = origin_of(gpu, slice);
  const bool fresh =
      origin.source != Source::none && passed.at - origin.at <= (often ? kLongestRound : passed.speaks);
  const std::optional<Percent> use = fresh ? use_of(gpu, slice) : std::nullopt;
  const std::optional<Mib> used = fresh ? memory_used(gpu, slice) : std::nullopt;
  bool& measured = free_measured_[cluster.name];
  measured = measured || (often && (use || used));
  const std::optional<Mib> all = used ? insight::memory_of(gpu, slice, catalogue_) : std::nullopt;
  const bool keeps =
      all && all->value > 0 &&
      100.0 * static_cast<double>(used->value) >= limits_.rogue_memory * static_cast<double>(all->value);
  const bool in_use = keeps || (use && use->value >= limits_.idle_below);
  // Where figures are rare the next one may be long to come, and nothing tells what used it meanwhile.
  if (!often && (use || used)) free_seldom_.insert(cluster.name);
  if (!often || !in_use) return in_use;
  const std::string place = rogue_place(cluster, node, gpu, &slice);
  Rogue& rogue = rogues_[place];
  if (rogue.profile.empty()) {
    rogue.place = place;
    rogue.cluster = cluster.name, rogue.node = node.name, rogue.gpu = gpu.index;
    rogue.profile = kind_of(slice), rogue.slices = memory_slices(gpu, slice, slice.capacity, catalogue_);
  }
  // Held, not used or not known in between: what is left of a job that ended is no rogue.
  if (passed.gap || rogue.told != passed.before)
    rogue.run = {}, rogue.goes_on = passed.first,
    rogue.head_began = passed.first ? passed.at : rogue.head_began;
  else
    rogue.run.hours += passed.hours;
  rogue.told = passed.at;
  rogue.run.use = std::max(rogue.run.use, use), rogue.run.memory = std::max(rogue.run.memory, used);
  if (rogue.goes_on) rogue.head = rogue.run;
  const double least = static_cast<double>(limits_.rogue_after.count()) / kHour;
  if (rogue.run.hours + 1e-9 < least) return true;
  rogue.hours += rogue.run.hours - passed.hours + 1e-9 < least ? rogue.run.hours : passed.hours;
  rogue.use = std::max(rogue.use, rogue.run.use), rogue.memory = std::max(rogue.memory, rogue.run.memory);
  return true;
}

std::vector<const Slice*> Ledger::see_processes(const Cluster& cluster, const Node& node, const Gpu& gpu,
                                                const Passed& passed) {
  std::vector<const Slice*> run_in;
  if (!gpu.processes) return run_in;
  const TimePoint told = gpu.processes->origin.at;
  if (told > passed.at || passed.at - told > passed.longest) return run_in;
  for (const GpuProcess& process : gpu.processes->list) {
    const insight::Standing standing = insight::standing_of(cluster, node, gpu, process);
    if (!insight::is_rogue(standing)) continue;
    const Slice* slice = slice_of(gpu, process);
    const std::string place = rogue_place(cluster, node, gpu, slice);
    const bool free = !slice || slice->holders.empty();
    if (slice) run_in.push_back(slice);
    RogueProcess& rogue = rogue_processes_[cluster.name.text + '\x1f' + node.name.text + '\x1f' +
                                           std::to_string(gpu.index.value) + '\x1f' +
                                           std::to_string(process.pid) + '\x1f' + process.name];
    if (rogue.pid == 0) {
      rogue.cluster = cluster.name, rogue.node = node.name, rogue.gpu = gpu.index;
      rogue.pid = process.pid, rogue.name = process.name, rogue.told = rogue.first_told = told;
      rogue.first_longest = passed.longest;
      rogue.place = place, rogue.first_free = free;
      if (slice)
        rogue.profile = kind_of(*slice),
        rogue.slices = memory_slices(gpu, *slice, slice->capacity, catalogue_);
    }
    if (standing == insight::Standing::elsewhere) {
      const Workload* work = cluster.workloads.find(process.workload);
      rogue.workload = process.workload, rogue.user = work ? work->user : "";
    }
    add_listed(rogue, place, told, passed.longest, free);
    if (process.memory && (!rogue.memory || *rogue.memory < *process.memory)) rogue.memory = process.memory;
  }
  return run_in;
}

void Ledger::see_asked(const Cluster& cluster, const std::string& resource) {
  const auto name = sharing::parse_resource(resource, cluster.scheduler);
  for (auto& [key, spare] : spare_)
    if (spare.cluster == cluster.name && !spare.asked)
      spare.asked = !name || may_take(*name, spare, cluster.scheduler, catalogue_);
}

void Ledger::wait(const Cluster& cluster, const Workload& workload, Desk& desk, double hours) {
  if (!desk.waited) desk.waited = &waited_[cluster.name.text + '\x1f' + workload.id.text];
  Waited& waited = *desk.waited;
  waited.hours += hours;
  // What a job is called may change while it waits.
  const bool same = waited.workload == workload.id && waited.user == workload.user &&
                    waited.account == workload.account && waited.group == workload.group;
  if (!same)
    waited = {cluster.name, workload.id, workload.user, workload.account, workload.group, waited.hours};
}

void Ledger::see_work(const Cluster& cluster, std::vector<Desk>& desks, double hours) {
  const auto all = cluster.workloads.all();
  desks.resize(all.size());
  std::unordered_set<std::string_view> asked;  // many ask for the same
  for (std::size_t place = 0; place < all.size(); ++place) {
    const Workload& workload = all[place];
    Desk& desk = desks[place];
    if (desk.workload != workload.id) desk = {workload.id, nullptr, desk.node_place};
    if (workload.state == WorkloadState::pending && !workload.requests.empty()) {
      wait(cluster, workload, desk, hours);
      for (const Request& request : workload.requests)
        if (asked.insert(request.resource).second) see_asked(cluster, request.resource);
    }
    if (!keeps_what_it_holds(workload) || slinky::stands_for_jobs(cluster, workload)) continue;
    for (const Allocation& allocation : workload.allocations)
      if (allocation.count > 0 && !names_gpus(cluster, allocation, desk.node_place))
        hold_somewhere(cluster, workload, allocation, hours);
  }
}

void Ledger::hold_somewhere(const Cluster& cluster, const Workload& workload, const Allocation& held,
                            double hours) {
  const Node* node = cluster.nodes.find(held.node);
  const int rest = held.count - placed(node, workload.id, held);
  if (rest <= 0) return;
  unplaced_ += rest * hours;
  const auto worth = worth_of(node, held, catalogue_);
  if (!worth) return;
  const std::string key =
      cluster.name.text + '\x1f' + workload.id.text + '\x1f' + held.node.text + "\x1f?\x1f" + worth->profile;
  auto [it, fresh] = holds_.try_emplace(key);
  Hold& hold = it->second;
  if (fresh) {
    hold.cluster = cluster.name, hold.workload = workload.id, hold.node = held.node;
    hold.user = workload.user, hold.account = workload.account, hold.group = workload.group;
    hold.profile = worth->profile, hold.part = worth->part, hold.slices = worth->slices;
    hold.began = workload.started;
  }
  hold.hours += rest * hours;
}

}  // namespace tessera::usage
