// The quota of a ClusterQueue of Kueue, for the resources that Kueue names where it says that there is too
// little of them. From text and JSON to values. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/json.hpp"
#include "engine/model/details.hpp"

namespace tessera::kubernetes {

struct QuotaNamed {
  std::string resource, flavor;
  std::optional<std::int64_t> more = std::nullopt;  // how much is missing; nullopt: not told
  friend bool operator==(const QuotaNamed&, const QuotaNamed&) = default;
};
// "insufficient unused quota for nvidia.com/gpu in flavor h100, 2 more needed": each once, kMostLinks at
// most.
std::vector<QuotaNamed> quotas_named(std::string_view message);

// A ClusterQueue: of each that is named its quota, what of that is reserved, what it may borrow and lends.
Related related_queue(const Json& cluster_queue, const std::vector<QuotaNamed>& named);

}  // namespace tessera::kubernetes
