#include "backends/slurm/parse/node_gpus.hpp"

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

// A gpu record and where its devices begin.
struct Run {
  const Gres* gres = nullptr;
  int first = 0;
};

std::vector<Run> in_order(const std::vector<Gres>& gres) {
  std::vector<Run> runs;
  for (const Gres& entry : gres)
    if (entry.name == "gpu" && entry.count > 0) runs.push_back({&entry, 0});
  return runs;
}

void number(std::vector<Run>& runs) {
  int next = 0;
  for (Run& run : runs) {
    run.first = next;
    next += static_cast<int>(run.gres->count);
  }
}

bool agrees(const std::vector<Run>& runs, const std::vector<Gres>& used) {
  for (const Gres& use : used) {
    if (use.name != "gpu") continue;
    for (int device : use.devices) {
      auto home = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
        return run.gres->type == use.type && device >= run.first && device < run.first + run.gres->count;
      });
      if (home == runs.end()) return false;
    }
  }
  return true;
}

// gres.conf may list types in another order than slurm.conf. What is in use gives the order away.
bool find_order(std::vector<Run>& runs, const std::vector<Gres>& used) {
  number(runs);
  if (agrees(runs, used)) return true;
  constexpr std::size_t kMostTypes = 6;  // 720 orders
  if (runs.size() > kMostTypes) return false;
  std::vector<Run> told = runs;
  auto by_place = [](const Run& a, const Run& b) { return a.gres < b.gres; };
  while (std::next_permutation(runs.begin(), runs.end(), by_place)) {
    number(runs);
    if (agrees(runs, used)) return true;
  }
  runs = std::move(told);
  number(runs);
  return false;
}

// Whether each device is in use, in Slurm's own words.
std::vector<std::optional<bool>> told_use(const std::vector<Run>& runs, const std::vector<Gres>& used,
                                          int devices) {
  std::vector<std::optional<bool>> held(static_cast<std::size_t>(devices));
  auto set = [&](int device, bool value) {
    if (device < 0 || device >= devices) return;
    auto& place = held[static_cast<std::size_t>(device)];
    place = value || place.value_or(false);
  };
  for (const Gres& use : used) {
    if (use.name == "gpu") {
      for (const Run& run : runs) {
        if (run.gres->type != use.type) continue;
        bool all = use.count >= run.gres->count;
        if (!use.devices_told && use.count != 0 && !all) continue;
        for (int i = 0; i < run.gres->count; ++i) set(run.first + i, all);
      }
    }
    for (int device : use.devices) set(device, true);
    for (std::size_t i = 0; i < use.shares.size(); ++i) set(static_cast<int>(i), use.shares[i].used > 0);
  }
  return held;
}

std::optional<Strategy> sharing(std::string_view name) {
  if (name == "mps") return Strategy::mps;
  if (name == "shard") return Strategy::shard;
  return std::nullopt;
}

// Spreads a shared resource over the GPUs of its type as slurmctld does: evenly, the later ones take the
// rest.
void share(Node& node, const Gres& shared, const std::vector<Gres>& used) {
  std::vector<Gpu*> gpus;
  for (Gpu& gpu : node.gpus)
    if (shared.type.empty() || gpu.model == shared.type) gpus.push_back(&gpu);
  const Gres* told = nullptr;
  for (const Gres& use : used)
    if (use.name == shared.name && !use.shares.empty()) told = &use;
  std::int64_t left = std::min<std::int64_t>(shared.count, 1'000'000'000);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    Gpu& gpu = *gpus[i];
    auto rest = static_cast<std::int64_t>(gpus.size() - i);
    std::int64_t capacity = left / rest;
    left -= capacity;
    auto index = static_cast<std::size_t>(gpu.index.value);
    if (told && index < told->shares.size()) capacity = told->shares[index].total;
    if (capacity <= 0) continue;
    Slice slice;
    slice.kind = shared.name == "mps" ? SliceKind::mps : SliceKind::shard;
    slice.device = gpu.index.value;
    slice.capacity = static_cast<int>(capacity);
    slice.told_held = gpu.slices.front().told_held;
    if (gpu.strategy == Strategy::whole) {
      gpu.strategy = *sharing(shared.name);
      gpu.replicas = slice.capacity;
      gpu.slices.front() = std::move(slice);
    } else {
      gpu.slices.push_back(std::move(slice));  // mps and shard on one GPU: Slurm lets a site write that
    }
  }
}

