// The MIG manager of one simulated node: a label changes, GPU clients leave, GPUs are cut, clients return.
//
// Step by step as mig-parted v0.15 does it (pkg/mig/reconfigure, cmd/nvidia-mig-manager), with its log lines
// and its weaknesses: it acts on a change of the label only, never evicts users' pods, and when a client does
// not leave within five minutes it gives up without a word in the labels.
// Threads: a plain object; used on one thread. The context outlives it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/gpu_operator/context.hpp"
#include "backends/sim/gpu_operator/parted.hpp"

namespace tessera::sim::kube {

// What the manager asks of the rest of the cluster.
struct ManagerPorts {
  std::function<void(const Json& pod)> remove_pod;             // as `kubectl delete pod` would
  std::function<void(const std::string& node)> reboot;         // and its GPUs are not cut again
  std::function<void(const std::string& node)> crash;          // its own container ends, and is started again
  std::function<void(const std::string&, std::string)> log;    // a line of its log, by node
  std::function<std::string(const std::string& node)> config;  // the configuration file as mounted
  std::function<void(const std::string& node)> hold_back;      // a GPU client of the node does not leave
};

class MigManager {
 public:
  MigManager(Context& context, const ManagerPorts& ports, std::string node)
      : context_(context), ports_(ports), node_(std::move(node)) {}

  // Its pod runs: the label is read again, whatever it was before.
  void start();
  // It has been running for long, and has seen the label as it is.
  void adopt();
  // Its pod is gone; what it was about stays as it stands.
  void stop();
  bool runs() const { return runs_; }
  // The node's label changed to this.
  void label_is(const std::string& value);
  bool busy() const { return step_.has_value(); }

 private:
  using Next = void (MigManager::*)();
  void info(std::string_view message) { say("info", message); }
  void say(std::string_view level, std::string_view message);
  void then(Duration wait, Next next);
  void wake();
  void read_labels();
  void validate();
  void check_applied();
  void check_modes();
  void pause_clients();
  void wait_for_clients();
  void remove_validators();
  void change_modes();
  void cut();
  void restore();
  void tell_state(std::string_view state);
  void set_labels(std::string_view value_of_paused);
  void end(std::string_view state, const std::string& why);
  void give_up(const std::string& why);
  bool parted(const PartedRun& run);
  const std::vector<Board>& boards() const { return context_.world().nodes[index_].boards; }

  Context& context_;
  const ManagerPorts& ports_;
  std::string node_;
  std::uint32_t index_ = 0;
  bool runs_ = false;
  std::string current_, last_read_;
  std::optional<Agenda::Ticket> step_;

  // Of the run at hand.
  std::map<std::string, std::string> deployed_;  // label → value as it was found
  std::string state_;                            // likewise
  Targets targets_;
  Sabotage sabotage_;
  bool fails_ = false;
  int slow_ = 1;
  bool restored_ = false;
  std::size_t waiting_for_ = 0;
  TimePoint wait_until_{};
};

}  // namespace tessera::sim::kube
