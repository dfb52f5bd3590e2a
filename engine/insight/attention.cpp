#include "engine/insight/attention.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/insight/available.hpp"
#include "engine/insight/fewer_gpus.hpp"
#include "engine/insight/hardware.hpp"
#include "engine/insight/processes.hpp"
#include "engine/insight/recording_age.hpp"
#include "engine/insight/stuck_work.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/model/health_words.hpp"
#include "engine/model/recorded.hpp"
#include "engine/model/tell.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/shell.hpp"

namespace tessera::insight {
namespace {

// A record that cannot be read is there for a reason that its text tells, and goes with what it is about.
std::string unreadable_hint(Source source) {
  if (source == Source::slurm_jobs)
    return "scontrol -d -o show job prints that record. tessera refuses plans until it can read the record, "
           "or "
           "until slurmctld drops it, MinJobAge after the job ends. Please report the record";
  if (source == Source::slurm_nodes)
    return "scontrol -d -o show node prints that record. tessera refuses plans until it can read the record. "
           "Please report it";
  if (source == Source::kubernetes_pods)
    return "kubectl get pod -o yaml prints it. tessera refuses plans until it can read the pod, or until the "
           "pod is gone. Please report it";
  return "";
}

class Collector {
 public:
  Collector(const Cluster& cluster, const mig::Catalogue& catalogue, TimePoint wall)
      : cluster_(cluster), catalogue_(catalogue), wall_(wall) {}

  std::vector<Finding> run() {
    sources();
    daemons();
    remarks();
    for (const Node& node : cluster_.nodes.all()) {
      health(node);
      for (const Gpu& gpu : node.gpus) board(node, gpu);
    }
    for (Finding& one : stuck_work(cluster_)) found_.push_back(std::move(one));
    std::stable_sort(found_.begin(), found_.end(), [](const Finding& a, const Finding& b) {
      if (a.severity != b.severity) return a.severity > b.severity;
      return query::natural_compare(a.subject, b.subject) < 0;
    });
    return std::move(found_);
  }

 private:
  Finding& add(Severity severity, std::string subject, bool is_node, std::string text, std::string hint) {
    return found_.emplace_back(Finding{severity, cluster_.name, std::move(subject), is_node, std::nullopt,
                                       std::move(text), std::move(hint)});
  }
  // cause: without what differs from node to node.
  Finding& add(Severity severity, const Node& node, std::string cause, std::string text, std::string hint) {
    Finding& finding = add(severity, node.name.text, true, std::move(text), std::move(hint));
    finding.cause = std::move(cause);
    finding.source = node.origin.source;
    finding.commands = {look_at(node)};
    return finding;
  }
  Finding& add(Severity severity, const Node& node, const Gpu& gpu, std::string text, std::string hint) {
    Finding& finding =
        add(severity, node, text, fmt::format("GPU {}: {}", gpu.index.value, text), std::move(hint));
    finding.gpu = gpu.index;
    finding.source = gpu.origin.source;
    return finding;
  }

  std::string look_at(const Node& node) const {
    const std::string name = shell_word(node.name.text);
    return cluster_.scheduler == Scheduler::slurm ? "scontrol show node " + name
                                                  : "kubectl describe node " + name;
  }

  std::string ago(TimePoint at) const {
    auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(cluster_now(cluster_, wall_) - at).count();
    return query::duration_text(seconds);
  }

  void sources() {
    for (const auto& [source, health] : cluster_.sources) {
      if (!health.failure) {
        left_out(source, health);
        continue;
      }
      if (source == Source::none) {
        recording(health);
        continue;
      }
      const std::string failure = to_line({health.failure->what, health.failure->reason, ""});
      const std::string age = health.last_ok
                                  ? fmt::format("; shown: what was true {} ago", ago(*health.last_ok))
                                  : std::string("; never answered");
      Finding& finding =
          add(Severity::danger, std::string(word(source)), false, failure + age, health.failure->hint);
      finding.key = failure;  // "59 min" becomes "1 h 00 min"
      finding.follows = "what it reports is as old as its last answer";
      finding.commands = asked_by(source);
      finding.source = source;
      finding.since = health.failing_since;
    }
  }

