#include "backends/kubernetes/objects/dcgm_values.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/mig/profile_name.hpp"

namespace tessera::kubernetes {
namespace {

struct BoardRead {
  int gpu = 0;
  const DcgmPart* whole = nullptr;
  std::vector<const DcgmPart*> instances;  // by profile, then id
};

std::vector<BoardRead> boards_read(const DcgmReadings& readings) {
  std::vector<BoardRead> boards;
  for (const DcgmPart& part : readings.parts) {
    if (boards.empty() || boards.back().gpu != part.gpu) boards.push_back({part.gpu, nullptr, {}});
    if (part.instance)
      boards.back().instances.push_back(&part);
    else
      boards.back().whole = &part;
  }
  // As the GPUs are told where no exporter is: a plan that was made with one reads alike without it.
  for (BoardRead& board : boards)
    std::stable_sort(board.instances.begin(), board.instances.end(),
                     [](const DcgmPart* a, const DcgmPart* b) { return a->profile < b->profile; });
  return boards;
}

bool is_whole(const Slice& slice) {
  return slice.kind != SliceKind::gpu_instance && slice.kind != SliceKind::vgpu;
}

Strategy sharing_by(SliceKind kind) {
  switch (kind) {
    case SliceKind::time_slice: return Strategy::time_slicing;
    case SliceKind::mps: return Strategy::mps;
    case SliceKind::shard: return Strategy::shard;
    default: return Strategy::whole;
  }
}

// What the node offers, taken off its GPUs and out of its pool.
struct Offered {
  std::map<ProfileName, std::vector<Slice>> instances;
  std::vector<Gpu> boards;  // uncut, each with its one slice
  std::vector<Slice> rest;  // vGPUs: no exporter tells of them

  explicit Offered(const Node& node) {
    for (const Gpu& gpu : node.gpus) {
      if (gpu.slices.size() == 1 && is_whole(gpu.slices.front()))
        boards.push_back(gpu);
      else
        for (const Slice& slice : gpu.slices) instances[slice.profile].push_back(slice);
    }
    for (const Slice& slice : node.pool) {
      if (slice.kind == SliceKind::gpu_instance)
        instances[slice.profile].push_back(slice);
      else if (is_whole(slice))
        boards.push_back(uncut(node, slice));
      else
        rest.push_back(slice);
    }
  }

 private:
  static Gpu uncut(const Node& node, const Slice& slice) {
    Gpu gpu;
    gpu.model = node.model;
    gpu.strategy = sharing_by(slice.kind);
    if (slice.capacity > 1) gpu.replicas = slice.capacity;
    gpu.slices = {slice};
    return gpu;
  }
};

// The exporter tells of the very slices that are counted. A GPU that is neither cut nor offered may be told
// of, too: MIG is on there, and nothing stands on it.
bool tells_the_same(const std::vector<BoardRead>& boards, const Offered& offered) {
  std::map<ProfileName, std::size_t> told;
  std::size_t uncut = 0;
  for (const BoardRead& board : boards) {
    uncut += board.instances.empty();
    for (const DcgmPart* part : board.instances) ++told[part->profile];
  }
  if (!offered.boards.empty() && uncut != offered.boards.size()) return false;
  return told.size() == offered.instances.size() &&
         std::all_of(told.begin(), told.end(), [&](const auto& entry) {
           auto there = offered.instances.find(entry.first);
           return there != offered.instances.end() && there->second.size() == entry.second;
         });
}

void measure(Gpu& gpu, const DcgmPart& part) {
  gpu.telemetry.use = part.use;
  gpu.telemetry.memory_used = part.memory_used;
  gpu.telemetry.tensor = part.tensor;
  gpu.telemetry.memory_busy = part.memory_busy;
  gpu.telemetry.temperature = part.temperature;
  gpu.telemetry.power = part.power;
  gpu.telemetry.licensed = part.licensed;
  if (!part.uuid.empty()) gpu.uuid = part.uuid;
}

void measure(Slice& slice, const DcgmPart& part) {
  slice.use = part.use;
  slice.memory_used = part.memory_used;
  slice.tensor = part.tensor;
  slice.memory_busy = part.memory_busy;
}

// nullptr: it may be several.
Slice* slice_meant(Gpu& gpu, const DcgmPart& part, const DevicesOfPod& devices_of) {
  std::vector<Slice*> alike;
  for (Slice& slice : gpu.slices)
    if (slice.profile == part.profile) alike.push_back(&slice);
  if (alike.size() > 1) {
    std::vector<int> held = part.pod.empty() ? std::vector<int>() : devices_of(part.pod);
    std::erase_if(alike, [&](const Slice* slice) {
      return !slice->device || std::find(held.begin(), held.end(), *slice->device) == held.end();
    });
  }
  return alike.size() == 1 ? alike.front() : nullptr;
}

// A GPU that is told of by its instances only: temperature and power are the GPU's own.
void measure_by_instances(Gpu& gpu, const BoardRead& board, const mig::Product* product) {
  measure(gpu, *board.instances.front());
  gpu.telemetry.memory_used = figures::memory_of_instances(board.instances);
  gpu.telemetry.use = figures::use_of_instances(board.instances, product);
  gpu.telemetry.tensor = figures::tensor_of_instances(board.instances, product);
  gpu.telemetry.memory_busy = figures::memory_busy_of_instances(board.instances, product);
}

void measure(Gpu& gpu, const BoardRead& board, const mig::Product* product) {
  if (!board.whole) return measure_by_instances(gpu, board, product);
  measure(gpu, *board.whole);
  if (board.instances.empty()) return;
  // Of a GPU that is cut the driver has no use.
  Telemetry& told = gpu.telemetry;
  if (!told.use) told.use = figures::use_of_instances(board.instances, product);
  if (!told.tensor) told.tensor = figures::tensor_of_instances(board.instances, product);
  if (!told.memory_busy) told.memory_busy = figures::memory_busy_of_instances(board.instances, product);
}

// What those that share it use by themselves.
void tell_own(Gpu& gpu, const BoardRead& board, const Origin& origin) {
  OwnUses all{{}, origin};
  const auto add = [&](const DcgmPart& part) {
    all.list.insert(all.list.end(), part.own.begin(), part.own.end());
  };
  if (board.whole) add(*board.whole);
  for (const DcgmPart* part : board.instances) add(*part);
  if (!all.list.empty()) gpu.own = std::move(all);
}

class Layer {
 public:
  Layer(Node& node, const DcgmReadings& readings, const mig::Product* product)
      : node_(node), readings_(readings), product_(product), offered_(node) {}