// What slurmctld hands out there, in its own words, whatever the node's driver has.
std::map<std::string, std::int64_t> handed_out(const std::vector<Gres>& gres) {
  std::map<std::string, std::int64_t> all;
  for (const Gres& entry : gres) {
    if (entry.count <= 0 || (entry.name != "gpu" && !sharing(entry.name))) continue;
    all[entry.type.empty() ? std::string(entry.name)
                           : std::string(entry.name) + ":" + clean(entry.type, 256)] += entry.count;
  }
  return all;
}

}  // namespace

const NodeGpus::Type& NodeGpus::type(std::string_view name, const Node& node) {
  key_ = name;
  for (const std::string& feature : node.features) (key_ += '\n') += feature;
  auto known = types_.find(key_);
  if (known != types_.end()) return known->second;
  Type type;
  type.profile = mig::profile_of_slurm_type(name);
  if (!type.profile) type.model = clean(name, 256);
  if (catalogue_) {
    auto products = catalogue_->by_slurm_type(name, node.features);
    if (products.size() == 1) type.product = products.front()->key;
    // A MIG type alone names no GPU; a feature of the node often does.
    for (const mig::Product* product : products) {
      if (!type.profile || !type.model.empty()) break;
      for (const std::string& word : product->slurm_types)
        if (std::find(node.features.begin(), node.features.end(), word) != node.features.end() ||
            lower(name).starts_with(lower(word) + "_"))
          type.model = word;
    }
  }
  return types_.emplace(key_, std::move(type)).first->second;
}

Slice& NodeGpus::add_gpu(Node& node, int device, const Type& about) {
  Gpu& gpu = node.gpus.emplace_back();
  gpu.index = GpuIndex{device};
  gpu.model = about.model;
  gpu.product = about.product;
  gpu.strategy = Strategy::whole;
  gpu.origin = node.origin;
  return gpu.slices.emplace_back();
}

std::optional<std::string> NodeGpus::fill(Node& node, std::string_view gres, std::string_view used) {
  gres_.clear();
  used_.clear();
  std::optional<std::string> problem = parse_gres(gres, gres_, is_of_gpus);
  const bool readable = !problem && !gres.empty();
  if (auto another = parse_gres(used, used_, is_of_gpus); another && !problem) problem = std::move(another);
  std::int64_t total = 0;
  for (const Gres& entry : gres_) {
    if (entry.name != "gpu") continue;
    if (entry.count > kMostGpus || total + entry.count > kMostGpus)
      return "more GPUs than one node can have: " + clean(gres, 80);
    total += entry.count;
  }
  if (readable) node.allocatable = handed_out(gres_);
  if (total == 0) return problem;
  std::vector<Run> runs = in_order(gres_);
  // Where an entry of them could not be read, devices may stand before these.
  bool known_order = readable && find_order(runs, used_);
  if (!known_order && !problem) problem = "GresUsed does not fit Gres: " + clean(used, 80);
  auto held = told_use(runs, used_, static_cast<int>(total));
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  for (const Run& run : runs) {
    const Type& about = type(run.gres->type, node);
    if (node.model.empty()) node.model = about.model;
    std::size_t count = static_cast<std::size_t>(run.gres->count);
    if (!about.profile) node.gpus.reserve(node.gpus.size() + count);
    if (about.profile) node.pool.reserve(node.pool.size() + count);
    for (std::size_t i = 0; i < count; ++i) {
      int device = run.first + static_cast<int>(i);
      Slice& slice = about.profile ? node.pool.emplace_back() : add_gpu(node, device, about);
      if (about.profile) {
        slice.kind = SliceKind::gpu_instance;
        slice.profile = *about.profile;
      }
      if (known_order) {
        slice.device = device;
        slice.told_held = held[static_cast<std::size_t>(device)];
      }
    }
  }
  for (const Gres& entry : gres_)
    if (sharing(entry.name) && entry.count > 0) share(node, entry, used_);
  return problem;
}

}  // namespace tessera::slurm
