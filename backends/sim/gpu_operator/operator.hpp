// The GPU operator of a simulated cluster at work: DaemonSets and their pods, the device plugin, feature
// discovery and the MIG manager of every GPU node, and what they do when labels, ConfigMaps, the
// ClusterPolicy or pods are changed.
//
// It acts on the store's objects and on the GPUs of the world behind them, by the agenda. Threads: a plain
// object; used on one thread. Objects and agenda outlive it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "backends/sim/gpu_operator/ack_plugins.hpp"
#include "backends/sim/gpu_operator/daemon_sets.hpp"
#include "backends/sim/gpu_operator/device_plugin.hpp"
#include "backends/sim/gpu_operator/kubelet.hpp"
#include "backends/sim/gpu_operator/mig_manager.hpp"
#include "backends/sim/gpu_operator/vgpu_manager.hpp"

namespace tessera::sim::kube {

class Operator {
 public:
  explicit Operator(Context context);
  ~Operator();
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  // The nodes and the operator's own objects stand: from now on it has been running for long.
  void begin();

  // Whether it leads the pod's life: its own namespace's, and those of every DaemonSet.
  bool leads(const Json& pod) const;
  // What the container of a pod of the operator has printed; nullopt: none of its pods.
  std::optional<std::vector<std::string>> log_of(const std::string& pod) const;

 private:
  struct Node {
    std::unique_ptr<DevicePlugin> plugin;
    std::unique_ptr<MigManager> manager;
    std::unique_ptr<VgpuManager> vgpu;
    std::unique_ptr<AckPlugins> ack;                      // nullptr: not a node of ACK's
    std::map<std::string, std::deque<std::string>> logs;  // by app
    std::string mig_config;                               // the file as the manager has it mounted
    bool away = false;
  };

  void look_after(std::uint32_t index);
  void see_change(const Change& change);
  void see_node(const Change& change);
  void follow_ready(const Json& node);
  void see_policy(const Change& change);
  void deploy_for_workload(const std::string& node);
  void see_config_map(const Change& change);
  void restart_plugin(const std::string& node);
  void pod_ready(const Json& pod);
  void pod_gone(const Json& pod);
  std::optional<std::string> why_fails(const Json& pod);
  void mount_mig_config(const std::string& node, const Json& pod);
  void validate_node(const std::string& node);
  void note(const std::string& node, const std::string& app, std::string line);
  Node* node_of(const Json& pod);
  ObjectPtr pod_on(const std::string& node, std::string_view app) const;

  Context context_;
  Kubelet kubelet_;
  DaemonSets daemon_sets_;
  ManagerPorts ports_;
  std::map<std::string, Node> nodes_;
  std::uint64_t watch_ = 0;
};

}  // namespace tessera::sim::kube
