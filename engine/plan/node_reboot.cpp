#include "engine/plan/node_reboot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kJitter = seconds(5);
constexpr std::array<std::string_view, 3> kKeys{"reboot asked for since ", "reboot under way since ",
                                                "booted later than "};

bool has_flag(const Node& node, std::string_view wanted) {
  return std::find(node.state.begin(), node.state.end(), wanted) != node.state.end();
}

// The reason for which it is closed meanwhile is this run's, or the one from before.
bool is_noted_for(const std::string& found, const NodeFacts& facts, std::string_view run) {
  const std::string now = without_reboot(closed_reason(facts));
  if (!found.empty()) return now == without_reboot(found);
  const auto kept = parse_closing(now);
  return kept && kept->by.run == run;
}

std::string not_rebooted(const NodeFacts& facts) {
  const std::string& node = facts.node.name.text;
  if (facts.node.health == Health::down)
    return fmt::format("{} is down and no reboot of it is noted: {}", node, facts.node.reason);
  return fmt::format("{} has not rebooted (up since {}), and no reboot of it is noted any more", node,
                     utc_text(*facts.node.booted));
}

Error refused(const NodeFacts& facts, std::string why) {
  return {"cannot reboot " + facts.node.name.text, std::move(why), "plan again"};
}

std::vector<std::string> jobs_on(const Cluster& cluster, const Node& node) {
  std::vector<std::string> jobs;
  for (const WorkloadId& id : node.workloads) {
    const Workload* job = cluster.workloads.find(id);
    if (!job || present(*job)) jobs.push_back(id.text);
  }
  return jobs;
}

std::string names(const std::vector<std::string>& jobs) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < jobs.size() && i < kNamed; ++i) text += (i > 0 ? ", " : "") + jobs[i];
  return jobs.size() > kNamed ? text + ", …" : text;
}

class RebootSteps {
 public:
  RebootSteps(const NodeName& node, const Means& can) : node_(node), can_(can) {}

  Step& add(Action action, Duration look_every, Duration deadline) {
    return steps_.emplace_back(
        step_for(std::move(action), node_, can_.dialect, Scheduler::slurm, deadline, look_every));
  }
  std::vector<Step> take() { return std::move(steps_); }

 private:
  const NodeName& node_;
  const Means& can_;
  std::vector<Step> steps_;
};

WordIs as_found(std::string_view key, std::string value) {
  return {std::string(key), std::move(value), false};
}

}  // namespace

std::string_view reboot_of(const Node& node) {
  if (has_flag(node, "REBOOT_ISSUED")) return "issued";
  return has_flag(node, "REBOOT_REQUESTED") ? "requested" : "";
}

TimePoint later_boot(TimePoint booted) { return booted + kJitter; }

WordIs word_is(const RebootWord& word, std::string found) {
  return as_found(std::string(kKeys[static_cast<std::size_t>(word.kind)]) + utc_text(word.then),
                  std::move(found));
}

std::optional<RebootWord> parse_reboot_word(std::string_view key) {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (!key.starts_with(kKeys[i])) continue;
    const auto then = parse_utc(key.substr(kKeys[i].size()));
    if (then) return RebootWord{static_cast<RebootWord::Kind>(i), *then};
  }
  return std::nullopt;
}

std::string to_text(const RebootWord& word) {
  const std::string booted = "the node has booted later than " + utc_text(word.then);
  return word.kind == RebootWord::Kind::over ? booted : "a reboot is noted, or " + booted;
}

std::optional<std::string> unmet(const RebootWord& word, const std::string& found, const NodeFacts& facts,
                                 std::string_view run) {
  const std::string& node = facts.node.name.text;
  const std::string_view noted = reboot_of(facts.node);
  const auto& booted = facts.node.booted;
  const bool may_be_noted = word.kind != RebootWord::Kind::over;
  if (noted.empty()) {
    if (booted && *booted > word.then) return std::nullopt;
    // A controller that has just started does not know it until the node has registered.
    if (!booted && word.kind == RebootWord::Kind::going) return std::nullopt;
    return booted ? not_rebooted(facts) : fmt::format("when {} has booted is not reported", node);
  }
  if (may_be_noted && is_noted_for(found, facts, run)) return std::nullopt;
  if (may_be_noted)
    return fmt::format("{} is closed for another reason now, and Slurm opens it once it has rebooted: {}",
                       node, closed_reason(facts));
  return node + (noted == "issued" ? " is booting" : " reboots once its jobs have ended");
}

Special ask_reboot(std::string words, std::string found, TimePoint then) {
  return {std::string(reboots::kAsk),
          {{"words", std::move(words)}, {"found", std::move(found)}, {"then", utc_text(then)}}};
}
Special cancel_reboot(std::string reason) {
  return {std::string(reboots::kCancel), {{"reason", std::move(reason)}}};
}
bool is_reboot(const Special& act) { return act.verb == reboots::kAsk || act.verb == reboots::kCancel; }

Result<bool> is_done(const Special& act, const NodeFacts& facts, std::string_view run) {
  const std::string_view noted = reboot_of(facts.node);
  const std::string now = closed_reason(facts);
  if (act.verb == reboots::kCancel) {
    if (noted.empty()) return true;
    if (noted == "issued") return refused(facts, "it has begun to reboot, and a boot cannot be undone");
    if (without_reboot(now) != without_reboot(argument_of(act, "reason")))
      return refused(facts, "it is closed for another reason, and Slurm would open it: " + now);
    return false;
  }
  const std::string found = argument_of(act, "found");
  const auto then = parse_utc(argument_of(act, "then"));
  if (!then) return refused(facts, "the plan does not say from which boot on");
  if (!unmet(RebootWord{RebootWord::Kind::asked, *then}, found, facts, run)) return true;
  if (!noted.empty()) return refused(facts, "a reboot of it is noted already: " + now);
  if (now != found)
    return refused(facts, now.empty() ? "it is open by now" : "it is closed for another reason: " + now);
  if (found.empty()) return false;
  if (auto busy = why_busy(facts, Scope{}))
    return refused(facts, "it is closed, and Slurm would open it after the boot: " + *busy);
  return false;
}

