// The last things that happened to GPU nodes, by the cluster's own events: those that an admin would want to
// have been told.
//
// Warnings, and the few that the node controller and the kubelet call normal though they are not
// (NodeNotReady, Rebooted). Some a node and a hundred in all; the API itself forgets events after an hour.
// Threads: plain values.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/model/event.hpp"

namespace tessera::kubernetes {

class NodeEvents {
 public:
  void keep(EventObject event, const std::string& api = "");
  void drop(const std::string& id) { all_.erase(id); }
  std::vector<std::string> ids() const;

  // Newest first, about nodes that `is_ours` knows.
  std::vector<Remark> remarks(const std::function<bool(const std::string& node)>& is_ours,
                              Duration ahead = Duration(0)) const;

 private:
  std::map<std::string, EventObject> all_;  // by "namespace/name"
};

}  // namespace tessera::kubernetes
