#include "engine/why/against_node.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tessera::why {
namespace {

// Related::kind of what is told against a node; Related::name is then the node.
constexpr std::pair<AgainstNode::By, std::string_view> kKinds[] = {
    {AgainstNode::By::name, "nodeName"},         {AgainstNode::By::selector, "nodeSelector"},
    {AgainstNode::By::affinity, "nodeAffinity"}, {AgainstNode::By::taint, "taint"},
    {AgainstNode::By::all_cpus, "all-cpus"},     {AgainstNode::By::cpus, "cpus"},
    {AgainstNode::By::all_memory, "all-memory"}, {AgainstNode::By::memory, "memory"},
    {AgainstNode::By::ports, "hostPort"},        {AgainstNode::By::pods, "pods"},
    {AgainstNode::By::spread, "topologySpread"}, {AgainstNode::By::apart, "podAntiAffinity"},
    {AgainstNode::By::beside, "podAffinity"}};
constexpr std::string_view kUnjudged = "unjudged";

}  // namespace

Related told_as(const AgainstNode& one) {
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const auto& known) { return known.first == one.by; });
  return {Teller::pod, std::string(kind->second), one.node.text, one.subject, one.text, one.certain, 1,
          std::nullopt};
}

std::optional<AgainstNode> against_node(const Related& told) {
  if (told.source != Teller::pod) return std::nullopt;
  for (const auto& [by, kind] : kKinds)
    if (told.kind == kind)
      return AgainstNode{NodeName(told.name), by, told.text, told.in_the_way, told.state};
  return std::nullopt;
}

bool is_asked(const Details* details) {
  return details != nullptr &&
         std::any_of(details->asked.begin(), details->asked.end(),
                     [](const Inquiry& one) { return one.source == Teller::pod && !one.failure; });
}

Related not_judged(std::string phrase) {
  return {Teller::pod, std::string(kUnjudged), "", "", std::move(phrase), false, 1, std::nullopt};
}

std::string unjudged_in(const Related& told) {
  return told.source == Teller::pod && told.kind == kUnjudged ? told.text : std::string();
}

AgainstNodes against_nodes(const Details* details) {
  AgainstNodes all;
  if (details == nullptr) return all;
  for (const Related& told : details->related)
    if (auto one = against_node(told)) {
      const NodeName node = one->node;
      all[node].push_back(std::move(*one));
    }
  for (auto& [node, told] : all)
    std::stable_sort(told.begin(), told.end(), [](const AgainstNode& a, const AgainstNode& b) {
      return std::pair(!a.certain, a.by) < std::pair(!b.certain, b.by);
    });
  return all;
}

const std::vector<AgainstNode>& told_of(const AgainstNodes* all, const NodeName& node) {
  static const std::vector<AgainstNode> kNone;
  if (all == nullptr) return kNone;
  const auto found = all->find(node);
  return found == all->end() ? kNone : found->second;
}

}  // namespace tessera::why
