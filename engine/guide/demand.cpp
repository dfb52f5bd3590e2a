#include "engine/guide/demand.hpp"

#include <algorithm>
#include <set>

#include "engine/guide/proposals/offers.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::guide {

namespace {

Demand read(const Workload& work, Scheduler scheduler, const mig::Product* product) {
  Demand demand;
  demand.workload = work.id;
  for (const Request& request : work.requests) {
    const auto name = sharing::parse_resource(request.resource, scheduler);
    if (!name || request.count <= 0) continue;
    if (name->kind == sharing::ResourceKind::instance) {
      if (product == nullptr) continue;
      demand.profile = product->index_of(name->profile->text);
      demand.count = demand.profile ? request.count : 0;
      // Instances of two sizes in one request are beyond what is matched here.
      return demand;
    }
    if (name->kind == sharing::ResourceKind::gpu) {
      const bool slurm = scheduler == Scheduler::slurm;
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

int ended_on(const Node& node, const Proposal& proposal) {
  return static_cast<int>(
      std::count_if(node.workloads.begin(), node.workloads.end(), [&](const WorkloadId& id) {
        return std::find(proposal.ends.begin(), proposal.ends.end(), id) != proposal.ends.end();
      }));
}

std::vector<plan::Room> gains(const Proposal& proposal, const Scope& scope) {
  std::vector<plan::Room> rooms;
  const Scheduler scheduler = scope.cluster->scheduler;
  for (const Node* node : scope.nodes) {
    if (scope.boards.empty()) {  // GPUs that are not reported: shown for one empty GPU
      rooms.push_back(plan::gained(*scope.cluster, *node, {}, proposal.advertised));
      return rooms;
    }
    const std::vector<plan::BoardChange> changes = changes_of(proposal, *node, scope);
    const plan::SiteRules rules = rules_for(scope, node);
    const plan::Counts before = plan::offered(*node, *scope.catalogue, rules, nullptr).by(scheduler);
    const plan::Counts after = plan::offered(*node, *scope.catalogue, rules, &changes).by(scheduler);
    plan::Shares shares;
    if (scheduler == Scheduler::kubernetes)
      shares = plan::shares_after(*node, *scope.catalogue, rules, changes);
    rooms.push_back(plan::gained(*scope.cluster, *node, before, after, std::move(shares)));
    rooms.back().ended = ended_on(*node, proposal);
  }
  return rooms;
}

}  // namespace

std::vector<Demand> demands(const plan::Queue& queue, const mig::Product* product) {
  std::vector<Demand> all;
  for (const Workload* work : queue.waiting) all.push_back(read(*work, queue.scheduler, product));
  return all;
}

void count_starts(Proposal& proposal, const Scope& scope, const plan::Queue& queue) {
  proposal.fit.clear(), proposal.wait.clear();
  if (scope.cluster == nullptr || scope.catalogue == nullptr) return;
  for (const Workload* work : plan::starting(*scope.cluster, queue, gains(proposal, scope)))
    proposal.fit.push_back(work->id);
  const std::set<WorkloadId> starts(proposal.fit.begin(), proposal.fit.end());
  for (const Workload* work : waiting_work(*scope.cluster))
    if (!starts.contains(work->id)) proposal.wait.push_back(work->id);
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
