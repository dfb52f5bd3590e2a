#include "engine/record/difference.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/insight/causes.hpp"
#include "engine/insight/totals.hpp"
#include "engine/model/health_words.hpp"

namespace tessera::record {
std::string layout_of(const Gpu& gpu) {
  const bool partitioned = gpu.strategy == Strategy::unknown && !gpu.partition_mode.empty();
  std::string text(partitioned ? gpu.partition_mode : std::string(word(gpu.strategy)));
  for (const Slice& slice : gpu.slices) {
    if (slice.kind == SliceKind::whole_gpu) continue;
    text += " " + insight::slice_label(slice);
    if (slice.placement) text += "@" + std::to_string(slice.placement->start);
  }
  return text;
}

std::string pool_of(const Node& node) {
  std::map<std::string, int> counts;
  for (const Slice& slice : node.pool) ++counts[insight::slice_label(slice)];
  std::string text;
  for (const auto& [label, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " × " + label;
  return text;
}

namespace {

std::string holders_of(const Cluster& cluster, const std::vector<Slice>& slices) {
  std::set<std::string> names;
  for (const Slice& slice : slices)
    for (const Holder& holder : slice.holders) {
      const Workload* workload = cluster.workloads.find(holder.workload);
      names.insert(workload && !workload->user.empty() ? workload->user + " " + holder.workload.text
                                                       : holder.workload.text);
    }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string health_of(const Cluster& cluster, const Node& node) {
  std::string text(health_word(node.health, cluster.scheduler));
  if (!node.reason.empty()) text += ": " + node.reason;
  return text;
}

void compare(std::vector<Change>& all, std::string subject, std::string what, std::string before,
             std::string after) {
  if (before != after)
    all.push_back({std::move(subject), std::move(what), std::move(before), std::move(after)});
}

void compare_nodes(std::vector<Change>& all, const Cluster& before, const Node& old, const Cluster& after,
                   const Node& now) {
  const std::string& name = now.name.text;
  compare(all, name, "health", health_of(before, old), health_of(after, now));
  compare(all, name, "driver", old.driver, now.driver);
  std::map<int, std::pair<const Gpu*, const Gpu*>> gpus;
  for (const Gpu& gpu : old.gpus) gpus[gpu.index.value].first = &gpu;
  for (const Gpu& gpu : now.gpus) gpus[gpu.index.value].second = &gpu;
  for (const auto& [index, pair] : gpus) {
    const auto& [was, is] = pair;
    const std::string subject = name + " GPU " + std::to_string(index);
    compare(all, subject, "layout", was ? layout_of(*was) : "", is ? layout_of(*is) : "");
    compare(all, subject, "holders", was ? holders_of(before, was->slices) : "",
            is ? holders_of(after, is->slices) : "");
  }
  compare(all, name, "layout", pool_of(old), pool_of(now));
  compare(all, name, "holders", holders_of(before, old.pool), holders_of(after, now.pool));
}

std::string state_of(const Workload& workload) {
  return std::string(word(workload.state)) + (workload.user.empty() ? "" : ", " + workload.user);
}

std::string subject_of(const insight::Finding& finding) {
  if (finding.subject.empty()) return finding.cluster.text;
  return finding.gpu ? finding.subject + " GPU " + std::to_string(finding.gpu->value) : finding.subject;
}

// By where they are and what they are; with each what it says. Two that differ by a number alone share a
// place.
using Found = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

Found by_identity(std::span<const insight::Finding> findings) {
  Found found;
  for (const insight::Finding& one : findings)
    found[{subject_of(one), insight::cause_id(one)}].push_back(one.cause.empty() ? one.text : one.cause);
  return found;
}

// Those of `texts` that are too many beside `others`: not one that the others have word for word, as long as
// there is another.
std::vector<std::string> left_over(std::vector<std::string> texts, const std::vector<std::string>& others) {
  if (texts.size() <= others.size()) return {};
  std::stable_partition(texts.begin(), texts.end(), [&](const std::string& text) {
    return std::find(others.begin(), others.end(), text) == others.end();
  });
  texts.resize(texts.size() - others.size());
  return texts;
}

}  // namespace

std::vector<Change> differences(const Cluster& before, const Cluster& after) {
  std::vector<Change> all;
  std::set<NodeName> nodes;
  for (const Node& node : before.nodes.all()) nodes.insert(node.name);
  for (const Node& node : after.nodes.all()) nodes.insert(node.name);
  for (const NodeName& name : nodes) {
    const Node* old = before.nodes.find(name);
    const Node* now = after.nodes.find(name);
    if (old && now)
      compare_nodes(all, before, *old, after, *now);
    else
      compare(all, name.text, "node", old ? health_of(before, *old) : "", now ? health_of(after, *now) : "");
  }
  std::set<WorkloadId> work;
  for (const Workload& one : before.workloads.all()) work.insert(one.id);
  for (const Workload& one : after.workloads.all()) work.insert(one.id);
  for (const WorkloadId& id : work) {
    const Workload* old = before.workloads.find(id);
    const Workload* now = after.workloads.find(id);
    compare(all, id.text, "workload", old ? state_of(*old) : "", now ? state_of(*now) : "");
  }
  return all;
}

std::vector<Change> finding_differences(std::span<const insight::Finding> before,
                                        std::span<const insight::Finding> after) {
  Found was = by_identity(before), is = by_identity(after);
  for (const auto& [identity, texts] : was) is.try_emplace(identity);
  std::vector<Change> all;
  for (const auto& [identity, texts] : is) {
    const std::vector<std::string>& old = was[identity];
    for (std::string& gone : left_over(old, texts))
      all.push_back({identity.first, "finding", std::move(gone), ""});
    for (std::string& came : left_over(texts, old))
      all.push_back({identity.first, "finding", "", std::move(came)});
  }
  return all;
}

}  // namespace tessera::record
