// Shares of whole GPUs: MPS clients, time-slices or shards, virtual GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/guide/demand.hpp"
#include "engine/guide/proposals/offers.hpp"
#include "engine/guide/proposals/proposals_turns.hpp"
#include "engine/sharing/limits.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/rules.hpp"
#include "engine/sharing/shares.hpp"
#include "engine/sharing/vgpu.hpp"

namespace tessera::guide {

namespace {

constexpr std::array<int, 4> kShares{2, 4, 8, 16};

std::optional<Mib> memory_of(const Scope& scope) {
  for (const Gpu* gpu : scope.boards) {
    if (gpu->memory) return gpu->memory;
  }
  if (scope.product == nullptr) return std::nullopt;
  // The profile that takes the whole GPU reports its memory; else the marketing size does.
  const auto& profiles = scope.product->profiles;
  for (auto it = profiles.rbegin(); it != profiles.rend(); ++it) {
    if (it->memory_slices == scope.product->units && it->memory) return it->memory;
  }
  if (scope.product->memory_gb) return Mib{std::int64_t{*scope.product->memory_gb} * 1024};
  return std::nullopt;
}

bool has_instances(const Gpu& gpu) {
  return std::any_of(gpu.slices.begin(), gpu.slices.end(),
                     [](const Slice& one) { return one.kind == SliceKind::gpu_instance; });
}

// Work that holds an instance: its GPU cannot be shared whole before it ends. Others on whole GPUs must
// end as well, since the way of sharing is set when the plugin or the daemon starts.
std::vector<WorkloadId> in_the_way(const Scope& scope, Strategy strategy) {
  std::set<WorkloadId> ids;
  for (const Gpu* gpu : scope.boards) {
    if (gpu->strategy == strategy && !has_instances(*gpu)) continue;
    for (const Slice& slice : gpu->slices) {
      for (const Holder& holder : slice.holders) ids.insert(holder.workload);
    }
  }
  return {ids.begin(), ids.end()};
}

void note_memory(Proposal& proposal, const Scope& scope) {
  if (!proposal.memory_share) return;
  for (const Gpu* gpu : scope.boards) {
    for (const Slice& slice : gpu->slices) {
      if (slice.holders.size() != 1) continue;
      const auto used = slice.memory_used ? slice.memory_used : gpu->telemetry.memory_used;
      if (!used) continue;
      const WorkloadId& id = slice.holders.front().workload;
      if (used->value > proposal.memory_share->value) {
        proposal.notes.push_back(fmt::format("{} uses {:.1f} GiB now, more than a share of {:.1f} GiB",
                                             id.text, static_cast<double>(used->value) / 1024,
                                             static_cast<double>(proposal.memory_share->value) / 1024));
      } else if (std::count(proposal.ends.begin(), proposal.ends.end(), id) > 0) {
        proposal.rehoused.push_back(id);
      }
    }
  }
}

void add_boards(Proposal& proposal, const Scope& scope) {
  // A GPU that is in no cluster, or not reported, counts as one.
  if (scope.boards.empty()) proposal.boards.emplace_back();
  for (const Node* node : scope.nodes) {
    for (const Gpu& gpu : node->gpus) {
      if (std::find(scope.boards.begin(), scope.boards.end(), &gpu) == scope.boards.end()) continue;
      BoardProposal board{node->name, gpu.index, std::nullopt, {}, 0, {}};
      for (const Slice& slice : gpu.slices) {
        for (const Holder& holder : slice.holders) {
          if (std::count(proposal.ends.begin(), proposal.ends.end(), holder.workload) > 0) {
            board.ends.push_back(holder.workload);
          }
        }
      }
      proposal.boards.push_back(std::move(board));
    }
  }
}

int most_clients(const Scope& scope, Strategy strategy, sharing::Platform platform) {
  if (strategy != Strategy::mps || scope.product == nullptr) return sharing::kMaxClients;
  const std::string& capability = scope.product->compute_capability;
  const bool kubernetes = sharing::scheduler_of(platform) == Scheduler::kubernetes;
  const int most = kubernetes ? sharing::mps_plugin_clients(capability) : sharing::mps_clients(capability);
  return capability.empty() ? sharing::kMaxClients : most;
}

// ACK hands out memory in GiB: there is no number of clients to choose.
std::vector<Proposal> shares_of_ack(const Scope& scope, Strategy strategy, sharing::Platform platform,
                                    const plan::Queue& queue) {
  if (strategy != Strategy::mps) return {};
  Proposal one;
  one.strategy = strategy;
  const std::optional<Mib> memory = memory_of(scope);
  std::optional<int> parts;
  if (memory && memory->value >= 1024) parts = static_cast<int>(memory->value / 1024);
  if (!scope.nodes.empty() && !scope.boards.empty())
    parts =
        sharing::fixed_shares(Scheduler::kubernetes, *scope.nodes.front(), *scope.boards.front(), strategy);
  one.replicas = parts.value_or(2);
  one.title = parts ? fmt::format("{} GiB of each GPU, in the parts that pods ask for", *parts)
                    : "the memory of each GPU in GiB, in the parts that pods ask for";
  one.notes.push_back("MPS of ACK shares memory only; pods that ask for nvidia.com/gpu find none there");
  one.ends = in_the_way(scope, strategy);
  add_boards(one, scope);
  tell_offer(one, scope, platform);
  count_starts(one, scope, queue);
  return {std::move(one)};
}

// Slurm counts MPS in percent of a GPU, of which each job asks for its part: there is no number of clients
// to choose.
std::vector<Proposal> percent_of_slurm(const Scope& scope, sharing::Platform platform,
                                       const plan::Queue& queue) {
  Proposal one;
  one.strategy = Strategy::mps;
  one.title = fmt::format("{} mps of each GPU, in the parts that jobs ask for", sharing::kMpsPercent);
  one.memory = memory_of(scope);
  one.ends = in_the_way(scope, Strategy::mps);
  add_boards(one, scope);
  tell_offer(one, scope, platform);
  count_starts(one, scope, queue);
  return {std::move(one)};
}

}  // namespace

std::vector<Proposal> propose_shares(const Scope& scope, Strategy strategy, sharing::Platform platform) {
  std::vector<Proposal> all;
  const int most = most_clients(scope, strategy, platform);
  plan::Queue queue;
  if (scope.cluster != nullptr && scope.catalogue != nullptr)
    queue = plan::queue_of(*scope.cluster, *scope.catalogue);
  if (by_ack(scope, platform)) return shares_of_ack(scope, strategy, platform, queue);
  if (strategy == Strategy::mps && sharing::scheduler_of(platform) == Scheduler::slurm)
    return percent_of_slurm(scope, platform, queue);
  std::vector<int> shares(kShares.begin(), kShares.end());
  shares.push_back(most);
  std::sort(shares.begin(), shares.end());
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  for (int replicas : shares) {
    if (replicas > most) break;
    Proposal one;
    one.strategy = strategy;
    one.replicas = replicas;
    one.title = fmt::format("{} {} for each GPU", replicas,
                            strategy == Strategy::mps                                  ? "clients"
                            : sharing::scheduler_of(platform) == Scheduler::kubernetes ? "replicas"
                                                                                       : "shards");
    one.memory_share = sharing::memory_share(memory_of(scope), replicas);
    one.ends = in_the_way(scope, strategy);
    note_memory(one, scope);
    add_boards(one, scope);
    tell_offer(one, scope, platform);
    count_starts(one, scope, queue);
    all.push_back(std::move(one));
  }
  // As many as wait are served first, by the fewest shares: every share more makes each of them smaller.
  std::stable_sort(all.begin(), all.end(), [](const Proposal& left, const Proposal& right) {
    return std::pair(right.fit.size(), left.notes.size()) < std::pair(left.fit.size(), right.notes.size());
  });
  return all;
}

std::vector<Proposal> propose_vgpu(const Scope& scope, sharing::Platform platform) {
  std::vector<Proposal> all;
  const auto table = sharing::built_in_vgpu_types();
  const std::string& model = scope.boards.empty() ? scope.model : scope.boards.front()->model;
  std::vector<sharing::VgpuType> types;
  if (table && scope.product) types = sharing::vgpu_types(*table, scope.product->key, model);
  if (types.empty()) {
    Proposal one;
    one.strategy = Strategy::vgpu;
    one.title = "the types of this GPU are not known here";
    one.notes.push_back("the types that this GPU offers are listed by the hypervisor: nvidia-smi vgpu -s");
    add_boards(one, scope);
    return {std::move(one)};
  }
  for (const sharing::VgpuType& type : types) {
    Proposal one;
    one.strategy = Strategy::vgpu;
    one.vgpu = type.name;
    one.replicas = type.per_board;
    one.memory_share = Mib{std::int64_t{type.gigabytes} * 1024};
    one.title = fmt::format("{}: {}", type.name.text, sharing::to_text(type));
    one.ends = in_the_way(scope, Strategy::vgpu);
    add_boards(one, scope);
    tell_offer(one, scope, platform);
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Proposal> propose(const Scope& scope, Strategy strategy, sharing::Platform platform) {
  switch (strategy) {
    case Strategy::mig: {
      std::vector<Proposal> all = propose_layouts(scope, platform);
      for (Proposal& one : propose_turns(scope, platform)) all.push_back(std::move(one));
      return all;
    }
    case Strategy::mps:
    case Strategy::time_slicing: return propose_shares(scope, strategy, platform);
    case Strategy::vgpu: return propose_vgpu(scope, platform);
    default: return {};
  }
}

}  // namespace tessera::guide