  // It is none of the cluster's sources: they are told as they stood at that moment.
  void recording(const SourceHealth& health) {
    const std::string failure = to_line({health.failure->what, health.failure->reason, ""});
    Finding& finding = add(Severity::danger, std::string(failing_word(Source::none)), false,
                           failure + "; " + recording_age(cluster_, wall_), health.failure->hint);
    finding.key = failure;
    finding.follows = "what is shown is older than the moment that was asked for, or nothing is";
    finding.since = health.failing_since;
  }

  // Slurm's sources are called what a person types.
  static std::vector<std::string> asked_by(Source source) {
    const std::string_view name = word(source);
    if (!name.starts_with("scontrol ")) return {};
    return {std::string(name)};
  }

  // It answered, and not with everything.
  void left_out(Source source, const SourceHealth& health) {
    if (!health.incomplete && health.note.empty()) return;
    Finding& finding =
        health.incomplete
            ? add(Severity::danger, std::string(word(source)), false,
                  "its answer could not be read whole, so not everything is listed: " + health.note,
                  unreadable_hint(source))
            : add(Severity::info, std::string(word(source)), false, health.note, "");
    finding.source = source;
    finding.commands = asked_by(source);
    finding.follows = health.incomplete ? "what it left out is not shown, and no sum counts it"
                                        : "what is shown of it may be older than the rest, or not whole";
  }

  void daemons() {
    for (const Daemon& daemon : cluster_.daemons) {
      if (daemon.up) continue;
      std::string text = daemon.host.empty() ? "does not answer" : "does not answer on " + daemon.host;
      const Daemon* other = daemon.name == "slurmctld" ? controller_up() : nullptr;
      if (daemon.name == "slurmctld")
        controller_down(daemon, other, std::move(text));
      else
        daemon_down(daemon, std::move(text));
    }
  }
  void daemon_down(const Daemon& daemon, std::string text) {
    Finding& finding = add(Severity::danger, daemon.name, false, std::move(text), daemon.detail);
    finding.source = who_pings();
    finding.follows = daemon.name == "slurmdbd" ? "jobs go on; changes of limits and accounts wait for it"
                                                : "commands of Slurm are refused where they need it";
    const std::string status =
        "systemctl status " + shell_word(daemon.name == "munged" ? "munge" : daemon.name);
    finding.commands = {daemon.host.empty() ? status : "ssh " + shell_word(daemon.host) + " " + status};
  }
  // Only Slurm's daemons are asked whether they answer.
  Source who_pings() const { return cluster_.simulated ? Source::simulator : Source::slurm_ping; }
  const Daemon* controller_up() const {
    for (const Daemon& daemon : cluster_.daemons)
      if (daemon.name == "slurmctld" && daemon.up) return &daemon;
    return nullptr;
  }
  // A controller's detail is its part: "primary", "backup1".
  void controller_down(const Daemon& daemon, const Daemon* other, std::string text) {
    // What is more than a part is a remark.
    const bool part = !daemon.detail.empty() && daemon.detail.find(' ') == std::string::npos;
    if (part) text = fmt::format("the {} {}", daemon.detail, text);
    bool backup = daemon.detail.starts_with("backup");
    if (other && backup)
      text += ": no other daemon takes over when " + other->host + " fails";
    else if (other)
      text += fmt::format(": the {} on {} controls", other->detail, other->host);
    Finding& finding = add(other && backup ? Severity::warning : Severity::danger, daemon.name, false,
                           std::move(text), "systemctl status slurmctld on " + daemon.host);
    finding.source = who_pings();
    finding.follows = other ? "work goes on, and one daemon alone controls it"
                            : "running jobs go on; none starts, and none can be changed";
    finding.commands = {"scontrol ping"};
  }

