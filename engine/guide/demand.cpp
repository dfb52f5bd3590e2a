#include "engine/guide/demand.hpp"

#include <algorithm>

#include "engine/sharing/resources.hpp"

namespace tessera::guide {

namespace {

Demand read(const Workload& work, const Cluster& cluster, const mig::Product* product) {
  Demand demand;
  demand.workload = work.id;
  for (const Request& request : work.requests) {
    const auto name = sharing::parse_resource(request.resource, cluster.scheduler);
    if (!name || request.count <= 0) continue;
    if (name->kind == sharing::ResourceKind::instance) {
      if (product == nullptr) continue;
      demand.profile = product->index_of(name->profile->text);
      demand.count = demand.profile ? request.count : 0;
      // Instances of two sizes in one request are beyond what is matched here.
      return demand;
    }
    if (name->kind == sharing::ResourceKind::gpu) {
      const bool slurm = cluster.scheduler == Scheduler::slurm;
      demand.any = slurm && name->type.empty();
      demand.whole = !demand.any;
      demand.count = request.count;
      return demand;
    }
  }
  return demand;
}

bool take(std::int64_t& there, std::int64_t count) {
  if (there < count) return false;
  there -= count;
  return true;
}

// The smallest parts first: an untyped request leaves the large ones to those who named them.
bool take_any(Offer& offer, std::int64_t count) {
  std::int64_t sum = offer.whole;
  for (const auto& [profile, parts] : offer.parts) sum += parts;
  if (sum < count) return false;
  for (auto& [profile, parts] : offer.parts) {
    const std::int64_t taken = std::min(parts, count);
    parts -= taken;
    count -= taken;
  }
  offer.whole -= count;
  return true;
}

}  // namespace

std::vector<Demand> demands(const Cluster& cluster, const mig::Product* product) {
  std::vector<Demand> all;
  for (const Workload* work : waiting_work(cluster)) all.push_back(read(*work, cluster, product));
  return all;
}

bool grant(Offer& offer, const Demand& demand) {
  if (demand.count <= 0) return false;
  if (demand.profile) {
    const auto found = offer.parts.find(*demand.profile);
    return found != offer.parts.end() && take(found->second, demand.count);
  }
  if (demand.any || (demand.whole && offer.single)) return take_any(offer, demand.count);
  return demand.whole && take(offer.whole, demand.count);
}

}  // namespace tessera::guide
