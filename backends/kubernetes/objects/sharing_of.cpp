#include "backends/kubernetes/objects/sharing_of.hpp"

#include <algorithm>

#include "engine/mig/profile_name.hpp"
#include "engine/number.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::kubernetes {
namespace {

constexpr int kMostGpus = 1024;  // more is a broken label, not a node

std::optional<int> number(std::string_view text) { return whole_number(text, 1'000'000); }

int few(std::int64_t count) { return static_cast<int>(std::clamp<std::int64_t>(count, 0, kMostGpus)); }

std::optional<int> label_number(const NodeObject& node, std::string_view key) {
  return number(node.label(key));
}

void read_product(NodeSharing& sharing, std::string_view label, const mig::Catalogue* catalogue,
                  std::optional<ProfileName>& single) {
  if (catalogue) sharing.product = catalogue->by_gfd_label(label);
  if (label.ends_with("-SHARED")) label.remove_suffix(7);
  if (std::size_t at = label.rfind("-MIG-"); at != std::string_view::npos) {
    std::string_view profile = label.substr(at + 5);
    label = label.substr(0, at);
    sharing.invalid = profile == "INVALID";
    single = mig::canonical_profile(profile);
  }
  sharing.model = label;
}

Strategy method_of(std::string_view word) {
  if (word == "time-slicing" || word == "time-sharing") return Strategy::time_slicing;
  if (word == "mps") return Strategy::mps;
  return Strategy::whole;
}

void set_replicas(NodeSharing& sharing, std::optional<int> replicas, std::string_view method) {
  if (!replicas || *replicas < 2) return;
  sharing.replicas = *replicas;
  sharing.method = method_of(method);
  if (sharing.method == Strategy::whole) sharing.method = Strategy::time_slicing;  // before there was a label
}

// nvidia.com/mig-<profile>.count and its replicas.
void read_mixed(NodeSharing& sharing, const NodeObject& node) {
  constexpr std::string_view kMigPrefix = "nvidia.com/mig-", kCount = ".count";
  for (auto it = node.meta.labels.lower_bound(kMigPrefix); it != node.meta.labels.end(); ++it) {
    std::string_view key = it->first;
    if (!key.starts_with(kMigPrefix)) break;
    if (!key.ends_with(kCount)) continue;
    std::string stem(key.substr(0, key.size() - kCount.size()));
    auto profile = mig::canonical_profile(std::string_view(stem).substr(kMigPrefix.size()));
    auto count = number(it->second);
    if (!profile || !count || *count == 0) continue;
    sharing.instances[*profile] = std::min(*count, kMostGpus);
    set_replicas(sharing, label_number(node, stem + ".replicas"), node.label(stem + ".sharing-strategy"));
  }
}

// Without feature discovery the counts are all there is.
void read_counts(NodeSharing& sharing, const NodeObject& node, bool labelled) {
  for (const auto& [resource, count] : node.capacity) {
    auto name = sharing::parse_resource(resource, Scheduler::kubernetes);
    if (!name || count <= 0) continue;
    if (name->shared) sharing.renamed = true;
    if (name->kind == sharing::ResourceKind::vgpu) sharing.vgpus[name->type] = few(count);
    if (labelled) continue;
    if (name->kind == sharing::ResourceKind::gpu) sharing.whole = few(count);
    if (name->kind == sharing::ResourceKind::instance && name->profile)
      sharing.instances[*name->profile] = few(count);
  }
  if (!labelled && sharing.instances.empty() && sharing.whole > 0) sharing.boards = sharing.whole;
}

void read_gke(NodeSharing& sharing, const NodeObject& node, const mig::Catalogue* catalogue) {
  std::string_view accelerator = node.label("cloud.google.com/gke-accelerator");
  if (accelerator.empty() || !sharing.model.empty()) return;
  sharing.model = accelerator;
  if (catalogue) sharing.product = catalogue->by_any(accelerator);
  set_replicas(sharing, label_number(node, "cloud.google.com/gke-max-shared-clients-per-gpu"),
               node.label("cloud.google.com/gke-gpu-sharing-strategy"));
  auto partition = mig::canonical_profile(node.label("cloud.google.com/gke-gpu-partition-size"));
  int offered = sharing.whole / std::max(1, sharing.replicas);
  sharing.whole = partition ? 0 : offered;
  if (partition) {
    sharing.mig_strategy = sharing::MigStrategy::single;
    sharing.instances[*partition] = offered;
    sharing.boards.reset();
  } else {
    sharing.boards = offered;
  }
}

// ACK's own labels of a GPU: "NVIDIA-A10", "23028MiB".
void read_ack_board(NodeSharing& sharing, const NodeObject& node, const mig::Catalogue* catalogue) {
  std::string_view name = node.label("aliyun.accelerator/nvidia_name");
  if (name.empty() || !sharing.model.empty()) return;
  sharing.model = name;
  if (catalogue) sharing.product = catalogue->by_any(name);
  std::string_view memory = node.label("aliyun.accelerator/nvidia_mem");
  if (memory.ends_with("MiB")) memory.remove_suffix(3);
  if (auto mib = number(memory); mib && *mib > 0) sharing.memory = Mib{*mib};
}

// ack.node.gpu.schedule: memory in GiB instead of GPUs. While it changes, nothing is offered for a while.
void read_ack(NodeSharing& sharing, const NodeObject& node, const mig::Catalogue* catalogue) {
  std::string_view mode = node.label(sharing::ack::kSchedule);
  if (!mode.empty() || !node.label(sharing::ack::kPool).empty()) read_ack_board(sharing, node, catalogue);
  auto memory = node.has(sharing::ack::kMemory);
  auto count = node.has(sharing::ack::kCount);
  if (!memory || *memory <= 0 || !count || *count <= 0) {
    auto boards = label_number(node, "aliyun.accelerator/nvidia_count");
    if (!mode.empty() && boards && sharing.whole == 0 && sharing.instances.empty())
      sharing.boards = sharing.whole = few(*boards);
    return;
  }
  sharing.boards = sharing.whole = few(*count);
  sharing.method = mode == sharing::ack::kMps ? Strategy::mps : Strategy::shard;
  sharing.by_memory = true;
  sharing.replicas = std::max(1, few(*memory / *count));
}

// Into how many a GPU is split: "GPU-...,10,24576,..." or [{"id":"GPU-...","count":10,...}], of the first
// one. What follows may be cut off.
std::optional<int> hami_split(std::string_view boards) {
  constexpr std::string_view kCount = "\"count\":";
  std::size_t at = boards.find(kCount);
  if (at == std::string_view::npos)
    at = boards.starts_with('[') ? boards.size() : std::min(boards.find(','), boards.size() - 1) + 1;
  else
    at += kCount.size();
  boards.remove_prefix(at);
  return number(boards.substr(0, boards.find_first_not_of("0123456789")));
}

// HAMi v2: its device plugin offers each GPU as many times as it is split, limits memory and cores of each
// pod, and notes its GPUs on the node.
void read_hami(NodeSharing& sharing, const NodeObject& node) {
  auto boards = node.meta.annotations.find("hami.io/node-nvidia-register");
  auto offered = node.has("nvidia.com/gpu");
  if (boards == node.meta.annotations.end() || boards->second.empty() || !offered) return;
  auto split = hami_split(boards->second);
  if (!split || *split < 2 || *offered < *split || *offered % *split != 0) return;
  sharing.boards = sharing.whole = few(*offered / *split);
  sharing.instances.clear();
  sharing.method = Strategy::shard;
  sharing.replicas = *split;
}

}  // namespace

