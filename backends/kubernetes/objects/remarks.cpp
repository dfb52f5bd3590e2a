#include "backends/kubernetes/objects/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/dra_counters.hpp"
#include "backends/kubernetes/objects/driver_upgrade.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr auto kWedged = 5min;  // the MIG manager waits that long for each kind of pod to go
constexpr auto kRebooting = 20min;
constexpr auto kSettles = 2min;  // feature discovery writes its labels once a minute
constexpr std::string_view kPaused = "paused-for-mig-change";
constexpr std::string_view kMigManager = "nvidia-mig-manager";
constexpr const char* kNeedsIt = "what needs it does not work there, and may take its GPUs out of use";

// ACK's label says how its plugins hand out a node's GPUs.
bool differs_from_mode(const NodeObject& node, const NodeSharing& sharing) {
  return sharing::ack::by_memory(node.label(sharing::ack::kSchedule)) != sharing.by_memory;
}

class Writer {
 public:
  explicit Writer(const NodeEvidence& evidence) : evidence_(evidence), node_(*evidence.node) {}

  std::vector<Remark> run() {
    order();
    invalid();
    unmade();
    components();
    unlike_its_mode();
    differences();
    unread();
    unhealthy();
    partitioned();
    tainted();
    watched();
    upgrading();
    overheld();
    handed_out_twice();
    return std::move(remarks_);
  }

 private:
  // follows: what it means for work; since: nullopt: that is not told; or_before: it may have been so for
  // longer.
  void add(Remark::Grade grade, std::string text, std::string hint, std::string follows,
           std::optional<TimePoint> since = std::nullopt, bool or_before = false) {
    remarks_.push_back({grade, node_.meta.name, true, std::move(text), std::move(hint), Remark::Kind::other,
                        std::move(follows), since});
    if (or_before) std::swap(remarks_.back().since, remarks_.back().seen);
  }
  // Of the remark that was added last: who wrote a label may have written another one of its labels since.
  void written(const std::optional<TimePoint>& at) {
    if (at) remarks_.back().seen = *at - evidence_.server_ahead;
  }
  // To copy, for the remark that was added last. None that disturbs work or is one way of several.
  void to_copy(std::string command) { remarks_.back().commands.push_back(std::move(command)); }
  std::string name() const { return shell_word(node_.meta.name); }
  std::string pods_of(std::string_view app) const {
    return fmt::format("kubectl get pods -A -l app={} --field-selector spec.nodeName={}", app, name());
  }
  // By it the console knows that a layout is the way out (engine/insight/attention.cpp).
  std::string plan_layout() const { return fmt::format("tessera plan --node {} --layout LAYOUT", name()); }
  std::string minutes(TimePoint since) const {
    auto passed = std::chrono::duration_cast<std::chrono::minutes>(evidence_.now - since).count();
    return passed < 120 ? fmt::format("{} min", passed) : fmt::format("{} h", passed / 60);
  }

  bool some_paused() const {
    auto it = node_.meta.labels.lower_bound("nvidia.com/gpu.deploy.");
    for (; it != node_.meta.labels.end() && it->first.starts_with("nvidia.com/gpu.deploy."); ++it)
      if (it->second == kPaused) return true;
    return false;
  }

