#include "engine/guide/hand_over.hpp"

#include "engine/sharing/platform.hpp"

namespace tessera::guide {

plan::Decision decision_of(const GuideResult& result) {
  plan::Decision decision;
  decision.strategy = result.strategy.value_or(Strategy::unknown);
  for (const ResultStep& step : result.path) {
    decision.path.push_back({step.question + " " + step.text, step.yes ? "yes" : "no", step.source});
  }
  decision.tradeoffs = result.tradeoffs;
  return decision;
}

namespace {

constexpr const char* kNotPlanned = "this cannot be planned";

Result<plan::Wish> vgpu_wish(const Proposal& proposal, Scheduler scheduler) {
  if (proposal.vgpu.empty())
    return Error{kNotPlanned, "the types of vGPU of this GPU are not known here",
                 "look them up with nvidia-smi vgpu -s on the hypervisor, then give the type: tessera plan "
                 "--strategy vgpu --vgpu TYPE"};
  if (scheduler == Scheduler::slurm)
    return Error{kNotPlanned, "Slurm makes no vGPUs: whoever runs the hypervisor divides the GPU",
                 "hand the type on, and add the virtual machines to Slurm as nodes"};
  plan::Wish wish;
  wish.strategy = Strategy::vgpu;
  wish.vgpu = proposal.vgpu;
  return wish;
}

}  // namespace

bool is_for_each(const Proposal& proposal) {
  return proposal.strategy == Strategy::mig && proposal.layout.empty() && !proposal.boards.empty();
}

Result<plan::Wish> wish_of(const Proposal& proposal, Scheduler scheduler) {
  if (proposal.strategy == Strategy::vgpu) return vgpu_wish(proposal, scheduler);
  if (proposal.strategy == Strategy::mig) {
    if (proposal.layout.empty())
      return Error{"these GPUs cannot get one layout", "it cuts each GPU in its own way",
                   "plan it, or open the guide on one GPU"};
    auto wish = plan::parse_layout_wish(proposal.layout);
    if (wish) wish->replicas = proposal.replicas.value_or(1);  // time-slices of each instance
    return wish;
  }
  plan::Wish wish;
  // Slurm's way of taking turns is counted in shards.
  const bool shards = proposal.strategy == Strategy::time_slicing && scheduler == Scheduler::slurm;
  wish.strategy = shards ? Strategy::shard : proposal.strategy;
  // Its MPS is percent, of which each of so many clients asks for a part.
  const bool percent = proposal.strategy == Strategy::mps && scheduler == Scheduler::slurm;
  wish.replicas = percent ? 1 : proposal.replicas.value_or(1);
  return wish;
}

Result<std::vector<plan::BoardWish>> wishes_of(const Proposal& proposal, Scheduler scheduler,
                                               const std::vector<GpuIndex>& gpus) {
  std::vector<plan::BoardWish> wishes;
  if (is_for_each(proposal)) {
    for (const BoardProposal& board : proposal.boards) {
      if (!board.gpu)
        return Error{kNotPlanned, "which GPUs these are is not reported", "take one layout for all"};
      auto wish = plan::parse_layout_wish(board.wish);
      if (!wish) return wish.error();
      wishes.push_back({board.gpu, std::move(*wish), board.node});
    }
    return wishes;
  }
  auto wish = wish_of(proposal, scheduler);
  if (!wish) return wish.error();
  for (GpuIndex gpu : gpus) wishes.push_back({gpu, *wish, std::nullopt});
  if (gpus.empty()) wishes.push_back({std::nullopt, *wish, std::nullopt});
  return wishes;
}

}  // namespace tessera::guide
