#include "backends/sim/gpu_operator/mig_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/sim/gpu_operator/manager_faults.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<std::string_view, 5> kClients = {"device-plugin", "gpu-feature-discovery",
                                                      "dcgm-exporter", "dcgm", "nvsm"};
constexpr std::string_view kName = "nvidia-mig-manager";  // in metadata.managedFields
constexpr std::string_view kThirdParty = "client";        // bounced only where the label is present
constexpr Duration kPatience = minutes(5);                // for each kind of client
constexpr Duration kPoll = seconds(1);

struct Wait {
  std::string_view app, name;
};
constexpr std::array<Wait, 4> kWaits = {Wait{"nvidia-device-plugin-daemonset", "device-plugin"},
                                        Wait{"gpu-feature-discovery", "gpu-feature-discovery"},
                                        Wait{"nvidia-dcgm-exporter", "dcgm-exporter"},
                                        Wait{"nvidia-dcgm", "dcgm"}};

}  // namespace

void MigManager::say(std::string_view level, std::string_view message) {
  ports_.log(node_, fmt::format("time=\"{}\" level={} msg=\"{}\"", utc_text(context_.now()), level,
                                clean(message, 2000)));
}

void MigManager::then(Duration wait, Next next) {
  step_ = context_.agenda.at(context_.now() + wait * slow_, [this, next] {
    step_.reset();
    (this->*next)();
  });
}

void MigManager::start() {
  std::optional<std::uint32_t> index = find_node(context_.world(), node_);
  if (!index) return;
  index_ = *index;
  runs_ = true;
  slow_ = 1;
  last_read_.clear();
  current_ = label_of(context_.objects, node_, kMigConfig);
  wake();
}

void MigManager::adopt() {
  std::optional<std::uint32_t> index = find_node(context_.world(), node_);
  if (!index) return;
  index_ = *index;
  runs_ = true;
  current_ = last_read_ = label_of(context_.objects, node_, kMigConfig);
}

void MigManager::stop() {
  runs_ = false;
  if (step_) context_.agenda.cancel(*step_);
  step_.reset();
}

void MigManager::label_is(const std::string& value) {
  if (!runs_) return;
  current_ = value;
  wake();
}

void MigManager::wake() {
  if (busy()) return;
  info("Waiting for change to 'nvidia.com/mig.config' label");
  if (current_ == last_read_) return;
  last_read_ = current_;
  then(milliseconds(200), &MigManager::read_labels);
}

void MigManager::read_labels() {
  info("Updating to MIG config: " + last_read_);
  Struck struck;
  context_.act([&](World& world, Changes&) { struck = strike_reconfigure(world, node_); });
  if (struck.crashes) return ports_.crash(node_);
  sabotage_ = struck.sabotage;
  if (struck.wedges) ports_.hold_back(node_);
  fails_ = struck.fails;
  slow_ = struck.slow ? 10 : 1;
  restored_ = false;
  deployed_.clear();
  for (std::string_view client : kClients)
    deployed_[deploy_label(client)] = label_of(context_.objects, node_, deploy_label(client));
  if (has_label(context_.objects, node_, deploy_label(kThirdParty)))
    deployed_[deploy_label(kThirdParty)] = label_of(context_.objects, node_, deploy_label(kThirdParty));
  state_ = label_of(context_.objects, node_, kMigState);
  for (const auto& [label, value] : deployed_) info(fmt::format("Current value of '{}={}'", label, value));
  info(fmt::format("Current value of '{}={}'", kMigState, state_));
  then(milliseconds(300), &MigManager::validate);
}

void MigManager::validate() {
  info("Asserting that the requested configuration is present in the configuration file");
  Result<Targets> targets = evaluate(ports_.config(node_), last_read_, gpu_node(context_.world(), index_));
  if (!targets) {
    say("fatal", "Error validating selected MIG configuration: " + targets.error().reason);
    return end("failed", "failed to validate MIG configuration: exit status 1");
  }
  targets_ = std::move(*targets);
  ports_.log(node_, "Selected MIG configuration is valid");
  then(milliseconds(700), &MigManager::check_applied);
}

void MigManager::check_applied() {
  info("Checking if the selected MIG config is currently applied or not");
  if (all_stands(boards(), targets_)) {
    ports_.log(node_, "Selected MIG configuration currently applied");
    info("Selected MIG config is already applied");
    return end("success", "");
  }
  say("fatal", "Assertion failure: selected configuration not currently applied");
  then(milliseconds(800), &MigManager::check_modes);
}

void MigManager::check_modes() {
  info("Checking if the MIG mode setting in the selected config is currently applied or not");
  info("If the state is 'rebooting', we expect this to always return true");
  if (modes_stand(boards(), targets_)) {
    ports_.log(node_, "Selected MIG mode settings from configuration currently applied");
  } else {
    say("fatal", "Assertion failure: selected configuration not currently applied");
    if (state_ == "rebooting")
      return end("failed",
                 "failed to check if a MIG mode change is required: MIG mode change did not take effect "
                 "after rebooting");
  }
  tell_state("pending");
  then(milliseconds(100), &MigManager::pause_clients);
}

void MigManager::tell_state(std::string_view state) {
  patch_labels(context_.objects, node_, {{std::string(kMigState), std::string(state)}}, kName);
}