  void order() {
    std::string config(node_.label("nvidia.com/mig.config"));
    std::string_view state = node_.label("nvidia.com/mig.config.state");
    if (state == "failed") {
      add(Remark::Grade::danger, fmt::format("the MIG manager could not make the layout {}", config),
          fmt::format("kubectl get pods -A -l app=nvidia-mig-manager --field-selector spec.nodeName={} and "
                      "that pod's log show why; work that still ran on the GPUs is the usual reason",
                      node_.meta.name),
          "its GPUs stand as the failed change left them");
      written(node_.written.order);
      to_copy(pods_of(kMigManager));
      to_copy(plan_layout());
      return;
    }
    if (!evidence_.pending_since || evidence_.now < *evidence_.pending_since) return;
    auto passed = evidence_.now - *evidence_.pending_since;
    bool paused = some_paused();
    if (state == "rebooting" && passed < kRebooting)
      return add(
          Remark::Grade::warning,
          fmt::format("is rebooting for its layout {}, for {}", config, minutes(*evidence_.pending_since)),
          "its MIG manager does that by itself, and goes on when the node is back",
          "none of its GPUs can be had until it is back", evidence_.pending_since, evidence_.pending_before);
    if (passed < kWedged) return;
    if (state == "rebooting") {
      add(Remark::Grade::danger,
          fmt::format("has been rebooting for its layout {} for {}", config,
                      minutes(*evidence_.pending_since)),
          "look at the node's console: it did not come back", "none of its GPUs can be had until it is back",
          evidence_.pending_since, evidence_.pending_before);
    } else if (paused) {
      wedged_ = true;
      add(Remark::Grade::danger,
          fmt::format("stuck: layout {} pending for {}, its GPU pods paused and no GPU offered", config,
                      minutes(*evidence_.pending_since)),
          fmt::format("ordering the same layout again does nothing: restart its MIG manager's pod, or order "
                      "another layout and then {} again (one whose log goes on is slow, not stuck)",
                      config),
          "no pod gets a GPU there", evidence_.pending_since, evidence_.pending_before);
      to_copy(pods_of(kMigManager));
    } else {
      add(Remark::Grade::warning,
          fmt::format("layout {} has been pending for {}", config, minutes(*evidence_.pending_since)),
          "look at its MIG manager's log", "what it is to offer cannot be had yet", evidence_.pending_since,
          evidence_.pending_before);
      to_copy(pods_of(kMigManager));
    }
  }

  void invalid() {
    if (!evidence_.sharing->invalid) return;
    add(Remark::Grade::danger,
        "MIG-INVALID: its GPUs are not all cut into one profile, so nothing is offered",
        fmt::format(
            "give all of its GPUs one layout: tessera apply --node {} --preset all-disabled --write; or "
            "change the strategy from single to mixed (ClusterPolicy spec.mig.strategy)",
            node_.meta.name),
        "no pod gets a GPU there");
    to_copy(fmt::format("tessera plan --node {} --preset all-disabled", name()));
  }

  void unmade() {
    if (!evidence_.unmade_since || evidence_.pending_since || evidence_.sharing->invalid) return;
    if (evidence_.now - *evidence_.unmade_since < kSettles) return;
    std::string config(node_.label("nvidia.com/mig.config"));
    add(Remark::Grade::danger,
        fmt::format("layout {} is reported as made (state success) but is missing: {}", config,
                    evidence_.unmade),
        fmt::format(
            "ordering the same layout again does nothing: plan it again, or take the label off and set "
            "it again: kubectl label node {0} nvidia.com/mig.config- and then "
            "nvidia.com/mig.config={1}; if it stays so, the device plugin or feature discovery reports "
            "what was there before: restart its pod on the node",
            node_.meta.name, config),
        "pods that ask for what is missing do not start there", evidence_.unmade_since,
        evidence_.unmade_before);
    to_copy(plan_layout());
  }

  void components() {
    // During a change the pods are away on purpose; the order's own remark tells when that lasts too long.
    bool changing = evidence_.pending_since.has_value();
    for (const Component& part : *evidence_.components) {
      if (!changing && lacks_mps(part)) continue;
      if (part.state == Part::missing && !changing)
        add(Remark::Grade::warning, fmt::format("no {} runs there: {}", part.name, part.detail),
            "kubectl describe the DaemonSet; a taint or a label keeps its pod away", kNeedsIt);
      if (part.state == Part::not_ready && !changing)
        add(Remark::Grade::warning, fmt::format("its {} is not ready: {}", part.name, part.detail),
            "what depends on it waits; its pod's log has the reason", kNeedsIt, part.since);
      if (part.state == Part::paused && !changing) paused(part);
    }
  }

  void paused(const Component& part) {
    const std::string label = part.detail.substr(0, part.detail.find('='));
    add(Remark::Grade::danger, fmt::format("its {} is paused and no change is under way", part.name),
        fmt::format("put the label back: kubectl label node {} --overwrite {}=true", node_.meta.name, label),
        kNeedsIt);
    to_copy(fmt::format("kubectl label node {} --overwrite {}", name(), shell_word(label + "=true")));
  }

