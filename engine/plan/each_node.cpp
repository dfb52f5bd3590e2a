#include "engine/plan/each_node.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::plan {
namespace {

Intent without_boards(const Intent& intent) {
  return {intent.cluster,
          {},
          {},
          intent.words,
          intent.decision,
          intent.options,
          intent.orders,
          intent.switches,
          intent.node_orders,
          intent.node_switches};
}

}  // namespace

EachNode::EachNode(const Intent& intent) : intent_(intent), bare_(without_boards(intent)) {
  for (std::size_t i = 0; i < intent.boards.size(); ++i)
    if (const std::optional<NodeName>& node = intent.boards[i].node)
      of_node_[*node].push_back(i);
    else
      of_all_.push_back(i);
}

Intent EachNode::intent_of(const NodeName& node) const {
  Intent own = plan::intent_of(bare_, node);
  const auto found = of_node_.find(node);
  const std::vector<std::size_t> here = found == of_node_.end() ? std::vector<std::size_t>() : found->second;
  // In the order of the intent: if two layouts are given for a GPU, the later one counts.
  std::vector<std::size_t> both;
  std::merge(of_all_.begin(), of_all_.end(), here.begin(), here.end(), std::back_inserter(both));
  for (const std::size_t at : both) own.boards.push_back({intent_.boards[at].gpu, intent_.boards[at].wish});
  return own;
}

bool EachNode::wishes_for(const NodeName& node) const { return !of_all_.empty() || of_node_.contains(node); }

}  // namespace tessera::plan
