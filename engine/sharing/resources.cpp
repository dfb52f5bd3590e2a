#include "engine/sharing/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ascii.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/by_kubelet.hpp"
#include "engine/text.hpp"

namespace tessera::sharing {

namespace {

constexpr std::string_view kVendor = "nvidia.com/";
constexpr std::string_view kMigPrefix = "mig-";
constexpr std::string_view kSharedSuffix = ".shared";
constexpr std::string_view kGpuClass = "gpu.nvidia.com", kMigClass = "mig.nvidia.com";

// The plugin's answer for "single": every GPU cut, none empty, one profile; else nothing is advertised.
bool single_is_valid(const NodeShape& node) { return natural_strategy(node) == MigStrategy::single; }

void add_kubernetes_board(Advertised& all, const NodeShape& node, const BoardShape& board) {
  if (node.strategy == MigStrategy::mixed && board.mig) {
    for (const ProfileName& profile : board.instances) ++all.counts[kubernetes_instance(profile)];
    return;
  }
  if (node.strategy == MigStrategy::single && board.mig) {
    all.counts[kubernetes_gpu()] += static_cast<std::int64_t>(board.instances.size());
    return;
  }
  ++all.counts[kubernetes_gpu()];
  if (board.mig && !board.instances.empty()) {
    all.notes.push_back("a GPU is cut, but with the strategy none the plugin advertises it as whole");
  }
}

bool is_replicated(const Sharing& sharing, const std::string& resource) {
  if (sharing.replicas < 2) return false;
  if (sharing.method != Strategy::mps && sharing.method != Strategy::time_slicing) return false;
  return sharing.only.empty() ||
         std::find(sharing.only.begin(), sharing.only.end(), resource) != sharing.only.end();
}

void replicate(Advertised& all, const Sharing& sharing) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [resource, count] : all.counts) {
    if (!is_replicated(sharing, resource)) {
      counts[resource] += count;
      continue;
    }
    if (sharing.rename) {
      counts[resource] += 0;
      counts[resource + std::string(kSharedSuffix)] += count * sharing.replicas;
    } else {
      counts[resource] += count * sharing.replicas;
    }
  }
  all.counts = std::move(counts);
}

Advertised advertise_kubernetes(const NodeShape& node) {
  Advertised all;
  if (node.boards.empty()) return all;
  const bool any_mig =
      std::any_of(node.boards.begin(), node.boards.end(), [](const BoardShape& board) { return board.mig; });
  if (node.sharing.method == Strategy::mps && any_mig) {
    all.counts[kubernetes_gpu()] = 0;
    all.notes.push_back("the device plugin refuses MPS on GPUs with MIG on: nothing is advertised");
    return all;
  }
  if (node.strategy == MigStrategy::single && any_mig && !single_is_valid(node)) {
    all.counts[kubernetes_gpu()] = 0;
    all.notes.push_back(
        "the strategy single needs every GPU cut into instances of one profile: the node would be marked "
        "MIG-INVALID and advertise nothing");
    return all;
  }
  if (node.by_pool && (node.sharing.method == Strategy::mps || node.sharing.method == Strategy::shard)) {
    all.counts[kubernetes_gpu()] = 0;
    all.counts[std::string(ack::kMemory)] =
        static_cast<std::int64_t>(node.boards.size()) * node.sharing.replicas;
    return all;
  }
  for (const BoardShape& board : node.boards) add_kubernetes_board(all, node, board);
  replicate(all, node.sharing);
  return all;
}

Advertised advertise_slurm(const NodeShape& node) {
  Advertised all;
  std::int64_t whole = 0;
  for (const BoardShape& board : node.boards) {
    if (board.mig) {
      for (const ProfileName& profile : board.instances) {
        ++all.counts[slurm_instance(profile, node.slurm_instance_prefix)];
      }
    } else {
      ++all.counts[slurm_gpu(board.slurm_type)];
      ++whole;
    }
  }
  const bool mps = node.sharing.method == Strategy::mps;
  const bool shard = node.sharing.method == Strategy::shard || node.sharing.method == Strategy::time_slicing;
  if (whole > 0 && mps) all.counts["mps"] = whole * kMpsPercent;
  if (whole > 0 && shard) all.counts["shard"] = whole * std::max(node.sharing.replicas, 1);
  if (whole == 0 && (mps || shard) && !node.boards.empty()) {
    all.notes.push_back("Slurm shares whole GPUs only: instances get neither MPS nor shards");
  }
  return all;
}

// NVIDIA's chips as PCI devices are called, by which KubeVirt hands out whole GPUs: "GA102GL_A10",
// "GH100_H200".
bool names_a_chip(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kFamilies = {"GK", "GM", "GP", "GV", "TU",
                                                                 "GA", "AD", "GH", "GB", "GR"};
  const bool family = std::find(kFamilies.begin(), kFamilies.end(), text.substr(0, 2)) != kFamilies.end();
  return family && text.size() > 4 &&
         std::all_of(text.begin() + 2, text.begin() + 5, [](char c) { return c >= '0' && c <= '9'; });
}

// NVIDIA's network operator offers network cards below the same prefix (hostdev, rdma_…, names of its site's
// own): what is no GPU by its name is none.
bool names_a_gpu(std::string_view text) {
  return text.starts_with("gpu") || text.starts_with("pgpu") || text.starts_with("vgpu") ||
         text.starts_with(kMigPrefix) || names_a_chip(text);
}