std::optional<Error> why_no_reboot(const Cluster& cluster, const Node& node, bool asked, const Means& can) {
  const std::string& name = node.name.text;
  if (cluster.scheduler != Scheduler::slurm)
    return Error{
        "", "no scheduler of Kubernetes reboots nodes",
        fmt::format("tessera node cordon {} REASON, wait for its pods, and reboot it as the site does "
                    "(ssh, its management controller)",
                    name)};
  if (can.dialect == Dialect::slurm && !(can.slurm && can.slurm->reboot_program))
    return Error{"", "whether Slurm has a RebootProgram is not known", "scontrol show config shows it"};
  if (can.slurm && can.slurm->reboot_program && can.slurm->reboot_program->empty())
    return Error{"", "Slurm has no RebootProgram, which slurmd would run on the node",
                 "set RebootProgram in slurm.conf, then: scontrol reconfigure"};
  if (const std::string_view noted = reboot_of(node); !noted.empty())
    return asked
               ? std::nullopt
               : std::optional(Error{"", fmt::format("a reboot of it is {} already: {}", noted, node.reason),
                                     "wait for it, or: scontrol cancel_reboot " + name});
  if (node.health == Health::down || node.health == Health::unknown)
    return Error{"", "slurmd does not answer there, and it is slurmd that runs RebootProgram",
                 "reboot it by its management controller"};
  if (!node.booted)
    return Error{"", "when it has booted is not reported, so that a later boot would not be known",
                 "scontrol show node " + name};
  const std::vector<std::string> jobs = jobs_on(cluster, node);
  if (closed_by_flags(node) && !jobs.empty())
    return Error{"",
                 fmt::format("it is closed, and {} there: {}. Slurm would open it after the boot, whoever "
                             "closed it",
                             jobs.size() == 1 ? "a job runs" : "jobs run", names(jobs)),
                 "wait until no job is there"};
  return std::nullopt;
}

std::optional<Error> why_no_cancelling(const Node& node, const std::set<std::string>& of_runs) {
  const std::string_view noted = reboot_of(node);
  if (noted.empty()) return std::nullopt;
  if (noted == "issued")
    return Error{"", "it has begun to reboot, and a boot cannot be undone", "wait until it has booted"};
  const auto kept = parse_closing(closed_reason(node));
  if (kept && of_runs.contains(kept->by.run)) return std::nullopt;
  return Error{"",
               fmt::format("the reason does not name this run, and Slurm would open the node, whoever closed "
                           "it: {}",
                           node.reason),
               "if that is meant: scontrol cancel_reboot " + node.name.text};
}

std::vector<Step> reboot_steps(const Node& node, const NodeAction& action, const Means& can,
                               bool break_lock) {
  const std::string found = closed_reason(node);
  const TimePoint then = later_boot(*action.booted);
  RebootSteps steps(node.name, can);
  Step& ask = steps.add(ask_reboot(action.reason, found, then), seconds(1), seconds(30));
  if (!break_lock) ask.before.push_back(NoForeignMark{});
  ask.before.push_back(Answering{});
  ask.before.push_back(as_found(kClosedWord, found));
  ask.before.push_back(as_found(reboots::kWord, ""));
  if (!found.empty()) ask.before.push_back(ScopeEmpty{});
  ask.after = {word_is({RebootWord::Kind::asked, then}, found)};
  ask.undo = "cancel the reboot while it has not begun";
  Step& wait = steps.add(LookOnly{}, seconds(2), Duration{0});
  wait.before = {word_is({RebootWord::Kind::going, then}, found)};
  wait.after = {word_is({RebootWord::Kind::over, then})};
  Step& verify = steps.add(LookOnly{}, seconds(1), minutes(2));
  verify.after = {Answering{}};
  verify.after.push_back(found.empty() ? Condition(WordIs{std::string(kClosedWord), ""})
                                       : Condition(NodeClosed{}));
  return steps.take();
}

std::vector<Step> cancel_steps(const Node& node, const Means& can) {
  const std::string reason = closed_reason(node);
  RebootSteps steps(node.name, can);
  Step& cancel = steps.add(cancel_reboot(reason), seconds(1), seconds(30));
  cancel.before = {as_found(reboots::kWord, "requested"), as_found(kClosedWord, reason)};
  cancel.after = {WordIs{std::string(reboots::kWord), ""}, WordIs{std::string(kClosedWord), ""}};
  return steps.take();
}

bool waits_for_boot(const Step& step) {
  return std::any_of(step.after.begin(), step.after.end(), [](const Condition& one) {
    const auto* word = std::get_if<WordIs>(&one);
    const auto reboot = word ? parse_reboot_word(word->key) : std::nullopt;
    return reboot && reboot->kind == RebootWord::Kind::over;
  });
}

std::string lost_at_boot(const Node& node, const Means& can) {
  const bool cut = std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) {
    return mode_of(gpu) == MigMode::enabled && !instances_of(gpu).empty();
  });
  if (!cut || can.survives_reboot) return "";
  if (can.slurm && (!can.slurm->boot_file.empty() || !can.slurm->boot_unit.empty())) return "";
  return "its GPU instances are gone after the boot unless the site makes them again (docs/apply.md)";
}

}  // namespace tessera::plan