NodeSharing sharing_of(const NodeObject& node, const mig::Catalogue* catalogue) {
  NodeSharing sharing;
  std::optional<ProfileName> single;
  std::string_view product = node.label("nvidia.com/gpu.product");
  auto count = label_number(node, "nvidia.com/gpu.count");
  bool labelled = !product.empty() && count.has_value();
  if (!product.empty()) read_product(sharing, product, catalogue, single);
  if (auto strategy = sharing::parse_strategy(node.label("nvidia.com/mig.strategy")))
    sharing.mig_strategy = *strategy;
  if (auto mib = label_number(node, "nvidia.com/gpu.memory"); mib && *mib > 0) sharing.memory = Mib{*mib};
  sharing.paused = node.label("nvidia.com/gpu.deploy.device-plugin").starts_with("paused");
  if (labelled) {
    read_mixed(sharing, node);
    int boards = std::min(*count, kMostGpus);
    if (single && sharing.instances.empty()) {
      sharing.mig_strategy = sharing::MigStrategy::single;
      sharing.instances[*single] = boards;  // the label counts instances then
    } else if (!sharing.invalid) {
      sharing.boards = boards;
    }
    auto replicas = label_number(node, "nvidia.com/gpu.replicas");
    set_replicas(sharing, replicas, node.label("nvidia.com/gpu.sharing-strategy"));
    if (single || sharing.invalid) {
      sharing.whole = 0;
    } else if (sharing.instances.empty()) {
      sharing.whole = boards;
    } else if (replicas && *replicas > 0) {
      // Some GPUs are cut, some are not: those that are not are what the plugin offers as nvidia.com/gpu.
      auto offered = node.has("nvidia.com/gpu").value_or(0) + node.has("nvidia.com/gpu.shared").value_or(0);
      sharing.whole = std::min(boards, few(offered / std::max(1, *replicas)));
    }
  }
  read_counts(sharing, node, labelled);
  read_gke(sharing, node, catalogue);
  read_ack(sharing, node, catalogue);
  read_hami(sharing, node);
  if (sharing.model.empty() && sharing.whole == 0 && sharing.instances.empty() && sharing.vgpus.empty())
    sharing.amd = amd_sharing_of(node);
  if (sharing.amd) sharing.model = sharing.amd->model;
  return sharing;
}

Counts expected_counts(const NodeSharing& sharing) {
  Counts counts;
  if (sharing.invalid) return {{sharing::kubernetes_gpu(), 0}};
  if (sharing.by_memory || sharing.method == Strategy::shard) return counts;
  bool shares = sharing.renamed && sharing.replicas > 1;
  std::int64_t each = sharing.replicas;
  if (sharing.mig_strategy == sharing::MigStrategy::single && !sharing.instances.empty()) {
    std::int64_t sum = 0;
    for (const auto& [profile, count] : sharing.instances) sum += count;
    counts[sharing::kubernetes_gpu(shares)] = sum * each;
    return counts;
  }
  for (const auto& [profile, count] : sharing.instances)
    counts[sharing::kubernetes_instance(profile, shares)] = count * each;
  if (sharing.whole > 0) counts[sharing::kubernetes_gpu(shares)] = sharing.whole * each;
  return counts;
}

}  // namespace tessera::kubernetes
