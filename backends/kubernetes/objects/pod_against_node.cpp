#include "backends/kubernetes/objects/pod_against_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

using why::AgainstNode;
using By = AgainstNode::By;

constexpr std::size_t kMostShown = 4;  // values of a demand
constexpr std::size_t kMostText = 1024;
constexpr std::int64_t kBytesOfMib = 1024 * 1024;

// Whether a demand holds; nullopt: the node's labels of that key are not kept.
using Holds = std::optional<bool>;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// value: nullopt: there is none of that key.
bool holds_for(const NodeDemand& demand, std::optional<std::string_view> value) {
  const bool among =
      value && std::find(demand.values.begin(), demand.values.end(), *value) != demand.values.end();
  switch (demand.is) {
    case NodeDemand::Is::in: return among;
    case NodeDemand::Is::not_in: return !among;
    case NodeDemand::Is::exists: return value.has_value();
    case NodeDemand::Is::absent: return !value;
    case NodeDemand::Is::above:
    case NodeDemand::Is::below: break;
  }
  const auto is = value ? number_in(*value) : std::nullopt;
  const auto than = demand.values.size() == 1 ? number_in(demand.values.front()) : std::nullopt;
  if (!is || !than) return false;
  return demand.is == NodeDemand::Is::above ? *is > *than : *is < *than;
}

// As kubectl's selectors are typed: "pool in (a,b)", "!spot", "gen > 8".
std::string text_of_demand(const NodeDemand& demand) {
  std::string values;
  for (std::size_t i = 0; i < std::min(demand.values.size(), kMostShown); ++i)
    values += (i > 0 ? "," : "") + demand.values[i];
  if (demand.values.size() > kMostShown) values += fmt::format(",+{}", demand.values.size() - kMostShown);
  switch (demand.is) {
    case NodeDemand::Is::in:
      return demand.values.size() == 1 ? demand.key + "=" + values : demand.key + " in (" + values + ")";
    case NodeDemand::Is::not_in:
      return demand.values.size() == 1 ? demand.key + "!=" + values : demand.key + " notin (" + values + ")";
    case NodeDemand::Is::exists: return demand.key;
    case NodeDemand::Is::absent: return "!" + demand.key;
    case NodeDemand::Is::above: return demand.key + " > " + values;
    case NodeDemand::Is::below: break;
  }
  return demand.key + " < " + values;
}

// The domain of who keeps nodes by such labels: Kubernetes itself, Karpenter, a cloud.
bool is_of_provisioner(std::string_view key) {
  constexpr std::string_view kDomains[] = {"kubernetes.io", "k8s.io",          "karpenter.sh",    "k8s.aws",
                                           "aws.com",       "amazonaws.com",   "google.com",      "gke.io",
                                           "azure.com",     "oraclecloud.com", "digitalocean.com"};
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = key.substr(0, slash);
  return std::any_of(std::begin(kDomains), std::end(kDomains), [&](std::string_view theirs) {
    return domain == theirs || (domain.ends_with(theirs) && domain[domain.size() - theirs.size() - 1] == '.');
  });
}

// A label that a person sets, and no program: one that could be set for the pod.
bool is_of_site(std::string_view key) {
  return is_kept_node_label(key) && !is_kept_label(key) && !is_of_provisioner(key);
}

std::optional<AgainstNode> finding(const NodeObject& node, By by, const std::string& text,
                                   bool certain = true, std::string subject = {}) {
  return AgainstNode{NodeName(node.meta.name), by, clean(text, kMostText), certain, std::move(subject)};
}

std::optional<AgainstNode> against_name(const PodTerms& terms, const NodeObject& node) {
  if (terms.node.empty() || terms.node == node.meta.name) return std::nullopt;
  return finding(node, By::name, "it names another node");
}

