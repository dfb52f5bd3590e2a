// Who holds which slice: allocations laid over a node's slices.
#include <algorithm>
#include <optional>
#include <vector>

#include "engine/model/family.hpp"
#include "engine/model/held_by.hpp"
#include "engine/model/reduce.hpp"

namespace tessera {

bool in_family(const Slice& slice, Family family) {
  switch (family) {
    case Family::gpu: return slice.kind == SliceKind::whole_gpu || slice.kind == SliceKind::gpu_instance;
    case Family::mps: return slice.kind == SliceKind::mps;
    case Family::shard: return slice.kind == SliceKind::shard || slice.kind == SliceKind::time_slice;
    case Family::vgpu: return slice.kind == SliceKind::vgpu;
  }
  return false;
}

namespace {

// A job may hold a shared GPU whole ("gpu" on a GPU that also offers shards): it then holds every share.
bool whole_board_of_shared(const Slice& slice, Family family) {
  return family == Family::gpu && (slice.kind == SliceKind::mps || slice.kind == SliceKind::shard ||
                                   slice.kind == SliceKind::time_slice);
}

// Slurm types a MIG slice "1g.10gb" or "a100_1g.10gb"; a whole GPU's type says nothing about slices.
bool type_matches(const Slice& slice, const std::string& type) {
  if (slice.profile.empty() || type.empty()) return slice.profile.empty() || type.empty();
  return type == slice.profile.text || type.ends_with("_" + slice.profile.text) ||
         type.ends_with("mig-" + slice.profile.text);
}

std::vector<Slice*> slices_of(Node& node) {
  std::vector<Slice*> all;
  for (Gpu& gpu : node.gpus)
    for (Slice& slice : gpu.slices) all.push_back(&slice);
  for (Slice& slice : node.pool) all.push_back(&slice);
  return all;
}

int shares_held(const Slice& slice) {
  int sum = 0;
  for (const Holder& holder : slice.holders) sum += holder.share;
  return sum;
}

void add_holder(Slice& slice, const WorkloadId& id, int share) {
  for (Holder& holder : slice.holders)
    if (holder.workload == id) {
      const bool told = holder.share > 0 && share > 0;
      holder.share = told ? std::min(slice.capacity, holder.share + share) : 0;
      return;
    }
  slice.holders.push_back({id, share});
}

bool takes(const Slice& slice, const DeviceShare& device, Family family) {
  return slice.device == device.device && (in_family(slice, family) || whole_board_of_shared(slice, family));
}

// 0: how many of the slice's shares is not told.
int share_of(const Slice& slice, const DeviceShare& device, Family family) {
  if (slice.capacity == 1) return 1;
  return in_family(slice, family) ? std::max(0, device.share) : slice.capacity;
}

// False where a device is called by a number that no slice here has: then only the count can be believed.
bool hold_devices(std::vector<Slice*>& slices, const WorkloadId& id, const Allocation& allocation) {
  for (const DeviceShare& device : allocation.devices)
    if (std::none_of(slices.begin(), slices.end(),
                     [&](const Slice* slice) { return takes(*slice, device, allocation.family); }))
      return false;
  for (const DeviceShare& device : allocation.devices)
    for (Slice* slice : slices)
      if (takes(*slice, device, allocation.family))
        add_holder(*slice, id, share_of(*slice, device, allocation.family));
  return true;
}

struct Uncertain {
  const WorkloadId* id;
  const Allocation* allocation;
  bool by_profile = false;  // its type names a profile of this node: it cannot mean one of its whole GPUs
};

bool may_mean(const Uncertain& one, const Slice& slice) {
  if (one.by_profile && slice.profile.empty()) return false;
  return in_family(slice, one.allocation->family) && type_matches(slice, one.allocation->type);
}

bool names_profile(const std::vector<Slice*>& slices, const std::string& type) {
  return !type.empty() && std::any_of(slices.begin(), slices.end(), [&](const Slice* slice) {
    return !slice->profile.empty() && type_matches(*slice, type);
  });
}

// The scheduler reports how many of a kind a workload holds, but not which. Where the candidates are as many
// as the units held, all are held; otherwise each candidate may be, and says so.
void spread(std::vector<Slice*>& slices, const std::vector<Uncertain>& uncertain) {
  for (const Uncertain& one : uncertain) {
    std::vector<Slice*> candidates;
    int room = 0;
    for (Slice* slice : slices) {
      if (!may_mean(one, *slice)) continue;
      if (slice->exact && shares_held(*slice) >= slice->capacity) continue;
      candidates.push_back(slice);
      room += slice->capacity;
    }
    bool all = candidates.size() == 1 || room <= one.allocation->count;
    for (Slice* slice : candidates) {
      add_holder(*slice, *one.id,
                 slice->capacity == 1 ? 1 : std::min(slice->capacity, one.allocation->count));
      if (!all) slice->exact = false;
    }
  }
}

// Several inexact claims over one set: when they add up to the whole set, every slice in it is held.
void settle(std::vector<Slice*>& slices, const std::vector<Uncertain>& uncertain) {
  for (Slice* slice : slices) {
    if (slice->exact || slice->holders.empty()) continue;
    int claimed = 0, room = 0;
    for (const Uncertain& one : uncertain)
      if (may_mean(one, *slice)) claimed += one.allocation->count;
    for (Slice* other : slices)
      if (!other->exact && other->kind == slice->kind && other->profile == slice->profile)
        room += other->capacity;
    slice->holding = claimed >= room ? Holding::held : Holding::unknown;
  }
}

Holding holding_of(const Slice& slice) {
  if (!slice.holders.empty()) return Holding::held;
  if (slice.told_held) return *slice.told_held ? Holding::held : Holding::free;
  return Holding::free;
}

bool may_be_of(const Slice& slice, const Uncertain& one) { return !slice.exact && may_mean(one, slice); }

// Which of them are held is open, but how many is not: each unit of a claim holds one slice that no other
// holds. nullopt: shares, or a claim that may be about slices of which more is known.
std::optional<int> held_among_open(const std::vector<Slice*>& slices,
                                   const std::vector<Uncertain>& uncertain) {
  int claimed = 0;
  for (const Slice* slice : slices)
    if (slice->holding == Holding::unknown && slice->capacity != 1) return std::nullopt;
  for (const Uncertain& one : uncertain) {
    bool open = false, other = false;
    for (const Slice* slice : slices)
      if (may_be_of(*slice, one)) (slice->holding == Holding::unknown ? open : other) = true;
    if (open && other) return std::nullopt;
    if (open) claimed += one.allocation->count;
  }
  return claimed;
}

// Shares that one allocation holds of the slices that it names.
int shares_of(const std::vector<Slice*>& slices, const Allocation& allocation) {
  int sum = 0;
  bool silent = false;
  for (const DeviceShare& device : allocation.devices)
    for (const Slice* slice : slices) {
      if (slice->capacity == 1 || !takes(*slice, device, allocation.family)) continue;
      const bool part = in_family(*slice, allocation.family);
      silent = silent || (part && device.share <= 0);
      sum += part ? std::min(slice->capacity, device.share) : slice->capacity;
    }
  // Over several devices the parts may not be told, while their sum is.
  return silent ? allocation.count : sum;
}

// Together with those that are told without.
void count_shares(SliceCounts& counts, const std::vector<Slice*>& slices,
                  const std::vector<Uncertain>& uncertain, int told) {
  bool known = true;
  for (const Slice* slice : slices) {
    if (slice->capacity == 1) continue;
    counts.shares += slice->capacity;
    // Some are held, and how many is unknown.
    known = known && (slice->holding != Holding::held || !slice->holders.empty());
  }
  for (const Uncertain& one : uncertain)
    if (std::any_of(slices.begin(), slices.end(),
                    [&](const Slice* slice) { return slice->capacity != 1 && may_mean(one, *slice); }))
      told += one.allocation->count;
  if (counts.shares > 0 && known) counts.shares_held = std::min(counts.shares, told);
}

SliceCounts counted(const std::vector<Slice*>& slices, const std::vector<Uncertain>& uncertain, int told,
                    bool work_known) {
  SliceCounts counts;
  counts.all = static_cast<std::int32_t>(slices.size());
  for (const Slice* slice : slices) {
    counts.held += slice->holding == Holding::held;
    counts.free += slice->holding == Holding::free;
  }
  count_shares(counts, slices, uncertain, told);
  const int open = counts.all - counts.held - counts.free;
  if (!work_known) counts.shares_held.reset();
  if (open == 0 || !work_known) return counts;
  if (std::optional<int> held = held_among_open(slices, uncertain)) {
    counts.held += std::min(*held, open);
    counts.free += open - std::min(*held, open);
  }
  return counts;
}

using Slices = std::vector<Slice*>;

std::vector<Slices> by_kind(const Slices& slices) {
  std::vector<Slices> kinds;
  for (Slice* slice : slices) {
    auto alike = [&](const Slices& kind) {
      const Slice& first = *kind.front();
      return first.kind == slice->kind && first.profile == slice->profile &&
             first.capacity == slice->capacity;
    };
    auto place = std::find_if(kinds.begin(), kinds.end(), alike);
    if (place == kinds.end()) place = kinds.insert(place, Slices());
    place->push_back(slice);
  }
  return kinds;
}

// Units of a slice that are certainly not held; nullopt: a holder's share is not reported.
std::optional<int> rest_of(const Slice& slice) {
  if (slice.exact || slice.holding == Holding::free) return unheld(slice);
  return slice.capacity == 1 ? std::optional(1) : std::nullopt;
}

// Units of a kind that are not held. nullopt: a claim may be about these slices or about others.
std::optional<int> unheld_of(const Slices& kind, const Slices& all, const std::vector<Uncertain>& uncertain) {
  int units = 0;
  bool told = false;
  for (const Slice* slice : kind) {
    auto rest = rest_of(*slice);
    if (!rest) return std::nullopt;
    units += *rest;
    told = told || slice->told_held;
  }
  for (const Uncertain& one : uncertain) {
    auto may_be = [&](const Slice* slice) { return may_be_of(*slice, one); };
    const auto here = std::count_if(kind.begin(), kind.end(), may_be);
    if (here == 0) continue;
    if (told || here != std::count_if(all.begin(), all.end(), may_be)) return std::nullopt;
    units -= one.allocation->count;
  }
  return std::max(0, units);
}

bool is_about(const OutOfUse& out, const Slice& slice, const Slices& all) {
  if (slice.profile.empty() && names_profile(all, out.type)) return false;
  return in_family(slice, out.family) && type_matches(slice, out.type);
}

int out_of(const Node& node, const Slices& kind, const Slices& all) {
  std::int64_t count = 0;
  for (const OutOfUse& out : node.out_of_use)
    if (is_about(out, *kind.front(), all)) count += out.count;
  return static_cast<int>(std::min<std::int64_t>(count, static_cast<std::int64_t>(kind.size())));
}

// What is told of a slice by itself, whoever else may hold some of it.
int known_rest(const Slice& slice) {
  if (slice.holding == Holding::free) return slice.capacity;
  if (slice.capacity == 1 || slice.holders.empty()) return 0;
  int held = 0;
  for (const Holder& holder : slice.holders) held += holder.share > 0 ? holder.share : slice.capacity;
  return std::max(0, slice.capacity - held);
}

// How many shares are held may be known where it is not known of which GPU.
std::optional<int> unheld_shares(const SliceCounts& counts, const Slices& kind) {
  const int all = kind.front()->capacity * static_cast<int>(kind.size());
  if (!counts.shares_held || counts.shares != all) return std::nullopt;
  return counts.shares - *counts.shares_held;
}

// Which slices of a kind could be used, and how many units of it: the rest of what link_holders derives.
void weigh_kind(Node& node, const Slices& kind, const Slices& all, const std::vector<Uncertain>& uncertain) {
  const Slice& like = *kind.front();
  const int out = out_of(node, kind, all);
  int told_out = 0, may_be_held = 0;  // those that are not handed out: unheld, and not known
  bool open = false;
  for (Slice* slice : kind) {
    const bool all_out = out == static_cast<int>(kind.size());
    const bool may_be = out > 0 && slice->holding != Holding::held;
    slice->usable = slice->told_out || all_out ? std::optional(false)
                    : may_be                   ? std::nullopt
                                               : std::optional(true);
    told_out += slice->told_out && slice->holding == Holding::free;
    may_be_held += slice->told_out && slice->holding == Holding::unknown;
    open = open || slice->holding == Holding::unknown || !slice->usable;
  }
  if (!open && out == 0 && told_out == 0) return;
  auto units = like.capacity > 1 ? unheld_shares(node.counts, kind) : std::nullopt;
  if (!units) units = unheld_of(kind, all, uncertain);
  if (!units) return;
  const int usable = std::max(0, *units - (out + told_out) * like.capacity);
  const int lost = std::min(node.counts.free, like.capacity == 1 ? *units - usable : out + told_out);
  node.counts.out += lost;
  node.counts.free -= lost;
  int known = 0;  // of slices of which all is known
  for (const Slice* slice : kind)
    if (slice->holding != Holding::unknown && slice->usable == true) known += known_rest(*slice);
  // What is not held may be those that are out of use.
  const int sure = usable - known - may_be_held * like.capacity;
  if (open && sure > 0) node.open_kinds.push_back({like.kind, like.profile, like.capacity, sure});
}

// How a slice whose GPU is not reported says that its GPU is shared.
Strategy strategy_of(const Slice& slice) {
  switch (slice.kind) {
    case SliceKind::whole_gpu: return Strategy::whole;
    case SliceKind::gpu_instance: return Strategy::mig;
    case SliceKind::mps: return Strategy::mps;
    case SliceKind::time_slice: return Strategy::time_slicing;
    case SliceKind::shard: return Strategy::shard;
    case SliceKind::vgpu: return Strategy::vgpu;
  }
  return Strategy::unknown;
}

void add_units(std::vector<UnheldKind>& kinds, const Slice& slice, int units) {
  const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const UnheldKind& one) {
    return one.kind == slice.kind && one.capacity == slice.capacity && one.profile == slice.profile;
  });
  if (same != kinds.end())
    same->units += units;
  else
    kinds.push_back({slice.kind, slice.profile, slice.capacity, units});
}