  // What a source found by itself, in its own words.
  void remarks() {
    for (const auto& [source, list] : cluster_.remarks)
      for (const Remark& one : list) remark(source, one);
  }
  void remark(Source source, const Remark& one) {
    const Node* node = one.is_node ? cluster_.nodes.find(NodeName(one.subject)) : nullptr;
    const Severity severity = node ? during_run(*node, severity_of(one.grade)) : severity_of(one.grade);
    Finding& finding = add(severity, one.subject, one.is_node, one.text, one.hint);
    finding.follows = one.follows, finding.since = one.since, finding.seen = one.seen;
    if (const std::string advice = hardware_advice(one.text); !advice.empty()) finding.hint = advice;
    finding.commands = one.commands;
    if (one.is_node) finding.cause = one.text;
    if (node) {
      finding.gpu = gpu_of(*node, one);
      finding.commands.insert(finding.commands.begin(), look_at(*node));
      offer_reset(finding, node->name, one.text);
      if (finding.way_out == WayOut::none && plans_layout(one)) offer_layout(finding, *node);
      if (one.restarts_plugin) offer_restart(finding, node->name);
      if (one.gpu && one.follows.empty()) finding.follows = follows_of_fault(*node, *one.gpu);
    }
    finding.source = source;
  }
  // Its source has that plan among what is to be copied.
  static bool plans_layout(const Remark& one) {
    return std::any_of(one.commands.begin(), one.commands.end(), is_layout_plan);
  }
  static bool is_layout_plan(const std::string& command) {
    return command.starts_with("tessera plan --node ");
  }
  // A node may be called gpu3.
  static std::string without_name(std::string text, const std::string& name) {
    for (std::size_t at = text.find(name); !name.empty() && at != std::string::npos; at = text.find(name, at))
      text.erase(at, name.size());
    return text;
  }
  // As the source says, or as its words name one by UUID or number. nullopt: they name none or several, or
  // the node does not list it.
  static std::optional<GpuIndex> gpu_of(const Node& node, const Remark& one) {
    if (one.gpu) return plan::find_gpu(node, *one.gpu) ? one.gpu : std::nullopt;
    if (one.kind != Remark::Kind::other) return std::nullopt;
    std::vector<GpuIndex> named;
    for (const Gpu& gpu : node.gpus)
      if (!gpu.uuid.empty() && one.text.find(gpu.uuid) != std::string::npos) named.push_back(gpu.index);
    if (!named.empty()) return named.size() == 1 ? std::optional(named.front()) : std::nullopt;
    const std::optional<int> number = gpu_in(without_name(one.text, node.name.text));
    return number && plan::find_gpu(node, GpuIndex{*number}) ? std::optional(GpuIndex{*number})
                                                             : std::nullopt;
  }

