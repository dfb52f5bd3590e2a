// What exporters report of faults: Xid errors of the driver and rows of memory that were replaced, as remarks
// about nodes. A program's own errors (Xid 13, 31, 43 and such) are its owner's and are not among them.
// Threads: plain values, used by one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "engine/model/event.hpp"

namespace tessera::figures {

// By node, as its exporter told last.
class Faults {
 public:
  void keep(const std::string& node, const DcgmReadings& readings);
  template <class Gone>
  void forget(Gone gone) {  // nodes for which it is true
    std::erase_if(by_node_, [&](const auto& one) { return gone(one.first); });
  }
  void clear() { by_node_.clear(); }
  // Worst first, then by the name of the node. What a GPU works on with is counted beyond so many nodes; what
  // is broken is told of each node.
  std::vector<Remark> remarks() const;

 private:
  std::map<std::string, std::vector<Remark>> by_node_;
};

}  // namespace tessera::figures
