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

Result<plan::Wish> wish_of(const Proposal& proposal, Scheduler scheduler) {
  constexpr const char* what = "this cannot be one wish";
  if (proposal.strategy == Strategy::vgpu) {
    return Error{what, "the types of virtual boards are named by the hypervisor",
                 "look them up with nvidia-smi vgpu -s, then plan with that type"};
  }
  if (proposal.strategy == Strategy::mig) {
    if (proposal.layout.empty()) {
      return Error{what, "it cuts each board in its own way", "open the guide on one GPU at a time"};
    }
    return plan::parse_layout_wish(proposal.layout);
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

}  // namespace tessera::guide