// All but those that an admin has switched off. A label that was never there is made here, and stays.
void MigManager::set_labels(std::string_view value) {
  LabelPatch patch;
  for (const auto& [label, found] : deployed_) patch[label] = found == "false" ? "false" : std::string(value);
  patch_labels(context_.objects, node_, patch, kName);
}

void MigManager::pause_clients() {
  info(
      "Shutting down all GPU clients in Kubernetes by disabling their component-specific nodeSelector "
      "labels");
  set_labels(kPaused);
  waiting_for_ = 0;
  wait_until_ = context_.now() + kPatience;
  info(fmt::format("Waiting for the {} to shutdown", kWaits[0].name));
  then(kPoll, &MigManager::wait_for_clients);
}

void MigManager::wait_for_clients() {
  const Wait& wait = kWaits[waiting_for_];
  bool gone = operator_pods(context_, node_, wait.app).empty();
  if (!gone && context_.now() >= wait_until_)
    return give_up(
        fmt::format("failed to wait for pods to be deleted: {} pod did not shutdown: context "
                    "deadline exceeded",
                    wait.name));
  // A poll waits for its second whatever slows the rest: what is slow is the work, not the clock.
  int slow = std::exchange(slow_, 1);
  if (!gone) {
    then(kPoll, &MigManager::wait_for_clients);
  } else if (++waiting_for_ < kWaits.size()) {
    info(fmt::format("Waiting for {} to shutdown", kWaits[waiting_for_].name));
    wait_until_ = context_.now() + kPatience;
    then(kPoll, &MigManager::wait_for_clients);
  } else {
    then(milliseconds(100), &MigManager::remove_validators);
  }
  slow_ = slow;
}

void MigManager::remove_validators() {
  info("Removing the cuda-validator pod");
  for (const ObjectPtr& pod : operator_pods(context_, node_, "nvidia-cuda-validator"))
    ports_.remove_pod(*pod);
  info("Removing the plugin-validator pod");
  for (const ObjectPtr& pod : operator_pods(context_, node_, "nvidia-device-plugin-validator"))
    ports_.remove_pod(*pod);
  then(milliseconds(500), &MigManager::change_modes);
}

// The run's debug lines and, when it failed, its last words. True: it ended well.
bool MigManager::parted(const PartedRun& run) {
  for (const std::string& line : run.lines) say("debug", line);
  if (run.fails)
    say("fatal", "Error applying MIG configuration with hooks: " + *run.fails);
  else
    ports_.log(node_, "MIG configuration applied successfully");
  return !run.fails;
}

void MigManager::change_modes() {
  info(
      "Applying the MIG mode change from the selected config to the node (and double checking it took "
      "effect)");
  info("If the -r option was passed, the node will be automatically rebooted if this is not successful");
  PartedRun run;
  context_.act([&](World& world, Changes& changes) {
    WorldStep step(world, changes);
    run = apply_modes(step, index_, targets_, sabotage_);
  });
  bool good = parted(run) && (sabotage_.nothing || modes_stand(boards(), targets_));
  if (!good && manager_env(context_.objects, "WITH_REBOOT") == "true") {
    info("Changing the 'nvidia.com/mig.config.state' node label to 'rebooting'");
    tell_state("rebooting");
    info("Rebooting the node...");
    return ports_.reboot(node_);
  }
  // A failure is not the end here: what comes next fails with it.
  then(seconds(2) + seconds(6) * run.resets, &MigManager::cut);
}

void MigManager::cut() {
  info("Applying the selected MIG config to the node");
  PartedRun run;
  if (fails_) {
    run.fails = "error setting MIGConfig: error creating GPU instance: Unknown Error";
  } else {
    context_.act([&](World& world, Changes& changes) {
      WorldStep step(world, changes);
      run = apply_all(step, index_, targets_, sabotage_);
    });
  }
  if (!parted(run)) return end("failed", "failed to apply MIG configuration: exit status 1");
  then(seconds(3) + milliseconds(1500) * run.changed, &MigManager::restore);
}

void MigManager::restore() {
  info("Restarting validator pod to re-run all validations");
  for (const ObjectPtr& pod : operator_pods(context_, node_, "nvidia-operator-validator"))
    ports_.remove_pod(*pod);
  info(
      "Restarting all GPU clients previously shutdown in Kubernetes by reenabling their component-specific "
      "nodeSelector labels");
  restored_ = true;
  set_labels("true");
  end("success", "");
}

// Whatever the outcome, clients that were paused come back; only the wedge leaves them out.
void MigManager::end(std::string_view state, const std::string& why) {
  if (!restored_) {
    info(
        "Restarting any GPU clients previously shutdown in Kubernetes by reenabling their "
        "component-specific nodeSelector labels");
    set_labels("true");
  }
  info(fmt::format("Changing the 'nvidia.com/mig.config.state' node label to '{}'", state));
  tell_state(state);
  if (why.empty())
    info("Successfully updated to MIG config: " + last_read_);
  else
    say("error", "Error: " + why);
  slow_ = 1;
  wake();
}

void MigManager::give_up(const std::string& why) {
  say("error", "Error: " + why);
  slow_ = 1;
  wake();
}

}  // namespace tessera::sim::kube
