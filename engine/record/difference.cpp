#include "engine/record/difference.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "engine/insight/causes.hpp"
#include "engine/insight/totals.hpp"
#include "engine/model/health_words.hpp"
#include "engine/model/recorded.hpp"
#include "engine/plan/files/codec.hpp"

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

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool in_word(char c) {
  return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
}

// What a number behind it names: "port 1", "GPUs 0,1".
bool names_by_number(std::string_view word) {
  constexpr std::array<std::string_view, 16> kAll{"bank",     "device", "dimm", "fan",  "gpu", "index",
                                                  "instance", "job",    "lane", "link", "pci", "pod",
                                                  "port",     "row",    "run",  "slot"};
  std::string lower;
  for (const char c : word) lower += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.ends_with('s')) lower.pop_back();
  return std::find(kAll.begin(), kAll.end(), lower) != kAll.end();
}

// The names in a text that have a number: "mlx5_0", the 1 of "port 1". Other numbers are counts and ages.
std::string numbered_names(std::string_view text) {
  std::string names;
  std::string_view before;  // the word before
  bool named = false;       // that one is such a name
  std::size_t behind = 0;   // where it ends
  for (std::size_t i = 0; i < text.size();) {
    if (!in_word(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && in_word(text[i])) ++i;
    const std::string_view word = text.substr(begin, i - begin), joint = text.substr(behind, begin - behind);
    if (is_digit(word.front()))
      named = (named && (joint == ":" || joint == ",")) ||
              (names_by_number(before) && (joint == " " || joint == ":" || joint == "="));
    else
      named = std::any_of(word.begin(), word.end(), is_digit);
    if (named) names.append(word) += ' ';
    before = word, behind = i;
  }
  return names;
}

struct Said {
  std::string text;
  std::string names;  // of what it is about, where a number tells it
  Severity severity{};
  Source source{};
  bool of_source = false;  // that its source does not answer: known at any moment
};

Said said_by(const insight::Finding& one) {
  const std::string& text = one.cause.empty() ? one.text : one.cause;
  return {text, numbered_names(one.key.empty() ? text : one.key), one.severity, one.source,
          !one.is_node && one.subject == failing_word(one.source)};
}

// By where they are and what they are. Two that differ by a number alone share a place.
using Found = std::map<std::pair<std::string, std::string>, std::vector<Said>>;

Found by_identity(std::span<const insight::Finding> findings) {
  Found found;
  for (const insight::Finding& one : findings)
    found[{subject_of(one), insight::cause_id(one)}].push_back(said_by(one));
  return found;
}

bool names_tell_apart(const std::vector<Said>& all) {
  std::set<std::string> names;
  for (const Said& one : all) names.insert(one.names);
  return names.size() == all.size();
}

// Takes the pairs that are the same out of both, and hands them back.
template <class Same>
std::vector<std::pair<Said, Said>> take_pairs(std::vector<Said>& old, std::vector<Said>& now, Same same) {
  std::vector<std::pair<Said, Said>> pairs;
  std::erase_if(old, [&](const Said& was) {
    const auto is = std::find_if(now.begin(), now.end(), [&](const Said& one) { return same(was, one); });
    if (is == now.end()) return false;
    pairs.emplace_back(was, *is);
    now.erase(is);
    return true;
  });
  return pairs;
}

std::string with_severity(const Said& one) { return std::string(plan::word(one.severity)) + ": " + one.text; }

// Empty, or that it is not known: it is missing at a moment at which these sources did not answer.
std::string missing(const Said& one, const std::set<Source>& failing) {
  return !one.of_source && failing.contains(one.source) ? std::string(kNotKnown) : std::string();
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
                                        std::span<const insight::Finding> after,
                                        const std::set<Source>& failing_before,
                                        const std::set<Source>& failing_after) {
  Found was = by_identity(before), is = by_identity(after);
  for (const auto& [identity, said] : was) is.try_emplace(identity);
  std::vector<Change> all;
  for (auto& [identity, now] : is) {
    std::vector<Said>& old = was[identity];
    // Where names do not tell them apart, numbers do that would be counts elsewhere.
    const bool by_names = names_tell_apart(old) && names_tell_apart(now);
    take_pairs(old, now,
               [](const Said& a, const Said& b) { return a.text == b.text && a.severity == b.severity; });
    const auto pairs = take_pairs(old, now, [&](const Said& a, const Said& b) {
      return by_names ? a.names == b.names : a.text == b.text;
    });
    for (const auto& [one, other] : pairs)
      if (one.severity != other.severity)
        all.push_back({identity.first, "finding", with_severity(one), with_severity(other)});
    for (const Said& gone : old)
      all.push_back({identity.first, "finding", gone.text, missing(gone, failing_after)});
    for (const Said& came : now)
      all.push_back({identity.first, "finding", missing(came, failing_before), came.text});
  }
  return all;
}

}  // namespace tessera::record