  // Clients reach a GPU that is shared by MPS only through the daemon, and the device plugin waits for it.
  bool lacks_mps(const Component& part) {
    const bool away = part.state == Part::missing || part.state == Part::not_ready;
    if (part.name != kMpsDaemon || !away || evidence_.sharing->method != Strategy::mps) return false;
    add(Remark::Grade::danger,
        fmt::format("shares its GPUs by MPS, and the MPS daemon {}: {}",
                    part.state == Part::missing ? "does not run there" : "is not ready", part.detail),
        "pods that get a share fail until it runs: kubectl describe its DaemonSet and its pod's log have the "
        "reason (MIG "
        "that is on is one)",
        "pods that get a share of its GPUs fail", part.since);
    return true;
  }

  void differences() {
    if (!evidence_.differs_since || evidence_.pending_since || wedged_) return;
    if (evidence_.now - *evidence_.differs_since < kSettles) return;
    std::string text;
    for (const auto& [resource, count] : expected_counts(*evidence_.sharing)) {
      auto offered = node_.capacity.find(resource);
      std::int64_t there = offered == node_.capacity.end() ? 0 : offered->second;
      if (there == count) continue;
      text += fmt::format("{}{} is {} by the labels, {} by the device plugin", text.empty() ? "" : "; ",
                          resource.str(), count, there);
    }
    if (text.empty()) return;
    add(Remark::Grade::warning, text,
        "the device plugin or feature discovery has not noticed a change: restart its pod on the node",
        "pods may be sent there for what is not there, or not for what is", evidence_.differs_since,
        evidence_.differs_before);
    restarted();
  }
  // The way out of the remark that was added last. Running pods keep their GPUs.
  void restarted() {
    remarks_.back().restarts_plugin = true;
    if (evidence_.plugin)
      return to_copy(fmt::format("kubectl delete pod --namespace {} {}",
                                 shell_word(evidence_.plugin->name_space.str()),
                                 shell_word(evidence_.plugin->name)));
    to_copy("kubectl get pods --all-namespaces --field-selector spec.nodeName=" + name());
    to_copy("kubectl delete pod --namespace NAMESPACE POD-OF-THE-DEVICE-PLUGIN");
  }

  void unlike_its_mode() {
    namespace ack = sharing::ack;
    if (!evidence_.differs_since || !differs_from_mode(node_, *evidence_.sharing)) return;
    std::string mode(node_.label(ack::kSchedule));
    // Its plugins take a moment for a new mode, and none for a label that is gone.
    if (!mode.empty() && evidence_.now - *evidence_.differs_since < kSettles) return;
    if (!evidence_.sharing->by_memory)
      return add(
          Remark::Grade::danger,
          fmt::format("{}={}, and no {} is offered", ack::kSchedule, mode, ack::kMemory),
          "the component ack-ai-installer brings the plugin of that mode: see that it is installed and "
          "that its pod runs on the node",
          "pods that ask for a share of memory do not start there", evidence_.differs_since,
          evidence_.differs_before);
    add(Remark::Grade::warning,
        fmt::format("{} is {}, and {} is offered all the same", ack::kSchedule,
                    mode.empty() ? "taken off" : mode, ack::kMemory),
        fmt::format(
            "whole GPUs come back by the value {1}, not by taking the label off: kubectl label node {0} "
            "--overwrite {2}={1}",
            node_.meta.name, ack::kWhole, ack::kSchedule),
        "pods that ask for whole GPUs do not start there", evidence_.differs_since, evidence_.differs_before);
  }

