#include "engine/usage/right_sizes.hpp"

#include <algorithm>

#include "engine/usage/ledger.hpp"
#include "engine/usage/too_big.hpp"

namespace tessera::usage {

RightSizes::RightSizes(const Ledger& ledger, const mig::Catalogue& catalogue,
                       const std::vector<Waste>& except) {
  for (const Hold& hold : ledger.holds()) gather(hold, catalogue, ledger.limits());
  for (const Waste& one : except)
    if (one.kind == "too-big") size_of(one.cluster, WorkloadId(one.workload), one.profile).as_held = true;
  // Most of what was held needs no second look.
  for (auto& [cluster, workloads] : sizes_) {
    for (auto& [workload, sizes] : workloads)
      std::erase_if(sizes, [](const Size& one) { return one.as_held; });
    std::erase_if(workloads, [](const auto& one) { return one.second.empty(); });
  }
}

RightSizes::Size& RightSizes::size_of(const ClusterName& cluster, const WorkloadId& workload,
                                      const std::string& profile) {
  std::vector<Size>& sizes = sizes_[cluster][workload];
  for (Size& one : sizes)
    if (one.held == profile) return one;
  return sizes.emplace_back(Size{profile});
}

void RightSizes::gather(const Hold& hold, const mig::Catalogue& catalogue, const Limits& limits) {
  Size& size = size_of(hold.cluster, hold.workload, hold.profile);
  // What several share is no demand of one of them.
  const auto found = hold.measured_part ? std::nullopt : too_big(hold, catalogue, limits);
  if (!found) {
    size.as_held = true;
    return;
  }
  const mig::Profile& other = *found->would_do;
  if (size.would_do == other.name.text && size.product == hold.product) return;
  const bool larger =
      other.memory_slices >= size.memory_slices && other.compute_slices >= size.compute_slices;
  const bool smaller =
      other.memory_slices <= size.memory_slices && other.compute_slices <= size.compute_slices;
  if (size.would_do.empty() || (size.product == hold.product && larger && !smaller))
    size = {size.held,           hold.product,         other.name.text,
            other.memory_slices, other.compute_slices, size.as_held};
  else if (size.product != hold.product || larger == smaller)
    size.as_held = true;  // neither does in place of both
}

std::string_view RightSizes::instead_of(const ClusterName& cluster, const WorkloadId& workload,
                                        std::string_view profile) const {
  const auto of_cluster = sizes_.find(cluster);
  if (of_cluster == sizes_.end()) return profile;
  const auto of_workload = of_cluster->second.find(workload);
  if (of_workload == of_cluster->second.end()) return profile;
  for (const Size& one : of_workload->second)
    if (one.held == profile) return one.would_do;
  return profile;
}

}  // namespace tessera::usage
