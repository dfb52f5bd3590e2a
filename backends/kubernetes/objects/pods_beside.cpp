#include "backends/kubernetes/objects/pods_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "backends/kubernetes/objects/pod_against_node.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

using why::AgainstNode;
using By = AgainstNode::By;

constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";
constexpr std::size_t kMostOfFinding = 1024;

By kind_of(const PodRule& rule) {
  switch (rule.is) {
    case PodRule::Is::spread: return By::spread;
    case PodRule::Is::apart: return By::apart;
    case PodRule::Is::beside: break;
  }
  return By::beside;
}

// Of how many pods that a rule is about each domain has some, and whose they are.
struct Domain {
  std::int64_t pods = 0;
  std::string one;  // of them
};

// One rule on all nodes.
class Judged {
 public:
  // keys: of all spreads of the pod, without which a node counts in no spread.
  Judged(const PodRule& rule, const PodsTold* told, const std::vector<ListedNode>& nodes,
         const std::vector<std::string>& keys)
      : rule_(rule), told_(told) {
    std::map<std::string_view, const ListedNode*> listed;
    for (const ListedNode& one : nodes) {
      listed.emplace(one.node->meta.name, &one);
      doubtful_ = doubtful_ || (rule.is == PodRule::Is::spread && may_count(one, keys));
      if (rule.is != PodRule::Is::spread || counts(one, keys)) (void)domain_of(*one.node, true);
    }
    if (!told) return;
    for (const PodThere& pod : told->pods) {
      const auto on = listed.find(pod.node);
      if (on == listed.end())
        ++strays_;
      else
        count(pod, *on->second, keys);
    }
  }

  std::optional<AgainstNode> against(const NodeObject& node) const {
    const NodeLabel has = label_of(node, rule_.topology);
    if (!has.known)
      return doubt(node,
                   fmt::format("its rules about other pods go by {}, a label that tessera does not keep",
                               rule_.topology));
    if (!has.value) return without_label(node);
    const auto found = domains_.find(*has.value);
    const Domain here = found == domains_.end() ? Domain() : found->second;
    switch (rule_.is) {
      case PodRule::Is::apart: return against_apart(node, *has.value, here);
      case PodRule::Is::beside: return against_beside(node, *has.value, here);
      case PodRule::Is::spread: break;
    }
    return against_spread(node, *has.value, here);
  }