  // The device plugin keeps what it finds broken in capacity and takes it out of allocatable.
  void unhealthy() {
    for (const auto& [resource, count] : node_.capacity) {
      if (!sharing::parse_resource(resource, Scheduler::kubernetes)) continue;
      auto usable = node_.allocatable.find(resource);
      if (usable == node_.allocatable.end() || usable->second >= count) continue;
      add(Remark::Grade::danger,
          fmt::format("{} of {} {} are out of use: the device plugin finds them unhealthy",
                      count - usable->second, count, resource.str()),
          sharing::amd::is_resource(resource)
              ? "amd-smi metric --ecc on the node, and its kernel log, show what is wrong"
              : "nvidia-smi -q on the node, and its kernel log (Xid), show what is wrong",
          "no new pod gets them; one that has one may fail");
      to_copy(fmt::format("ssh {} {}", name(),
                          sharing::amd::is_resource(resource) ? "amd-smi metric --ecc" : "nvidia-smi -q"));
    }
  }

  // AMD's config manager, which partitions GPUs by a label: what it says of the profile that it was given.
  void partitioned() {
    namespace amd = sharing::amd;
    if (node_.label(amd::kProfileState) == "failure")
      add(Remark::Grade::danger,
          fmt::format("AMD's config manager could not make its profile {}",
                      clean(node_.label(amd::kProfile), 64)),
          "the events and the log of its pod on the node have the reason; tessera does not change AMD's "
          "partition modes",
          "its GPUs stand as the failed change left them");
    for (const AmdPart& part :
         evidence_.sharing->amd ? evidence_.sharing->amd->parts : std::vector<AmdPart>{})
      if (part.mode.empty() && amd::has_modes(evidence_.sharing->amd->model).value_or(true))
        add(Remark::Grade::info,
            fmt::format("the partition mode of its AMD GPUs is not reported: whether one {} is a GPU or a "
                        "partition is {}",
                        part.resource, part.each ? "taken from their number" : "not known"),
            "have AMD's node labeller report it: its argument compute-memory-partition",
            "how much of a GPU a pod gets there is not known");
  }

  void tainted() {
    for (const std::string& device : evidence_.tainted) {
      add(Remark::Grade::danger, fmt::format("its DRA driver keeps new pods off device {}", device),
          "the taint's key says what was found (an Xid, a lost GPU); it goes when the driver's pod on the "
          "node is restarted",
          "no new pod gets it; one that has it may fail");
      if (const auto at = evidence_.tainted_since.find(device); at != evidence_.tainted_since.end())
        remarks_.back().since = at->second - evidence_.server_ahead;
      // "gpu-0 (gpu.nvidia.com/xid=79:NoSchedule)": AMD's devices are numbered in another way.
      if (device.find(" (gpu.nvidia.com/") == std::string::npos) continue;
      if (const auto minor = minor_of(device.substr(0, device.find(' '))))
        remarks_.back().gpu = GpuIndex{*minor};
    }
  }

  // Who watches the hardware reports it by conditions of the node: NVSentinel's monitors, and
  // node-problem-detector with rules for GPUs.
  static bool is_about_hardware(std::string_view type) {
    const bool nvsentinel = (type.starts_with("Gpu") && type.ends_with("Watch")) ||
                            type.starts_with("SysLogs") || type.starts_with("NVSwitch") ||
                            type == "DCGMError" || type == "CSPMaintenance";
    const bool detector = type.find("XID") != std::string_view::npos ||
                          type.find("Xid") != std::string_view::npos || type == "GPUUnhealthy" ||
                          type == "GpuUnhealthy" || type == "NvidiaGPUUnhealthy";
    return nvsentinel || detector;
  }
  void watched() {
    for (const Condition& one : node_.conditions) {
      if (one.status != "True" || !is_about_hardware(one.type)) continue;
      std::string text = one.message.empty() ? fmt::format("condition {} reports a fault", one.type)
                                             : fmt::format("condition {} reports a fault: {}", one.type,
                                                           clean(one.message, 400));
      add(one.type == "CSPMaintenance" ? Remark::Grade::warning : Remark::Grade::danger, std::move(text),
          fmt::format(
              "kubectl describe node {0} has the whole condition; while a run changes the node, the label "
              "nvsentinel.dgxc.nvidia.com/managed=false keeps NVSentinel from acting on it",
              node_.meta.name),
          "work there may fail, and who watches it may close the node",
          one.since ? std::optional(*one.since - evidence_.server_ahead) : std::nullopt);
    }
  }