Unheld summed(const std::vector<Slice*>& slices) {
  Unheld all;
  for (const Slice* slice : slices) {
    const std::optional<int> rest = unheld(*slice);
    if (rest == 0 || slice->usable == false) continue;
    if (!slice->usable || slice->holding == Holding::unknown) {
      ++all.open;
    } else if (!rest) {
      ++all.silent;
    } else {
      ++all.slices;
      all.free += slice->holding == Holding::free;
      add_units(all.kinds, *slice, *rest);
    }
  }
  return all;
}

BoardKinds kinds_of(const Node& node) {
  BoardKinds kinds;
  auto add = [&](Strategy strategy) {
    kinds.strategies = static_cast<std::uint8_t>(kinds.strategies | 1u << static_cast<unsigned>(strategy));
  };
  for (const Gpu& gpu : node.gpus) {
    add(gpu.strategy);
    kinds.several_models = kinds.several_models || gpu.model != node.gpus.front().model;
  }
  for (const Slice& slice : node.pool) add(strategy_of(slice));
  return kinds;
}

}  // namespace

void link_holders(Node& node, const Workloads& workloads, bool work_known) {
  std::vector<Slice*> slices = slices_of(node);
  for (Slice* slice : slices) {
    slice->holders.clear();
    slice->exact = true;
    slice->holding = Holding::unknown;
  }
  std::vector<Uncertain> uncertain;
  int told = 0;  // shares of slices that are named
  for (const WorkloadId& id : node.workloads) {
    const Workload* workload = workloads.find(id);
    if (!workload) continue;
    // Sorted by node (reduce sees to that): a job over ten thousand nodes is not read once for each of them.
    const std::vector<Allocation>& all = workload->allocations;
    auto allocation =
        std::lower_bound(all.begin(), all.end(), node.name,
                         [](const Allocation& one, const NodeName& name) { return one.node < name; });
    for (; allocation != all.end() && allocation->node == node.name; ++allocation) {
      if (!allocation->devices.empty() && hold_devices(slices, id, *allocation)) {
        told += shares_of(slices, *allocation);
        continue;
      }
      if (allocation->count > 0)
        uncertain.push_back({&workload->id, &*allocation, names_profile(slices, allocation->type)});
    }
  }
  spread(slices, uncertain);
  for (Slice* slice : slices) slice->holding = holding_of(*slice);
  settle(slices, uncertain);
  if (!work_known)
    for (Slice* slice : slices)
      if (slice->holding == Holding::free) slice->holding = Holding::unknown;
  // A source that says "in use" or "free" outright settles what counting left open.
  for (Slice* slice : slices)
    if (slice->holding == Holding::unknown && slice->told_held)
      slice->holding = *slice->told_held ? Holding::held : Holding::free;
  node.counts = counted(slices, uncertain, told, work_known);
  node.open_kinds.clear();
  for (Slice* slice : slices) slice->usable = !slice->told_out;
  if (work_known)
    for (const Slices& kind : by_kind(slices)) weigh_kind(node, kind, slices, uncertain);
  node.unheld = summed(slices);
  node.kinds = kinds_of(node);
}

}  // namespace tessera