  // Of a GPU that is broken: whose work is on it, and whether more is placed there.
  std::string follows_of_fault(const Node& node, GpuIndex index) const {
    const Gpu* gpu = plan::find_gpu(node, index);
    const Sight sight = sight_of(cluster_, node);
    // By Slurm's count it may be another GPU than by the driver's.
    const Gpu* held = why_crossed(cluster_, node.name) ? nullptr : gpu;
    return who_is_on(sight, held) + "; " + std::string(may_get(sight, held, is_reserved(node)));
  }
  std::string who_is_on(const Sight& sight, const Gpu* gpu) const {
    const std::optional<std::vector<WorkloadId>> on = gpu ? work_on(sight, *gpu) : std::nullopt;
    if (!on) return "what runs on this GPU may fail";
    const bool slurm = cluster_.scheduler == Scheduler::slurm;
    if (on->empty()) return slurm ? "no job holds this GPU" : "no pod holds this GPU";
    if (on->size() > 1)
      return slurm ? fmt::format("{} jobs hold this GPU and may fail", on->size())
                   : fmt::format("{} pods hold this GPU and may fail", on->size());
    if (!slurm) return fmt::format("pod {} holds this GPU and may fail", on->front().text);
    const Workload* job = cluster_.workloads.find(on->front());
    return fmt::format("job {} of {} holds this GPU and may fail", on->front().text,
                       job && !job->user.empty() ? job->user : "?");
  }
  // nullopt: the lists do not tell of each of its slices.
  static std::optional<std::vector<WorkloadId>> work_on(const Sight& sight, const Gpu& gpu) {
    std::vector<WorkloadId> on;
    if (!sight.work_read || gpu.slices.empty()) return std::nullopt;
    for (const Slice& slice : gpu.slices) {
      const bool named = slice.exact && !slice.holders.empty();
      if (slice.holding == Holding::unknown || (slice.holding == Holding::held && !named))
        return std::nullopt;
      for (const Holder& holder : slice.holders)
        if (std::find(on.begin(), on.end(), holder.workload) == on.end()) on.push_back(holder.workload);
    }
    return on;
  }
  static std::string_view may_get(const Sight& sight, const Gpu* gpu, bool reserved) {
    const auto is_out = [](const Slice& slice) { return slice.usable == false; };
    const auto is_told = [](const Slice& slice) { return slice.usable.has_value(); };
    constexpr std::string_view kUntold = "whether new work is placed on it is not known";
    if (reserved) return kUntold;  // the jobs of that reservation are
    if (sight.access == Access::closed) return "its node takes no new work";
    if (!gpu || gpu->slices.empty()) return kUntold;
    if (std::all_of(gpu->slices.begin(), gpu->slices.end(), is_out)) return "no new work is placed on it";
    const bool told = std::all_of(gpu->slices.begin(), gpu->slices.end(), is_told);
    return sight.access == Access::open && told ? "new work can still be placed on it" : kUntold;
  }
  static Severity severity_of(Remark::Grade grade) {
    switch (grade) {
      case Remark::Grade::info: return Severity::info;
      case Remark::Grade::warning: return Severity::warning;
      case Remark::Grade::danger: return Severity::danger;
    }
    return Severity::warning;
  }

  void health(const Node& node) {
    std::string reason = node.reason.empty() ? "no reason given" : node.reason;
    const std::string bare = reason;
    if (!node.reason_by.empty()) reason += " [" + node.reason_by + "]";
    if (node.reason_at) reason += ", " + ago(*node.reason_at) + " ago";
    if (node.health != Health::invalid && powers(node)) return;
    if (closed_by_run(node)) return;
    const std::size_t before = found_.size();
    tell_health(node, bare, reason);
    if (found_.size() == before) return;
    if (!found_.back().since) found_.back().since = node.reason_at;
    const std::string advice = hardware_advice(node.reason);
    if (!advice.empty()) found_.back().hint = with(advice, found_.back().hint);
    offer_reset(found_.back(), node.name, node.reason);
  }
  // Before what opens the node: its GPU is to be sound by then. Where the reason names no GPU, a person has
  // to fill it in first: what would open the node is left out, or pasted together the one would fail and the
  // other succeed.
  void offer_reset(Finding& finding, const NodeName& node, std::string_view text) const {
    if (cluster_.scheduler != Scheduler::slurm || !reset_helps(text)) return;
    const std::optional<int> gpu = finding.gpu ? std::optional(finding.gpu->value) : gpu_in(text);
    if (!gpu) std::erase(finding.commands, plan::opening_command(node, cluster_.scheduler));
    finding.commands.insert(finding.commands.begin(),
                            fmt::format("tessera node reset-gpu {} {}", shell_word(node.text),
                                        gpu ? std::to_string(*gpu) : std::string("GPU")));
  }
  // Behind the command that shows the node.
  static void offer_restart(Finding& finding, const NodeName& node) {
    finding.way_out = WayOut::restart;
    finding.commands.insert(finding.commands.begin() + 1,
                            "tessera node restart-plugin " + shell_word(node.text));
  }
  static std::string with(const std::string& advice, const std::string& hint) {
    return hint.empty() ? advice : advice + "; " + hint;
  }