  std::vector<NamedSlice> run() {
    std::vector<BoardRead> boards = boards_read(readings_);
    if (!tells_the_same(boards, offered_)) {
      measure_boards(boards);
      return {};
    }
    node_.gpus.clear();
    node_.pool = std::move(offered_.rest);
    for (const BoardRead& board : boards) {
      if (!board.instances.empty())
        add_cut(board);
      else if (taken_ < offered_.boards.size())
        add_uncut(board, std::move(offered_.boards[taken_++]));
    }
    return std::move(named_);
  }

 private:
  Origin origin() const { return {Source::dcgm, readings_.at}; }

  void measure_boards(const std::vector<BoardRead>& boards) {
    if (boards.size() != node_.gpus.size()) return;
    for (std::size_t i = 0; i < boards.size(); ++i) {
      Gpu& gpu = node_.gpus[i];
      if (!boards[i].whole || boards[i].gpu != gpu.index.value) continue;
      measure(gpu, *boards[i].whole);
      gpu.telemetry.origin = origin();
      tell_own(gpu, boards[i], origin());
    }
  }

  void tell(Slice& slice, const DcgmPart& part) {
    slice.device = devices_++;
    measure(slice, part);
    // Of a slice that is shared the exporter names one of those who share it, if any.
    if (slice.capacity == 1 && !part.pod.empty()) named_.push_back({part.pod, *slice.device, part.profile});
  }

  void add_cut(const BoardRead& board) {
    Gpu gpu;
    gpu.index = GpuIndex{board.gpu};
    gpu.model = node_.model;
    if (product_) gpu.product = product_->key;
    gpu.mig_mode = MigMode::enabled;
    gpu.strategy = Strategy::mig;
    gpu.origin = origin();
    for (const DcgmPart* part : board.instances) {
      std::vector<Slice>& left = offered_.instances.find(part->profile)->second;
      Slice slice = std::move(left.back());
      left.pop_back();
      slice.instance_id = part->instance;
      tell(slice, *part);
      if (slice.capacity > 1) gpu.replicas = slice.capacity;
      gpu.slices.push_back(std::move(slice));
    }
    measure(gpu, board, product_);
    gpu.telemetry.origin = origin();
    tell_own(gpu, board, origin());
    node_.gpus.push_back(std::move(gpu));
  }

  void add_uncut(const BoardRead& board, Gpu gpu) {
    gpu.index = GpuIndex{board.gpu};
    if (product_) gpu.product = product_->key;
    tell(gpu.slices.front(), *board.whole);
    measure(gpu, *board.whole);
    gpu.origin = gpu.telemetry.origin = origin();
    tell_own(gpu, board, origin());
    node_.gpus.push_back(std::move(gpu));
  }

  Node& node_;
  const DcgmReadings& readings_;
  const mig::Product* product_;
  Offered offered_;
  std::size_t taken_ = 0;
  int devices_ = 0;
  std::vector<NamedSlice> named_;
};

}  // namespace

std::vector<NamedSlice> lay_readings(Node& node, const DcgmReadings& readings, const mig::Product* product) {
  return Layer(node, readings, product).run();
}

void measure_by_uuid(Node& node, const DcgmReadings& readings, const mig::Product* product,
                     const DevicesOfPod& devices_of) {
  for (const BoardRead& board : boards_read(readings)) {
    const DcgmPart* part = board.whole ? board.whole : board.instances.empty() ? nullptr : board.instances[0];
    if (!part || part->uuid.empty()) continue;
    auto gpu = std::find_if(node.gpus.begin(), node.gpus.end(),
                            [&](const Gpu& one) { return one.uuid == part->uuid; });
    if (gpu == node.gpus.end()) continue;
    measure(*gpu, board, product);
    gpu->telemetry.origin = {Source::dcgm, readings.at};
    tell_own(*gpu, board, gpu->telemetry.origin);
    if (board.whole && gpu->slices.size() == 1) measure(gpu->slices.front(), *part);
    for (const DcgmPart* instance : board.instances)
      if (Slice* slice = slice_meant(*gpu, *instance, devices_of)) measure(*slice, *instance);
  }
}

void name_devices(std::vector<Allocation>& allocations, const std::string& pod,
                  const std::vector<NamedSlice>& named) {
  for (Allocation& allocation : allocations) {
    if (allocation.family != Family::gpu || allocation.count <= 0) continue;
    // Beside instances, whole GPUs go by their model's name.
    bool whole = !mig::canonical_profile(allocation.type);
    std::vector<DeviceShare> devices;
    for (const NamedSlice& one : named) {
      bool fits =
          allocation.type.empty() || (one.profile.empty() ? whole : allocation.type == one.profile.text);
      if (one.pod == pod && fits) devices.push_back({one.device, 1});
    }
    if (devices.size() == static_cast<std::size_t>(allocation.count)) allocation.devices = std::move(devices);
  }
}

}  // namespace tessera::kubernetes
