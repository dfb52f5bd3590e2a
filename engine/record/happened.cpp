#include "engine/record/happened.hpp"

#include <algorithm>

#include "engine/record/difference.hpp"

namespace tessera::record {
namespace {

bool runs(const Workload& workload) {
  return workload.state == WorkloadState::running || workload.state == WorkloadState::completing ||
         workload.state == WorkloadState::suspended;
}

bool is_on(const Workload& workload, const NodeName& node) {
  return std::any_of(workload.allocations.begin(), workload.allocations.end(),
                     [&](const Allocation& held) { return held.node == node; });
}

// Findings are written as "h100-03: what".
bool is_about(const std::string& finding, const NodeName& node) {
  return finding.starts_with(node.text + ":") || finding.starts_with(node.text + " ");
}

bool is_about(const RunNews& news, const NodeName& node) {
  return std::find(news.nodes.begin(), news.nodes.end(), node) != news.nodes.end();
}

}  // namespace

Moment moment_of(const Round& round, const NodeName& only) {
  Moment moment;
  const bool all = only.empty();
  for (const Workload& workload : round.cluster.workloads.all())
    if (runs(workload) && (all || is_on(workload, only)))
      moment.running.emplace(workload.id, std::string(word(workload.kind)) + " " + workload.id.text);
  for (const Node& node : round.cluster.nodes.all()) {
    if (!all && node.name != only) continue;
    auto& layouts = moment.layouts[node.name];
    for (const Gpu& gpu : node.gpus) layouts.emplace(gpu.index.value, layout_of(gpu));
    if (!node.pool.empty()) moment.pools[node.name] = pool_of(node);
  }
  for (const RunNews& news : round.runs)
    if (all || is_about(news, only)) moment.runs.push_back("run " + news.run + " " + news.text);
  for (const std::string& finding : round.findings)
    if (all || is_about(finding, only)) moment.findings.insert(finding);
  return moment;
}

std::vector<std::string> happened(const Moment& before, const Moment& after) {
  std::vector<std::string> all;
  for (const auto& [node, layouts] : after.layouts) {
    const auto old = before.layouts.find(node);
    if (old == before.layouts.end()) continue;
    for (const auto& [gpu, layout] : layouts) {
      const auto was = old->second.find(gpu);
      if (was != old->second.end() && was->second != layout)
        all.push_back("new layout on " + node.text + " GPU " + std::to_string(gpu));
    }
  }
  for (const auto& [node, pool] : after.pools)
    if (const auto old = before.pools.find(node); old != before.pools.end() && old->second != pool)
      all.push_back("new layout on " + node.text);
  all.insert(all.end(), after.runs.begin(), after.runs.end());
  for (const std::string& finding : after.findings)
    if (!before.findings.contains(finding)) all.push_back("found: " + finding);
  for (const auto& [id, name] : before.running)
    if (!after.running.contains(id)) all.push_back(name + " ended");
  return all;
}

}  // namespace tessera::record
