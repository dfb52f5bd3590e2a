#include "engine/plan/effect/renamed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::plan {
namespace {

constexpr std::size_t kAskersNamed = 3;

std::int64_t count_of(const Counts& counts, const std::string& resource) {
  auto found = counts.find(resource);
  return found == counts.end() ? 0 : found->second;
}

// The same GPUs by another name: with ".shared" or without, or as memory where ACK splits them.
std::vector<std::string> other_names(const std::string& resource) {
  const auto [bare, shared] = sharing::without_shared(resource);
  std::vector<std::string> names{shared ? bare : bare + ".shared"};
  const std::string whole = sharing::kubernetes_gpu(), memory(sharing::ack::kMemory);
  if (resource == whole) names.push_back(memory);
  if (resource == memory) names.push_back(whole);
  return names;
}

bool asks_here(const Workload& work, const std::string& resource, const NodeName& node) {
  const bool asks = std::any_of(work.requests.begin(), work.requests.end(),
                                [&](const Request& one) { return one.resource == resource; });
  if (!asks || work.state == WorkloadState::ended) return false;
  return work.state == WorkloadState::pending ||
         std::any_of(work.allocations.begin(), work.allocations.end(),
                     [&](const Allocation& one) { return one.node == node; });
}

std::string askers(const Cluster& cluster, const std::string& resource, const NodeName& node,
                   std::size_t& all) {
  std::string text;
  for (const Workload& work : cluster.workloads.all()) {
    if (!asks_here(work, resource, node) || ++all > kAskersNamed) continue;
    text += (text.empty() ? "" : ", ") + work.id.text;
  }
  if (all > kAskersNamed) text += fmt::format(" and {} more", all - kAskersNamed);
  return text;
}

}  // namespace

std::vector<Notice> renamed_notices(const Cluster& cluster, const NodePlan& plan) {
  std::vector<Notice> notices;
  if (cluster.scheduler != Scheduler::kubernetes) return notices;
  const Counts &before = plan.offered_before.kubernetes, &after = plan.offered_after.kubernetes;
  for (const auto& [resource, count] : before) {
    if (count <= 0 || count_of(after, resource) > 0) continue;
    for (const std::string& other : other_names(resource)) {
      if (count_of(after, other) <= 0 || count_of(before, other) > 0) continue;
      std::size_t all = 0;
      const std::string who = askers(cluster, resource, plan.node, all);
      const std::string change =
          fmt::format("{} is called {} after the change: a pod that asks for {} finds none here", resource,
                      other, resource);
      notices.push_back({all > 0 ? Severity::warning : Severity::info, "renamed", plan.node,
                         all == 0 ? change : change + ". By the old name ask " + who});
    }
  }
  return notices;
}

}  // namespace tessera::plan