// The first label that the node has otherwise; where none is, the first of which that is not known.
std::optional<AgainstNode> against_selector(const PodTerms& terms, const NodeObject& node) {
  if (terms.selector_unread) return std::nullopt;
  std::optional<AgainstNode> doubt;
  std::size_t differing = 0;
  std::optional<AgainstNode> first;
  for (const auto& [key, value] : terms.selector) {
    const NodeLabel has = label_of(node, key);
    const std::string pair = key + "=" + value;
    if (!has.known) {
      if (!doubt)
        doubt = finding(
            node, By::selector,
            fmt::format("its node selector asks for {}, a label that tessera does not keep", pair), false);
    } else if (has.value != std::string_view(value)) {
      ++differing;
      if (first) continue;
      const std::string settable = is_of_site(key) ? pair : "";
      first =
          has.value
              ? finding(node, By::selector,
                        fmt::format("its node selector asks for {}, and the node has {}", pair,
                                    key + "=" + std::string(*has.value)),
                        true, settable)
              : finding(node, By::selector,
                        fmt::format("its node selector asks for {}, and the node has no label {}", pair, key),
                        true, settable);
    }
  }
  // Of several that differ no one label is the way out.
  if (first && (differing > 1 || doubt)) first->subject.clear();
  return first ? first : doubt;
}

// What of a term decides: the first demand that fails, else the first of which that is not known.
struct Decides {
  Holds holds = true;
  const NodeDemand* demand = nullptr;
  NodeLabel has;
};
Decides judge(const NodeTerm& term, const NodeObject& node) {
  // "A null or empty node selector term matches no objects."
  if (term.labels.empty() && term.fields.empty()) return {false, nullptr, {}};
  Decides doubt;
  for (const auto* demands : {&term.labels, &term.fields})
    for (const NodeDemand& demand : *demands) {
      const NodeLabel has =
          demands == &term.labels ? label_of(node, demand.key) : NodeLabel{node.meta.name, true};
      if (has.known && !holds_for(demand, has.value)) return {false, &demand, has};
      if (!has.known && doubt.holds) doubt = {std::nullopt, &demand, has};
    }
  return doubt;
}

std::optional<AgainstNode> against_affinity(const PodTerms& terms, const NodeObject& node) {
  if (terms.affinity_unread || !terms.affinity) return std::nullopt;
  Decides last{false, nullptr, {}};
  bool doubt = false;
  for (const NodeTerm& term : *terms.affinity) {
    const Decides one = judge(term, node);
    if (one.holds == true) return std::nullopt;
    if (doubt && one.holds) continue;  // one in doubt is what may still hold
    doubt = doubt || !one.holds;
    last = one;
  }
  if (doubt)
    return finding(node, By::affinity,
                   fmt::format("its node affinity asks for {}, a label that tessera does not keep",
                               text_of_demand(*last.demand)),
                   false);
  if (terms.affinity->size() > 1)
    return finding(node, By::affinity,
                   fmt::format("none of the {} terms of its node affinity holds", terms.affinity->size()));
  if (last.demand == nullptr)
    return finding(node, By::affinity, "its node affinity has no terms, and so matches no node");
  const std::string& key = last.demand->key;
  if (!last.has.value)
    return finding(node, By::affinity,
                   fmt::format("its node affinity asks for {}, and the node has no label {}",
                               text_of_demand(*last.demand), key));
  return finding(node, By::affinity,
                 fmt::format("its node affinity asks for {}, and the node has {}",
                             text_of_demand(*last.demand), key + "=" + std::string(*last.has.value)));
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (toleration.key.empty()) return toleration.exists;
  return toleration.key == taint.key && (toleration.exists || toleration.value == taint.value);
}

// Those that keep new pods off; PreferNoSchedule only asks for other nodes first. A cordon is told as such.
void add_taints(const PodTerms& terms, const NodeObject& node, std::vector<AgainstNode>& all) {
  if (terms.tolerations_unread) return;
  for (const Taint& taint : node.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    if (taint.key == kCordonTaint) continue;
    if (std::any_of(terms.tolerations.begin(), terms.tolerations.end(),
                    [&](const Toleration& one) { return tolerates(one, taint); }))
      continue;
    const std::string text = taint_text(taint);
    all.push_back({NodeName(node.meta.name), By::taint,
                   fmt::format("the taint {} keeps it away, and it does not tolerate it", text), true, text});
  }
}

std::string cpus(std::int64_t millis) {
  return millis % 1000 == 0 ? fmt::format("{}", millis / 1000)
                            : fmt::format("{:g}", static_cast<double>(millis) / 1000);
}