  // bare: the reason without who gave it, and when.
  void tell_health(const Node& node, const std::string& bare, const std::string& reason) {
    switch (node.health) {
      case Health::invalid: invalid(node, bare, reason); break;
      case Health::down:
        if (has_flag(node, "NOT_RESPONDING"))
          add(Severity::danger, node, "slurmd does not answer: " + bare, "slurmd does not answer: " + reason,
              "systemctl status slurmd on " + node.name.text + ", if the node itself is up");
        else
          add(Severity::danger, node, "down: " + bare, "down: " + reason,
              cluster_.scheduler == Scheduler::kubernetes
                  ? "check the kubelet on " + node.name.text + "; its pods are lost or stuck"
                  : "check slurmd on " + node.name.text + "; its jobs are lost or stuck");
        found_.back().follows = "its GPUs take no work, and what ran there is lost or stuck";
        break;
      case Health::draining:
        if (cluster_.scheduler == Scheduler::kubernetes)
          add(Severity::warning, node, bare == kCordonedWord ? bare : "cordoned: " + bare,
              fmt::format("cordoned, {}: {}", still_there(node), reason), "");
        else
          add(Severity::warning, node, "draining: " + bare,
              fmt::format("draining, {}: {}", still_there(node), reason), "");
        found_.back().follows = "its GPUs take no new work; what is left there runs on";
        found_.back().way_out = WayOut::open;
        break;
      case Health::drained:
        if (cluster_.scheduler == Scheduler::kubernetes)
          add(Severity::warning, node, "cordoned, no GPU pod on it: " + bare,
              "cordoned, no GPU pod on it: " + reason, "when repaired: " + opening(node));
        else
          add(Severity::warning, node, "drained, no workload on it: " + bare,
              "drained, no workload on it: " + reason, "when repaired: " + opening(node));
        found_.back().follows = "its GPUs take no work until it is opened again";
        found_.back().commands.push_back(opening(node));
        found_.back().way_out = WayOut::open;
        break;
      case Health::unknown:
        add(Severity::warning, node, "state not known", "state not known",
            node.state.empty() ? "its record has no state: it is broken, or cut short"
                               : "its daemon has not registered yet")
            .follows = "whether its GPUs are available is not known";
        break;
      case Health::ok: break;
    }
  }

  void invalid(const Node& node, const std::string& bare, const std::string& reason) {
    Finding& finding = add(Severity::danger, node, "INVALID: " + bare, "INVALID: " + reason,
                           "mig.strategy single needs the same instances on all GPUs of a node: "
                           "plan one layout for all of them, or set mixed");
    finding.follows = "its GPUs take no new work";
    // Where feature discovery counts no GPU it still names their product, and a layout for all can be
    // planned.
    const bool planned = !node.gpus.empty() || sharing::label(node, "nvidia.com/gpu.product");
    if (cluster_.scheduler != Scheduler::slurm) {
      if (planned) offer_layout(finding, node);
      return;
    }
    finding.hint = "what the node has and what is configured differ: compare gres.conf with the hardware";
    if (const std::optional<FewerGpus> fewer = fewer_gpus(node))
      return tell_fewer(finding, node, *fewer, fewer->boot ? ago(*fewer->boot) : "");
    if (!node.gpus.empty()) finding.way_out = WayOut::layout;
  }

  std::string still_there(const Node& node) const {
    if (!cluster_.work_known) return "what is still there is not known";
    const char* noun = cluster_.scheduler == Scheduler::slurm ? "job" : "pod";
    return fmt::format("{} {}{} left", node.workloads.size(), noun, node.workloads.size() == 1 ? "" : "s");
  }
  std::string opening(const Node& node) const { return plan::opening_command(node.name, cluster_.scheduler); }

  static std::optional<plan::RunMark> run_of(const Node& node) {
    if (node.health != Health::draining && node.health != Health::drained) return std::nullopt;
    return plan::parse_mark(node.reason);
  }
  // While a run changes a node, GPUs without slices and parts that are not ready are its steps. What is
  // broken stays an alarm.
  static Severity during_run(const Node& node, Severity severity) {
    return severity == Severity::warning && run_of(node) ? Severity::info : severity;
  }

