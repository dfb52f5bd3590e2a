// The kubelets of a simulated cluster, for pods that are not a world's own work: they start, become ready,
// crash and leave by the virtual clock.
//
// A pod with a deletionTimestamp leaves when its containers have ended; a pod on a node that is away waits.
// Threads: a plain object; used on one thread. The context outlives it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "backends/sim/gpu_operator/context.hpp"

namespace tessera::sim::kube {

struct KubeletPorts {
  std::function<bool(const Json& pod)> ours;  // whether its life is led here
  // Asked when its containers have started. nullopt: it gets ready; else the words with which it ends at
  // once.
  std::function<std::optional<std::string>(const Json& pod)> fails;
  std::function<void(const Json&pod)> ready, gone;  // gone: it no longer runs, for whatever reason
};

class Kubelet {
 public:
  Kubelet(Context& context, KubeletPorts ports) : context_(context), ports_(std::move(ports)) {}

  void see(const Change& change);  // of a pod
  // As a DELETE with the pod's own grace period: it is told to leave.
  void remove(const Json& pod);
  // Its container ends and is started again, after the usual pause that grows.
  void crash(const Json& pod, const std::string& words);
  bool runs(const Json& pod) const;  // and is ready
  // Pods of this app on the node do not leave until then.
  void hold_back(const std::string& node, const std::string& app, TimePoint until);
  // The node is away: nothing on it runs. Back: its pods start again.
  void node_lost(const std::string& node);
  void node_back(const std::string& node);

 private:
  struct Life {
    std::string uid;
    bool running = false;
    bool leaving = false;
    bool done = false;  // its containers have ended for good
    int restarts = 0;
    std::optional<Agenda::Ticket> next;
  };

  void later(const Key& key, Duration wait, void (Kubelet::*act)(const Key&));
  void begin(const Key& key);
  void get_ready(const Key& key);
  void leave(const Key& key);
  void tell_gone(Life& life, const Json& pod);
  std::uint64_t chance(const Key& key) const;
  bool away(const Json& pod) const;

  Context& context_;
  KubeletPorts ports_;
  std::map<Key, Life> lives_;
  std::map<std::pair<std::string, std::string>, TimePoint> held_back_;
  std::set<std::string> lost_;
};

// Writes a status that says: all containers are ready, since then.
void show_running(Json& pod, TimePoint since);

}  // namespace tessera::sim::kube
