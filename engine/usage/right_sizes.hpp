// Which smaller profiles would have done for what jobs and pods held, so that what was needed can be counted
// in these sizes. Threads: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"
#include "engine/usage/report.hpp"

namespace tessera::usage {

struct Hold;

class RightSizes {
 public:
  RightSizes() = default;
  // except: rows of waste that do not count; what they tell of counts as it was held.
  RightSizes(const Ledger& ledger, const mig::Catalogue& catalogue, const std::vector<Waste>& except);

  // As what such work counts. A job or pod asks for one size, so that of all that it held of a profile the
  // largest counts; all of it counts as it was held where that is needed, or not known, of any.
  std::string_view instead_of(const ClusterName& cluster, const WorkloadId& workload,
                              std::string_view profile) const;

 private:
  struct Size {
    std::string held;
    std::optional<ProductKey> product{};
    std::string would_do{};
    int memory_slices = 0, compute_slices = 0;  // of would_do
    bool as_held = false;                       // while they are gathered
  };
  using OfCluster = std::unordered_map<WorkloadId, std::vector<Size>>;
  void gather(const Hold& hold, const mig::Catalogue& catalogue, const Limits& limits);
  Size& size_of(const ClusterName& cluster, const WorkloadId& workload, const std::string& profile);

  std::unordered_map<ClusterName, OfCluster> sizes_;
};

}  // namespace tessera::usage