 private:
  static bool counts(const ListedNode& one, const std::vector<std::string>& keys) {
    return one.chosen && std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
             return label_of(*one.node, key).value.has_value();
           });
  }
  // Whether that is not known of a node: of its selector, or of a label.
  static bool may_count(const ListedNode& one, const std::vector<std::string>& keys) {
    bool unknown = !one.sure;
    for (const std::string& key : keys) {
      const NodeLabel has = label_of(*one.node, key);
      if (has.known && !has.value) return false;
      unknown = unknown || !has.known;
    }
    return one.chosen && unknown;
  }
  Domain* domain_of(const NodeObject& node, bool make) {
    const NodeLabel has = label_of(node, rule_.topology);
    if (!has.value) return nullptr;
    if (make) return &domains_[std::string(*has.value)];
    const auto found = domains_.find(*has.value);
    return found == domains_.end() ? nullptr : &found->second;
  }
  void count(const PodThere& pod, const ListedNode& on, const std::vector<std::string>& keys) {
    // Of a spread only what stays, and stands on a node that counts.
    if (rule_.is == PodRule::Is::spread && (pod.ending || !counts(on, keys))) return;
    Domain* domain = domain_of(*on.node, false);
    if (domain == nullptr) return;
    if (domain->pods++ == 0) domain->one = pod.id;
  }

  bool by_host() const { return rule_.topology == kHostnameLabel; }
  // Whether all pods that may stand in a domain of the listed nodes are counted there.
  bool is_whole() const {
    const bool parted = by_host() && rule_.is != PodRule::Is::spread;
    return told_ && told_->whole() && (parted || strays_ == 0) && !doubtful_;
  }
  std::string pods() const { return rule_.selector.empty() ? std::string("any label") : rule_.selector; }
  std::string pair(std::string_view value) const { return fmt::format("{}={}", rule_.topology, value); }

  AgainstNode told(const NodeObject& node, std::string_view text, bool certain) const {
    return {NodeName(node.meta.name), kind_of(rule_), clean(text, kMostOfFinding), certain, ""};
  }
  AgainstNode doubt(const NodeObject& node, std::string_view text) const { return told(node, text, false); }
  AgainstNode not_counted(const NodeObject& node) const {
    return doubt(node, fmt::format("not known: which pods with {} run there", pods()));
  }

  std::optional<AgainstNode> without_label(const NodeObject& node) const {
    // Where a label does not part the nodes no pod is too near.
    if (rule_.is == PodRule::Is::apart) return std::nullopt;
    return told(
        node,
        fmt::format("its rules about other pods go by {}, and the node has no such label", rule_.topology),
        true);
  }

  std::optional<AgainstNode> against_apart(const NodeObject& node, std::string_view value,
                                           const Domain& here) const {
    if (here.pods > 0)
      return told(node,
                  by_host() ? fmt::format("its anti-affinity keeps it off pods with {}, and {} runs there",
                                          pods(), here.one)
                            : fmt::format("its anti-affinity keeps it off pods with {}, and {} runs on a "
                                          "node with {}",
                                          pods(), here.one, pair(value)),
                  true);
    return is_whole() ? std::nullopt : std::optional(not_counted(node));
  }

  std::optional<AgainstNode> against_beside(const NodeObject& node, std::string_view value,
                                            const Domain& here) const {
    if (here.pods > 0) return std::nullopt;
    if (!is_whole()) return not_counted(node);
    // The first of a group that is to stand together may stand anywhere.
    if (told_->pods.empty() && rule_.matches_itself) return std::nullopt;
    return told(node,
                by_host()
                    ? fmt::format("its affinity asks for a pod with {}, and none runs there", pods())
                    : fmt::format("its affinity asks for a pod with {}, and none runs on a node with {}",
                                  pods(), pair(value)),
                true);
  }

  std::optional<AgainstNode> against_spread(const NodeObject& node, std::string_view value,
                                            const Domain& here) const {
    std::int64_t fewest = INT64_MAX;
    for (const auto& [name, domain] : domains_) fewest = std::min(fewest, domain.pods);
    if (domains_.empty()) fewest = 0;
    const std::int64_t with = here.pods + (rule_.matches_itself ? 1 : 0);
    // Fewer may be where pods are not counted: it is certain only where all of them are.
    if (with - fewest > rule_.most_apart)
      return told(node,
                  fmt::format("its topology spread allows a difference of {}: with it there would be {} pods "
                              "with {} on {}, and elsewhere are {}",
                              rule_.most_apart, with, pods(), pair(value), fewest),
                  is_whole());
    return is_whole() ? std::nullopt : std::optional(not_counted(node));
  }

  const PodRule& rule_;
  const PodsTold* told_;
  std::map<std::string, Domain, std::less<>> domains_;
  std::size_t strays_ = 0;  // pods on nodes that are not listed
  bool doubtful_ = false;   // of a spread: whether a node counts is not known
};

}  // namespace

std::vector<AgainstNode> against_rules(const PodRules& rules, const PodsBeside& beside,
                                       const std::vector<ListedNode>& nodes) {
  std::vector<AgainstNode> all;
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    const PodsTold* told = i < beside.of_rules.size() ? &beside.of_rules[i] : nullptr;
    const Judged judged(rules.rules[i], told, nodes, rules.spread_keys);
    for (const ListedNode& one : nodes)
      if (auto found = one.asked ? judged.against(*one.node) : std::nullopt) all.push_back(std::move(*found));
  }
  return all;
}

std::vector<AgainstNode> against_pods_on(const PodRules& rules, const PodsBeside& beside,
                                         const NodeObject& node) {
  std::vector<AgainstNode> all;
  const auto found = beside.on_nodes.find(node.meta.name);
  if (found == beside.on_nodes.end()) return all;
  const PodsTold& there = found->second;
  const auto add = [&](By by, const std::string& text) {
    all.push_back({NodeName(node.meta.name), by, clean(text, kMostOfFinding), true, ""});
  };
  for (const HostPort& port : rules.ports)
    for (const PodThere& pod : there.pods)
      if (std::any_of(pod.ports.begin(), pod.ports.end(),
                      [&](const HostPort& taken) { return clash(port, taken); })) {
        add(By::ports, fmt::format("the host port {} that it needs is taken by {}", port_text(port), pod.id));
        return all;
      }
  const auto count = static_cast<std::int64_t>(there.pods.size());
  if (node.allocatable_pods && count >= *node.allocatable_pods)
    add(By::pods, fmt::format("{} pods run there, and the kubelet takes {}", count, *node.allocatable_pods));
  return all;
}

}  // namespace tessera::kubernetes