std::optional<AgainstNode> against_cpus(std::int64_t asks, const NodeObject& node, std::int64_t requested) {
  if (!node.allocatable_millis || asks <= 0) return std::nullopt;
  const std::int64_t all = *node.allocatable_millis, free = std::max<std::int64_t>(0, all - requested);
  if (asks > all)
    return finding(node, By::all_cpus,
                   fmt::format("it asks for {} CPUs, and the node has {} for pods", cpus(asks), cpus(all)),
                   true, cpus(free));
  if (asks <= free) return std::nullopt;
  return finding(node, By::cpus,
                 fmt::format("it asks for {} CPUs, and at most {} of {} are not requested by others",
                             cpus(asks), cpus(free), cpus(all)),
                 true, cpus(free));
}

// In MiB: what is asked for rounded up, what there is rounded down.
std::optional<AgainstNode> against_memory(std::int64_t asks, const NodeObject& node, std::int64_t requested) {
  if (!node.allocatable_bytes || asks <= 0) return std::nullopt;
  const std::int64_t all = *node.allocatable_bytes, free = std::max<std::int64_t>(0, all - requested);
  const std::int64_t wanted = asks / kBytesOfMib + (asks % kBytesOfMib > 0 ? 1 : 0);
  if (asks > all)
    return finding(node, By::all_memory,
                   fmt::format("it asks for {} MiB of memory, and the node has {} MiB for pods", wanted,
                               all / kBytesOfMib),
                   true, fmt::format("{}", free / kBytesOfMib));
  if (asks <= free) return std::nullopt;
  return finding(
      node, By::memory,
      fmt::format("it asks for {} MiB of memory, and at most {} of {} MiB are not requested by others",
                  wanted, free / kBytesOfMib, all / kBytesOfMib),
      true, fmt::format("{}", free / kBytesOfMib));
}

}  // namespace

NodeLabel label_of(const NodeObject& node, std::string_view key) {
  const auto found = node.meta.labels.find(key);
  if (found != node.meta.labels.end()) return {found->second.str(), true};
  return {std::nullopt, is_kept_node_label(key)};
}

std::vector<AgainstNode> against_node(const PodTerms& terms, const Compute& asks, const NodeObject& node,
                                      const Compute& requested) {
  std::vector<AgainstNode> all;
  const auto keep = [&](std::optional<AgainstNode> one) {
    if (one) all.push_back(std::move(*one));
  };
  keep(against_name(terms, node));
  keep(against_selector(terms, node));
  keep(against_affinity(terms, node));
  add_taints(terms, node, all);
  // What can be read of its requests is a lower bound: too much already is too much.
  keep(against_cpus(asks.millis, node, requested.millis));
  keep(against_memory(asks.bytes, node, requested.bytes));
  return all;
}

std::vector<Related> beside_nodes(const PodTerms& terms, const Compute& asks, bool looked) {
  std::vector<Related> all;
  const auto unjudged = [&](bool is, std::string phrase) {
    if (is) all.push_back(why::not_judged(std::move(phrase)));
  };
  unjudged(terms.selector_unread, "its node selector, which cannot be read");
  unjudged(terms.affinity_unread, "its node affinity, which cannot be read");
  unjudged(terms.tolerations_unread, "its tolerations, which are of a kind that is not known here");
  unjudged(asks.unread, "its CPUs and memory, which cannot be read");
  unjudged(asks.millis > 0 || asks.bytes > 0 || asks.unread,
           "the CPUs and memory that pods without a GPU have requested on the nodes");
  unjudged(!terms.others.empty(), fmt::format("whether the nodes have what else it asks for: {}",
                                              some_of(terms.others, kMostShown)));
  unjudged(terms.rules.unjudged, "its rules about other pods: affinity, anti-affinity, topology spread");
  unjudged(!looked && !terms.rules.ports.empty(), "whether its host ports are taken on the nodes");
  unjudged(!looked, "how many more pods the nodes may run");
  if (!terms.priority_class.empty())
    all.push_back({Teller::pod, "PriorityClass", terms.priority_class,
                   terms.priority ? fmt::format("{}", *terms.priority) : "",
                   terms.preempts_never ? "it removes no other pods" : "", false, 1, std::nullopt});
  return all;
}

Related place_told(std::size_t place, std::size_t among) {
  return {
      Teller::pod,
      "place in the queue",
      "",
      "",
      fmt::format("{} of {} by priority, then by age, among the pods for GPUs that wait here", place, among),
      false,
      1,
      std::nullopt};
}

}  // namespace tessera::kubernetes
