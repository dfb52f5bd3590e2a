// The DaemonSet controller of a simulated cluster: one pod on each node whose labels match, none on the
// others, and pods of an old template replaced one after the other.
//
// Threads: a plain object; used on one thread. The context outlives it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "backends/sim/gpu_operator/context.hpp"

namespace tessera::sim::kube {

class DaemonSets {
 public:
  // remove: as `kubectl delete pod` would.
  DaemonSets(Context& context, std::function<void(const Json& pod)> remove)
      : context_(context), remove_(std::move(remove)) {}

  // Every pod that there is to be, running since long.
  void populate();
  // A change of a node, a DaemonSet or a pod; others are passed over.
  void see(const Change& change);

 private:
  void look_soon(const Key& set);
  void look(const Key& set);
  void create_pod(const Key& key, const Json& set, const std::string& node, bool runs);

  Context& context_;
  std::function<void(const Json& pod)> remove_;
  std::set<Key> due_;
  std::uint64_t made_ = 0;
};

// Whether a DaemonSet wants a pod on a node with these labels.
bool wants(const Json& daemon_set, const Json& node);

}  // namespace tessera::sim::kube
