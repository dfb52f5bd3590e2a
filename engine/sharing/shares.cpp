#include "engine/sharing/shares.hpp"

#include <algorithm>

#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::sharing {

std::optional<int> fixed_shares(Scheduler scheduler, const Node& node, const Gpu& gpu, Strategy strategy) {
  if (strategy != Strategy::mps) return std::nullopt;
  if (scheduler == Scheduler::slurm) {
    auto other = std::find_if(node.gpus.begin(), node.gpus.end(), [](const Gpu& one) {
      return one.strategy == Strategy::mps && one.replicas.has_value();
    });
    return other == node.gpus.end() ? kMpsPercent : *other->replicas;
  }
  if (ack::decides(node)) return std::max(2, ack::shares_of(gpu).value_or(2));
  return std::nullopt;
}

}  // namespace tessera::sharing
