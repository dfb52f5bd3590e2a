// The part of an intent that is about one node, for many nodes: as intent_of(), but without searching the
// whole intent for each of them. Threads: pure functions.
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
  Intent bare_;                                           // the intent without its GPU layouts
  std::map<NodeName, std::vector<std::size_t>> of_node_;  // where the layouts for that node alone stand
  std::vector<std::size_t> of_all_;                       // where those for every node stand
};

}  // namespace tessera::plan
