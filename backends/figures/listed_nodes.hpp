// The nodes that a cluster lists, told by the backend that lists them to one beside it that measures them.
// Threads: any.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "engine/model/values.hpp"

namespace tessera::figures {

class ListedNodes {
 public:
  void set(std::set<NodeName> nodes) {
    const std::lock_guard lock(mutex_);
    nodes_ = std::move(nodes);
  }
  // Before the first list no node is known to be gone.
  bool has_lost(const NodeName& node) const {
    const std::lock_guard lock(mutex_);
    return nodes_ && !nodes_->contains(node);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::set<NodeName>> nodes_;
};

}  // namespace tessera::figures
