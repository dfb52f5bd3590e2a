// What an intent wishes of one of its nodes after the other: intent_of() for many nodes, where walking all
// wishes for each of them would take the square of their number. Threads: pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "engine/plan/intent.hpp"

namespace tessera::plan {

// Points into the intent.
class EachNode {
 public:
  explicit EachNode(const Intent& intent);
  Intent intent_of(const NodeName& node) const;
  bool wishes_for(const NodeName& node) const;  // for a GPU there

 private:
  const Intent& intent_;
  Intent bare_;                                           // the same without its wishes for GPUs
  std::map<NodeName, std::vector<std::size_t>> of_node_;  // positions of the wishes for it alone
  std::vector<std::size_t> of_all_;                       // of those for every node
};

}  // namespace tessera::plan