  // The operator cordons, drains and reloads the driver by this label.
  void upgrading() {
    std::string state(node_.label("nvidia.com/gpu-driver-upgrade-state"));
    if (state.empty() || state == "upgrade-done") return;
    if (state == "upgrade-failed") {
      add(Remark::Grade::danger, "its driver upgrade failed, and the node is as it left it",
          fmt::format("kubectl get pods -A -l app=nvidia-driver-daemonset --field-selector "
                      "spec.nodeName={0} and that pod's log show why; once it is mended: kubectl "
                      "label node {0} nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite",
                      node_.meta.name),
          "pods with GPUs may not start there");
      written(node_.written.upgrade);
      return to_copy(pods_of("nvidia-driver-daemonset"));
    }
    const std::string_view waits = upgrade_waits_for(state);
    add(Remark::Grade::warning,
        waits.empty() ? fmt::format("a driver upgrade is under way: {}", clean(state, 60))
                      : fmt::format("a driver upgrade is under way, {}: {}", state, waits),
        upgrade_hint(state, node_.meta.name), "the operator closes the node, and may end what runs there");
    written(node_.written.upgrade);
    to_copy(fmt::format("kubectl get pods -A --field-selector spec.nodeName={}", name()));
  }

  void unread() {
    if (node_.unread_gpus.empty()) return;
    add(Remark::Grade::warning, fmt::format("its count of {} cannot be read", node_.unread_gpus),
        "kubectl get node -o yaml shows what its kubelet reports in status.capacity and status.allocatable",
        "how many of them it has and how many are free is not known");
    to_copy(fmt::format("kubectl get node {} -o yaml", name()));
  }

  void overheld() {
    if (evidence_.pending_since) return;
    for (const auto& [resource, count] : evidence_.held) {
      auto offered = node_.allocatable.find(resource);
      std::int64_t there = offered == node_.allocatable.end() ? 0 : offered->second;
      if (count <= there || !sharing::parse_resource(resource, Scheduler::kubernetes)) continue;
      add(Remark::Grade::warning,
          fmt::format("pods hold {} {}, the node offers {}", count, resource.str(), there),
          there == 0 ? "they run on slices that are offered no more: a layout changed under them, or the "
                       "device plugin is away"
                     : "the layout changed under them; nothing more of it can be placed there",
          "one that ends does not get its slice again");
    }
  }

  void handed_out_twice() {
    if (!evidence_.claimed) return;
    for (const auto& [resource, count] : node_.allocatable) {
      if (count <= 0 || !sharing::parse_resource(resource, Scheduler::kubernetes)) continue;
      add(Remark::Grade::danger,
          fmt::format(
              "its GPUs are handed out twice: {} {} by the device plugin, and by claims to a DRA driver",
              count, resource.str()),
          sharing::amd::is_resource(resource)
              ? std::string("two pods may get the same GPU; leave one of the two there: take the node out of "
                            "what AMD's device plugin or its DRA driver selects")
              : fmt::format(
                    "two pods may get the same GPU; leave one of the two there: kubectl label node {} "
                    "--overwrite nvidia.com/gpu.deploy.device-plugin=false sends the device plugin away",
                    node_.meta.name),
          "two pods may compute on one GPU, and neither is told");
      return;
    }
  }

  const NodeEvidence& evidence_;
  const NodeObject& node_;
  bool wedged_ = false;
  std::vector<Remark> remarks_;
};

}  // namespace

bool labels_and_counts_differ(const NodeObject& node, const NodeSharing& sharing) {
  if (differs_from_mode(node, sharing)) return true;
  if (node.label("nvidia.com/gpu.count").empty()) return false;  // no feature discovery: nothing to compare
  for (const auto& [resource, count] : expected_counts(sharing)) {
    auto offered = node.capacity.find(resource);
    if ((offered == node.capacity.end() ? 0 : offered->second) != count) return true;
  }
  return false;
}

std::vector<Remark> remarks_on(const NodeEvidence& evidence) { return Writer(evidence).run(); }

}  // namespace tessera::kubernetes