  // A run of tessera has closed it and opens it again: that is no fault of the node. A run that stopped in
  // the middle is a finding of its own.
  bool closed_by_run(const Node& node) {
    const std::optional<plan::RunMark> mark = run_of(node);
    if (!mark) return false;
    Finding& finding =
        add(Severity::info, node, fmt::format("closed for run {} of {}@{}", mark->run, mark->who, mark->from),
            fmt::format("{} for run {} of {}@{}, {}", health_word(node.health, cluster_.scheduler), mark->run,
                        mark->who, mark->from, still_there(node)),
            "the run opens it again once it goes on to its end");
    finding.since = node.reason_at;
    finding.follows = "its GPUs take no new work until the run has ended";
    return true;
  }

  static bool has_flag(const Node& node, std::string_view flag) {
    return std::find(node.state.begin(), node.state.end(), flag) != node.state.end();
  }

  // Power saving and booting are a site's wish, not a fault. True: that is all there is to say.
  bool powers(const Node& node) {
    auto has = [&](std::string_view flag) { return has_flag(node, flag); };
    if (reboots(node)) return true;
    if (has("DOWN") || has("ERROR")) return false;
    const std::string reason = node.reason.empty() ? "" : ": " + node.reason;
    if (node.health == Health::down && (has("POWERED_DOWN") || has("POWERING_DOWN") || has("POWER_DOWN")))
      tell_wished(node, "powered down by power saving", "powered down by power saving" + reason,
                  "it is started when a job needs it");
    else if (node.health == Health::unknown && has("POWERING_UP"))
      tell_wished(node, "powering up", "powering up" + reason, "its daemon registers once it has booted");
    else
      return false;
    return true;
  }
  void tell_wished(const Node& node, const char* cause, std::string text, const char* hint) {
    Finding& finding = add(Severity::info, node, cause, std::move(text), hint);
    finding.follows = "its GPUs take work as soon as it has started";
    finding.since = node.reason_at;
  }

  // An admin has asked for it (scontrol reboot). One that does not come back within ResumeTimeout loses the
  // flag.
  bool reboots(const Node& node) {
    if (has_flag(node, "REBOOT_ISSUED"))
      add(Severity::info, node, "rebooting", "is rebooting: " + node.reason,
          "slurmctld sets it DOWN if it is not back within ResumeTimeout")
          .follows = "its GPUs take no work until it has booted";
    else if (has_flag(node, "REBOOT_REQUESTED"))
      add(Severity::info, node, "reboots once its jobs have ended",
          fmt::format("reboots once its jobs have ended, {}: {}", still_there(node), node.reason),
          fmt::format("scontrol cancel_reboot {} withdraws that, and opens the node", node.name.text))
          .follows = "its GPUs take no new work until it has booted";
    else
      return false;
    found_.back().since = node.reason_at;
    return true;
  }

  void board(const Node& node, const Gpu& gpu) {
    if (gpu.mig_mode == MigMode::enable_pending || gpu.mig_mode == MigMode::disable_pending)
      pending_mode(node, gpu);
    beside_mps(node, gpu);
    if (gpu.strategy != Strategy::mig) return;
    if (gpu.slices.empty()) {
      Finding& finding = add(during_run(node, Severity::warning), node, gpu, "MIG on, no slices",
                             "give it a layout, or turn MIG off");
      finding.follows = "no workload can use this GPU";
      offer_layout(finding, node, plan_layout(node, gpu));
      return;
    }
    fragmented(node, gpu);
  }
  // Where every plan would be refused the reason stands in its place, and such nodes are a line of their own:
  // among others they would take the way out from all of them.
  void offer_layout(Finding& finding, const Node& node, std::string command = "") const {
    const bool kubernetes = cluster_.scheduler == Scheduler::kubernetes;
    if (const auto why = kubernetes ? plan::never_cut(node) : std::nullopt) {
      std::erase_if(finding.commands, is_layout_plan);
      finding.key = finding.cause + "; " + without_name(*why, node.name.text);
      finding.hint = *why;
      return;
    }
    finding.way_out = WayOut::layout;
    if (!command.empty()) finding.commands.push_back(std::move(command));
  }
  static std::string plan_layout(const Node& node, const Gpu& gpu) {
    return fmt::format("tessera plan --node {} --gpu {} --layout LAYOUT", shell_word(node.name.text),
                       gpu.index.value);
  }