std::optional<ResourceName> parse_kubernetes(std::string_view text) {
  ResourceName name;
  if (text == "aliyun.com/gpu-mem" || text == "nvidia.com/gpumem") {
    name.kind = ResourceKind::gpu_memory;
    return name;
  }
  if (take_prefix(text, "mig.das.com/")) {
    name.profile = mig::canonical_profile(text);
    name.kind = ResourceKind::instance;
    return name.profile ? std::optional(name) : std::nullopt;
  }
  // Device classes of NVIDIA's DRA driver, as claims name them, and the profile of which one asks.
  if (text == kGpuClass || text == kMigClass) {
    name.kind = text == kGpuClass ? ResourceKind::gpu : ResourceKind::other_gpu;
    name.claimed = true;
    return name;
  }
  if (take_prefix(text, "mig.nvidia.com/")) {
    name.kind = ResourceKind::instance;
    name.claimed = true;
    name.profile = mig::canonical_profile(text);
    return name.profile ? std::optional(name) : std::nullopt;
  }
  // AMD's are never NVIDIA's, whatever they are counted as.
  if (text.starts_with("aliyun.com/gpu-") || amd::is_resource(text)) {
    name.kind = ResourceKind::other_gpu;
    name.type = text.starts_with("amd.com/") ? clean(text, 64) : "";
    return name;
  }
  if (!take_prefix(text, kVendor) || text.empty()) return std::nullopt;
  if (text.ends_with(kSharedSuffix)) {
    name.shared = true;
    text.remove_suffix(kSharedSuffix.size());
  }
  if (text == "gpu") return name;
  if (text.starts_with(kMigPrefix)) {
    name.profile = mig::canonical_profile(text.substr(kMigPrefix.size()));
    if (!name.profile) return std::nullopt;
    name.kind = ResourceKind::instance;
    return name;
  }
  if (take_prefix(text, "NVIDIA_") || take_prefix(text, "GRID_")) {
    name.kind = ResourceKind::vgpu;
    name.type = clean(text, 128);
    return name;
  }
  if (!names_a_gpu(text)) return std::nullopt;
  name.kind = ResourceKind::other_gpu;
  return name;
}

std::optional<ResourceName> parse_slurm(std::string_view text) {
  take_prefix(text, "gres/") || take_prefix(text, "gres:");
  ResourceName name;
  const std::size_t colon = text.find(':');
  const std::string_view family = text.substr(0, colon);
  const std::string_view type = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (family == "mps" || family == "shard") {
    name.kind = family == "mps" ? ResourceKind::mps : ResourceKind::shard;
    name.type = clean(type, 128);
    return name;
  }
  if (family != "gpu") return std::nullopt;
  name.profile = mig::profile_of_slurm_type(type);
  if (name.profile) {
    name.kind = ResourceKind::instance;
  } else {
    name.type = clean(type, 128);
  }
  return name;
}

}  // namespace

Advertised advertise(const NodeShape& node, Scheduler scheduler) {
  return scheduler == Scheduler::kubernetes ? advertise_kubernetes(node) : advertise_slurm(node);
}

std::string kubernetes_gpu(bool shared) { return shared ? "nvidia.com/gpu.shared" : "nvidia.com/gpu"; }

std::string kubernetes_spelling(const ProfileName& profile) {
  std::string text = profile.text;
  std::replace(text.begin(), text.end(), '+', '.');
  return text;
}

bool by_claims(const Node& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [](const Gpu& gpu) { return gpu.origin.source == Source::kubernetes_claims; });
}

std::string claimed_as(const ProfileName& profile) {
  return profile.empty() ? std::string(kGpuClass) : fmt::format("{}/{}", kMigClass, profile.text);
}

std::string kubernetes_instance(const ProfileName& profile, bool shared) {
  return fmt::format("{}{}{}{}", kVendor, kMigPrefix, kubernetes_spelling(profile),
                     shared ? kSharedSuffix : "");
}

std::string slurm_gpu(std::string_view type) { return type.empty() ? "gpu" : fmt::format("gpu:{}", type); }

std::string slurm_instance(const ProfileName& profile, std::string_view prefix) {
  return fmt::format("gpu:{}{}", prefix, profile.text);
}

bool hands_out_gpus(std::string_view resource) {
  if (resource == ack::kMemory || amd::is_resource(resource)) return true;
  const auto name = parse_resource(resource, Scheduler::kubernetes);
  return name && (name->kind == ResourceKind::gpu || name->kind == ResourceKind::instance ||
                  name->kind == ResourceKind::vgpu);
}

std::pair<std::string, bool> without_shared(std::string_view resource) {
  if (!resource.ends_with(kSharedSuffix)) return {std::string(resource), false};
  return {std::string(resource.substr(0, resource.size() - kSharedSuffix.size())), true};
}

// Mediated devices of GPUs up to Ampere's first are still called GRID.
std::string kubernetes_vgpu(std::string_view type) {
  const bool grid = type.starts_with("A100") || type.starts_with("A30") || type.starts_with("V100");
  return fmt::format("{}{}_{}", kVendor, grid ? "GRID" : "NVIDIA", type);
}

std::optional<bool> renames_shares(const Node& node) {
  if (!by_kubelet(node)) return std::nullopt;
  bool any = false;
  for (const auto& [resource, count] : *node.allocatable) {
    if (count > 0 && resource.ends_with(kSharedSuffix)) return true;
    any = any || count > 0;
  }
  const bool shares = std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) {
    return gpu.replicas.value_or(1) > 1 && gpu.strategy != Strategy::shard;
  });
  return any && shares ? std::optional(false) : std::nullopt;
}

std::optional<ResourceName> parse_resource(std::string_view text, Scheduler scheduler) {
  if (text.size() > 256) return std::nullopt;
  return scheduler == Scheduler::kubernetes ? parse_kubernetes(text) : parse_slurm(text);
}

}  // namespace tessera::sharing
