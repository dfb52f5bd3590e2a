#include "engine/insight/stuck_work.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/insight/available.hpp"
#include "engine/model/array_tasks.hpp"
#include "engine/model/counts_text.hpp"
#include "engine/model/kueue.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/shell.hpp"

namespace tessera::insight {
namespace {

std::string resources_asked_for(const Workload& workload) {
  std::string text = requests_text(workload.requests);
  return text.empty() ? "resources" : text;
}

// The same under another name: with and without an attribute or ".shared".
bool is_kin(const sharing::ResourceName& a, const sharing::ResourceName& b) {
  if (a.profile && b.profile) {
    const auto base = [](const ProfileName& name) {
      return name.text.substr(0, name.text.find_first_of("+-"));
    };
    return base(*a.profile) == base(*b.profile);
  }
  return a.kind == b.kind && !a.profile && !b.profile && a.shared != b.shared;
}

class Stuck {
 public:
  explicit Stuck(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<Finding> run() {
    asks_for_what_no_node_has();
    never_offered();
    spent_quotas();
    return std::move(found_);
  }

 private:
  Finding& add(Severity severity, std::string subject, std::string text, std::string hint) {
    return found_.emplace_back(Finding{severity, cluster_.name, std::move(subject), false, std::nullopt,
                                       std::move(text), std::move(hint)});
  }

  // Work that asks for the same in vain. It has asked since it was handed in: the oldest of it the longest.
  struct InVain {
    int count = 0;
    const Workload* first = nullptr;
    std::optional<TimePoint> since;
    void add(const Workload& work) {
      ++count;
      if (!first || work.id < first->id) first = &work;
      if (work.submitted) since = since ? std::min(*since, *work.submitted) : *work.submitted;
    }
  };

  // Work that cannot start as the nodes are configured is worse than work that waits its turn.
  // What is asked for is a cause of its own: one line for each.
  void asks_for_what_no_node_has() {
    std::map<std::string, InVain> asked;
    for (const Workload& workload : cluster_.workloads.all())
      if (workload.state == WorkloadState::pending && workload.reason.starts_with("BadConstraints"))
        asked[resources_asked_for(workload)].add(workload);
    for (const auto& [resources, never] : asked) tell_bad(resources, never);
  }
  void tell_bad(const std::string& resources, const InVain& never) {
    const Workload& first = *never.first;
    const std::string more = never.count == 1 ? ""
                                              : fmt::format("; {} more wait{} like it", never.count - 1,
                                                            never.count == 2 ? "s" : "");
    Finding& finding = add(Severity::warning, "job " + first.id.text,
                           fmt::format("asks for {}, which no node has (BadConstraints){}", resources, more),
                           fmt::format("ask {} to change it, or create such a slice",
                                       first.user.empty() ? "its owner" : first.user));
    finding.source = first.origin.source;
    finding.since = never.since;
    finding.follows = "it does not start while no node has that";
    finding.commands = {"scontrol show job " + shell_word(job_argument(first.id.text))};
  }

  // Kubernetes does not say that it can never start: its request names a resource that no node has. A plugin
  // that was upgraded, or has another strategy, may offer the same under another name.
  void never_offered() {
    if (cluster_.scheduler != Scheduler::kubernetes || !nodes_are_current(cluster_)) return;
    std::set<std::string> offered;
    for (const Node& node : cluster_.nodes.all()) {
      if (!node.allocatable) return;  // one that does not report may have it
      if (node.order && (node.order->state == "pending" || node.order->state == "rebooting")) return;
      for (const auto& [name, count] : *node.allocatable) offered.insert(name);
      for (const Gpu& gpu : node.gpus)
        if (gpu.strategy == Strategy::unknown && gpu.partition_mode.empty()) return;
    }
    std::map<std::string, InVain> asked;
    for (const Workload& work : cluster_.workloads.all()) {
      if (work.state != WorkloadState::pending) continue;
      for (const Request& one : work.requests) {
        if (one.count <= 0 || offered.contains(one.resource)) continue;
        if (!sharing::parse_resource(one.resource, Scheduler::kubernetes)) continue;
        asked[one.resource].add(work);
      }
    }
    for (const auto& [resource, by] : asked) tell_never(resource, by, offered);
  }
  void tell_never(const std::string& resource, const InVain& by, const std::set<std::string>& offered) {
    const Workload& first = *by.first;
    std::string other;
    const auto wanted = sharing::parse_resource(resource, Scheduler::kubernetes);
    for (const std::string& name : offered) {
      const auto there = sharing::parse_resource(name, Scheduler::kubernetes);
      if (wanted && there && is_kin(*wanted, *there)) other = name;
    }
    const std::string more = by.count == 1 ? "" : fmt::format(", and {} more", by.count - 1);
    Finding& finding = add(
        Severity::warning, fmt::format("{} {}", kind_word(first), first.id.text),
        fmt::format("asks for {}, which no node offers{}", resource, more),
        other.empty() ? "change its request, or give a node a layout that has it"
                      : fmt::format("nodes offer {}: the name changes with the device plugin's version, its "
                                    "MIG strategy and its sharing; change the request or that setting",
                                    other));
    finding.source = first.origin.source;
    finding.since = by.since;
    finding.follows = "it does not start while no node offers that";
    finding.commands = {"kubectl get nodes -o custom-columns=NAME:.metadata.name,GPUS:.status.allocatable"};
  }

  // Whoever asks for more is refused by the API server, before anything waits. Since when all of it is asked
  // for, a ResourceQuota does not tell.
  void spent_quotas() {
    for (const Quota& quota : cluster_.quotas) {
      if (!quota.used || *quota.used < quota.limit) continue;
      Finding& finding = add(Severity::info, quota.group,
                             fmt::format("quota {} allows {} {}, and all of it is asked for", quota.name,
                                         quota.limit, quota.resource),
                             "raise the quota, or wait until some of it ends");
      finding.source = cluster_.simulated ? Source::simulator : Source::kubernetes_pods;
      finding.follows =
          fmt::format("the API server refuses work of this namespace that asks for more {}", quota.resource);
      finding.commands = {"kubectl describe quota " + shell_word(quota.name) + " -n " +
                          shell_word(quota.group)};
    }
  }

  const Cluster& cluster_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> stuck_work(const Cluster& cluster) { return Stuck(cluster).run(); }

}  // namespace tessera::insight