  // As the refusal of a reset says it (plan/node_reset.cpp): a reset alone would leave a GPU that no one has
  // laid out.
  void pending_mode(const Node& node, const Gpu& gpu) {
    Finding& finding = add(during_run(node, Severity::warning), node, gpu, std::string(kModePending),
                           "a GPU reset or a reboot makes it true: plan the layout that the GPU is to have, "
                           "or cancel the change on the node (nvidia-smi -mig)");
    const bool enables = gpu.mig_mode == MigMode::enable_pending;
    finding.follows = enables ? "until then MIG stays off there, and no instance can be made"
                              : "until then MIG stays on there, and the GPU cannot be had whole";
    offer_layout(finding, node, plan_layout(node, gpu));
    finding.commands.push_back(fmt::format("ssh {} nvidia-smi -i {} -mig {}", shell_word(node.name.text),
                                           gpu.index.value, enables ? 0 : 1));
  }

  void beside_mps(const Node& node, const Gpu& gpu) {
    const std::optional<PastMps> found = past_mps(cluster_, node, gpu);
    if (!found) return;
    Finding& finding = add(
        Severity::warning, node, gpu, to_text(*found),
        found->server ? "the job must see the pipes of that server (CUDA_MPS_PIPE_DIRECTORY): tessera "
                        "config mps-task-prolog prints what sets it"
                      : "Slurm starts no MPS daemon: tessera config mps-prolog prints a prolog that does");
    finding.cause = found->server ? "work that holds a share of MPS is no client of the MPS server"
                                  : "work that holds a share of MPS does not go through MPS";
    finding.follows = "its share is not held to, and what runs beside it waits for its turns";
    // When it began to compute the driver does not tell.
    finding.source = gpu.processes->origin.source;
    finding.commands = {"nvidia-smi", "echo get_server_list | nvidia-cuda-mps-control"};
  }

  // Memory is free, but no profile can take it while its neighbours stay.
  void fragmented(const Node& node, const Gpu& gpu) {
    const mig::Product* product = mig::product_of(gpu, catalogue_);
    if (!product) return;
    // Kubernetes reports how many slices there are, not where: nothing to judge.
    for (const Slice& slice : gpu.slices)
      if (slice.kind == SliceKind::gpu_instance && !slice.placement) return;
    std::optional<mig::Layout> layout = mig::observed_layout(*product, gpu);
    if (!layout) {
      Finding& finding = add(Severity::warning, node, gpu,
                             fmt::format("its slices do not fit the catalogue's {}", product->key.text),
                             "a site catalogue file can correct the product");
      finding.follows = "what is free or would fit there is not worked out, and no plan cuts it";
      finding.commands.push_back("tessera layouts " + shell_word(product->key.text));
      return;
    }
    // What is left on a node that takes no work is of no use to anyone anyhow: the node is the finding.
    if (sight_of(cluster_, node).access == Access::closed) return;
    const mig::Room& room = room_of(*product, *layout);
    if (room.stranded_memory_slices * 4 < product->units) return;
    Finding& finding =
        add(Severity::info, node, gpu,
            fmt::format("{} of {} memory slices stranded", room.stranded_memory_slices, product->units),
            "another layout of this GPU takes them in: plan one for when its work has ended");
    finding.follows = "no profile fits there while its neighbours stay";
    offer_layout(finding, node, plan_layout(node, gpu));
  }

  // A large cluster has few distinct layouts: each is worked out once.
  const mig::Room& room_of(const mig::Product& product, const mig::Layout& layout) {
    auto [place, fresh] = rooms_.try_emplace({&product, layout});
    if (fresh) place->second = mig::room(product, layout);
    return place->second;
  }

  const Cluster& cluster_;
  const mig::Catalogue& catalogue_;
  TimePoint wall_;
  std::map<std::pair<const mig::Product*, mig::Layout>, mig::Room> rooms_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> attention(const Cluster& cluster, const mig::Catalogue& catalogue, TimePoint wall) {
  return Collector(cluster, catalogue, wall).run();
}

}  // namespace tessera::insight
