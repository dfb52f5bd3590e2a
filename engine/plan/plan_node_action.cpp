#include "engine/plan/plan_node_action.hpp"

#include <fmt/format.h>

#include <set>

#include "engine/model/slinky.hpp"
#include "engine/plan/effect/blast.hpp"
#include "engine/plan/identify.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

using std::chrono::seconds;

Error cannot(std::string_view verb, const NodeName& node, std::string why, std::string hint) {
  return {fmt::format("cannot {} {}", verb, node.empty() ? std::string("nodes") : node.text), std::move(why),
          std::move(hint)};
}

// As closed by whom, for people: "alice, fans are loud".
std::string whose(const Node& node) {
  const std::string reason = closed_reason(node);
  if (auto kept = parse_closing(reason))
    return fmt::format("{} by run {}: {}", kept->by.who, kept->by.run, kept->words);
  if (auto mark = parse_mark(reason)) return fmt::format("run {} of {}", mark->run, mark->who);
  return fmt::format("{}: {}", node.reason_by.empty() ? "another user" : node.reason_by, reason);
}

class NodeActionPlanner {
 public:
  NodeActionPlanner(const Cluster& cluster, const Node& node, const NodeAction& action, const Intent& intent,
                    const Means& can, const mig::Catalogue* catalogue, bool asked, TimePoint now)
      : cluster_(cluster),
        node_(node),
        action_(action),
        intent_(intent),
        options_(intent.options),
        can_(can),
        catalogue_(catalogue),
        asked_(asked),
        now_(now),
        reason_(closed_reason(node)) {}

  Result<NodePlan> plan() {
    plan_.node = node_.name;
    plan_.relied_on = action_facts(node_);
    if (has_way_back(action_.verb))
      plan_.ordered_before = plan_.ordered_after = {{std::string(kClosedWord), reason_}};
    if (Status made = make(); !made) return made.error();
    name_steps(node_.name, can_.dialect, plan_.steps, plan_.blast_radius.size());
    return std::move(plan_);
  }
  const std::vector<Notice>& notices() const { return notices_; }

 private:
  std::string_view verb() const { return called(action_.verb, cluster_.scheduler); }
  Error refused(std::string why, std::string hint) const {
    return cannot(verb(), node_.name, std::move(why), std::move(hint));
  }
  void say(Severity severity, const char* rule, std::string text) {
    notices_.push_back({severity, rule, node_.name, std::move(text)});
  }
  Step& add(Action action) {
    Step step = step_for(std::move(action), node_.name, can_.dialect, cluster_.scheduler, seconds(30));
    if (!options_.break_lock) step.before = {NoForeignMark{}};
    return plan_.steps.emplace_back(std::move(step));
  }

  Status make() {
    switch (action_.verb) {
      case NodeVerb::close: return close();
      case NodeVerb::open: return open();
      case NodeVerb::restart_plugin: return restart_plugin();
      case NodeVerb::reboot: return reboot();
      case NodeVerb::cancel_reboot: return cancel_reboot();
      case NodeVerb::reset_gpu: return reset_gpu();
    }
    return Done{};
  }

  Status restart_plugin() {
    if (auto why = why_no_plugin_restart(node_, cluster_.scheduler, can_.dialect))
      return refused(std::move(why->reason), std::move(why->hint));
    plan_.steps = plugin_restart_steps(node_.name, can_, cluster_.scheduler, options_.break_lock);
    say(Severity::info, "plugin-restart",
        "pods there keep their GPUs and go on. Until the new pod is ready, usually within 15 s, the node "
        "advertises no GPU: new pods wait");
    return Done{};
  }

  Status reboot() {
    if (auto why = why_no_reason(action_.reason)) return refused(*why, "say why behind the node");
    if (auto untold = work_untold(cluster_))
      return refused("who runs there is not fully known: " + *untold,
                     "fix that first: the reboot waits for every job");
    if (auto why = why_no_reboot(cluster_, node_, asked_, can_))
      return refused(std::move(why->reason), std::move(why->hint));
    if (node_.booted && action_.booted && *node_.booted > later_boot(*action_.booted)) {
      say(Severity::info, "rebooted", "it has booted since that was asked for: " + utc_text(*node_.booted));
      return Done{};
    }
    if (!action_.booted) return refused("when it had booted is not known", "plan again");
    plan_.scope = Scope{};
    if (catalogue_) plan_.blast_radius = blast_radius(cluster_, node_, {}, *plan_.scope, *catalogue_, now_);
    plan_.steps = reboot_steps(node_, action_, can_, options_.break_lock);
    say(Severity::warning, "reboot",
        reason_.empty()
            ? "no new job starts there from now on, and no job is ended: Slurm reboots it once the "
              "last one has left. Until then the run can go back"
            : "it is empty, so that Slurm reboots it at once, and a boot cannot be undone");
    if (!reason_.empty()) say(Severity::info, kStaysClosed, "it stays closed afterwards, by " + whose(node_));
    if (std::string lost = lost_at_boot(node_, can_); !lost.empty())
      say(Severity::warning, "lost-at-boot", std::move(lost));
    return Done{};
  }
  Status reset_gpu() {
    if (auto untold = work_untold(cluster_))
      return refused("who runs there is not fully known: " + *untold,
                     "fix that first: the reset waits for whoever has the GPU");
    if (!reboot_of(node_).empty())
      return refused("a reboot of it is noted, which resets its GPUs, too: " + node_.reason, "wait for it");
    if (auto why = why_no_reset(cluster_, node_, action_.gpus, can_))
      return refused(std::move(why->reason), std::move(why->hint));
    plan_.scope = scope_of_reset(action_.gpus, can_);
    plan_.needs.drain = plan_.needs.reset = true;
    if (catalogue_) plan_.blast_radius = blast_radius(cluster_, node_, {}, *plan_.scope, *catalogue_, now_);
    plan_.steps = reset_steps(node_, action_, intent_, can_, plan_.blast_radius);
    for (Notice& one : notices_of_reset(node_, action_.gpus, can_)) notices_.push_back(std::move(one));
    if (!reason_.empty()) say(Severity::info, kStaysClosed, "it stays closed afterwards, by " + whose(node_));
    return Done{};
  }
  Status cancel_reboot() {
    if (auto why = why_no_cancelling(node_, action_.of_runs))
      return refused(std::move(why->reason), std::move(why->hint));
    plan_.ordered_before = {{std::string(reboots::kWord), std::string(reboot_of(node_))}};
    plan_.ordered_after = {{std::string(reboots::kWord), ""}};
    if (!reboot_of(node_).empty()) plan_.steps = cancel_steps(node_, can_);
    return Done{};
  }

  Status close() {
    if (!reboot_of(node_).empty())
      return refused("a reboot of it is noted, which opens it again: " + node_.reason,
                     "close it once it has booted, or cancel the reboot first");
    if (auto why = why_no_reason(action_.reason)) return refused(*why, "say why behind the node");
    if (!reason_.empty()) {
      if (auto run = parse_mark(reason_))
        return refused(fmt::format("run {} of {} has closed it and opens it at its end", run->run, run->who),
                       "wait for its end, or pause it: tessera journal " + run->run);
      say(Severity::info, kClosedAlready, "closed already by " + whose(node_));
      return Done{};
    }
    Step& step = add(keep_closed(action_.reason));
    step.before.push_back(WordIs{std::string(kClosedWord), "", false});
    step.after = {WordIs{std::string(kClosedForWord), action_.reason}};
    step.undo = "open the node, if the reason is still the same";
    plan_.ordered_after = {{std::string(kClosedWord), action_.reason}};
    return Done{};
  }

  Status open() {
    if (Status can = may_open(); !can) return can;
    const std::string down = down_reason(node_);
    const std::string why = reason_.empty() ? down : reason_;
    if (why.empty()) return Done{};
    // Opened by another it closes the node again, as long as its machine or its pod is cordoned.
    if (cluster_.scheduler == Scheduler::slurm && why.starts_with(slinky::kOwnReason))
      return refused("slurm-operator has drained it, and opens it again by itself: " + why,
                     "kubectl uncordon its machine, or take the annotation "
                     "nodeset.slinky.slurm.net/pod-cordon off its pod");
    if (Status ours = check_whose(); !ours) return ours;
    Step& step = add(reopen(why));
    step.before.push_back(WordIs{std::string(kClosedWord), reason_, false});
    if (!down.empty()) step.before.push_back(WordIs{std::string(kDownWord), down, false});
    step.after = {WordIs{std::string(kClosedWord), ""}};
    if (!down.empty()) step.after.push_back(WordIs{std::string(kDownWord), ""});
    // A node that Slurm resumes takes no job until it has answered slurmctld's ping.
    if (can_.dialect == Dialect::slurm) step.after.push_back(Answering{});
    step.undo = "close the node for the same reason";
    plan_.ordered_before = {{std::string(kClosedWord), why}};
    plan_.ordered_after = {{std::string(kClosedWord), ""}};
    return Done{};
  }

  // Whether it is in a state from which opening leads anywhere.
  Status may_open() const {
    if (!reboot_of(node_).empty())
      return refused("a reboot of it is noted: " + node_.reason,
                     "it opens once it has booted; the run that asked for it can go back until then");
    const std::string why = node_.reason.empty() ? "no reason given" : node_.reason;
    if (node_.health == Health::unknown)
      return refused("its state is not known", "plan again once its scheduler reports it");
    if (node_.health == Health::invalid)
      return refused(fmt::format("it registered with less than is configured: {}", why),
                     "mend its GPUs or its configuration first");
    const bool slurm = cluster_.scheduler == Scheduler::slurm;
    if (node_.health == Health::down && (!slurm || down_reason(node_).empty()))
      return refused(fmt::format("it is down: {}", why), "open it once that is mended and it answers");
    // It is to be switched off once its jobs have ended.
    if (node_.health != Health::ok && node_.health != Health::down && !closed_by_flags(node_))
      return refused(
          fmt::format("no drain keeps new jobs away from it: its state is {}", fmt::join(node_.state, "+")),
          "it takes new jobs again once that state is over");
    return Done{};
  }
  Status check_whose() {
    const std::string why = why_anothers(node_, action_.of_runs);
    if (why.empty()) return Done{};
    if (!action_.over_others) return refused(why, "over-others behind the nodes opens it knowingly");
    say(Severity::danger, kAnothersClosing, why + ": this plan opens it all the same");
    return Done{};
  }

  const Cluster& cluster_;
  const Node& node_;
  const NodeAction& action_;
  const Intent& intent_;
  const ChangeOptions& options_;
  const Means& can_;
  const mig::Catalogue* catalogue_;
  const bool asked_;  // the wish is an earlier one: it notes from which boot on
  const TimePoint now_;
  const std::string reason_;  // why it is closed now; empty: it is open
  NodePlan plan_;
  std::vector<Notice> notices_;
};

Status check_nodes(const Cluster& cluster, const Intent& intent) {
  const auto refused = [](const NodeName& node, std::string why, std::string hint) {
    return cannot("plan for", node, std::move(why), std::move(hint));
  };
  if (!intent.boards.empty()) return refused({}, "it requests a layout, too", "plan the layout by itself");
  if (intent.nodes.empty()) return refused({}, "it names no node", "tessera nodes lists them");
  std::set<NodeName> seen;
  for (const NodeName& name : intent.nodes) {
    if (!cluster.nodes.find(name))
      return refused(name, fmt::format("{} lists no such node", cluster.name.text),
                     "tessera nodes lists them");
    if (!seen.insert(name).second) return refused(name, "it is named twice", "name each node once");
    if (!action_of(intent_of(intent, name).orders))
      return refused(name, "this version of tessera does not know what is requested for it",
                     "update tessera: the file comes from a newer one");
  }
  return Done{};
}

// Since which boot they are up: what they are to reboot from, however often the wish is planned again.
void note_boots(Intent& intent, const Cluster& cluster) {
  if (verb_of(intent) != NodeVerb::reboot) return;
  for (const NodeName& name : intent.nodes) {
    auto action = action_of(intent_of(intent, name).orders);
    const Node* node = cluster.nodes.find(name);
    if (!action || action->booted || !node || !node->booted) continue;
    action->booted = node->booted;
    intent.node_orders[name.text] = orders_of(*action);
  }
}

Plan bare_plan(Intent intent, Scheduler scheduler, const Means& can, TimePoint now) {
  Plan plan;
  plan.intent = std::move(intent);
  plan.scheduler = scheduler;
  plan.capabilities = can, plan.setup = can;
  plan.made = now;
  return plan;
}

}  // namespace

bool may_reopen(const Node& node) { return closed_by_flags(node) || !down_reason(node).empty(); }

std::string why_anothers(const Node& node, const std::set<std::string>& runs) {
  // Whoever closed it: that Slurm found it down is for an admin to judge.
  if (const std::string down = down_reason(node); !down.empty())
    return closed_by_flags(node) ? fmt::format("it is DOWN, too, and closed by {}", whose(node))
                                 : fmt::format("Slurm has it DOWN: {}", down);
  const auto kept = parse_closing(closed_reason(node));
  if (kept && runs.contains(kept->by.run)) return "";
  return "closed by " + whose(node);
}

std::vector<std::string> action_facts(const Node& node) {
  const std::string reason = closed_reason(node);
  std::vector<std::string> facts{reason.empty() ? "takes new workloads" : "closed: " + reason};
  if (const std::string down = down_reason(node); !down.empty())
    facts.push_back("set DOWN: " + down);
  else if (node.health == Health::down)
    facts.push_back("does not answer");
  if (const std::string_view noted = reboot_of(node); !noted.empty())
    facts.push_back(fmt::format("a reboot is {}", noted));
  return facts;
}

bool leads_back(const Plan& plan, const NodePlan& node) {
  const auto action = action_of(intent_of(plan.intent, node.node).orders);
  return action && (has_way_back(action->verb) || action->verb == NodeVerb::reboot);
}

Intent action_back(const Plan& plan, const NodePlan& node, const std::string& run) {
  Intent intent;
  intent.cluster = plan.intent.cluster;
  intent.nodes = {node.node};
  intent.words = "undo " + run;
  intent.options = way_back(plan.intent.options);
  if (!leads_back(plan, node)) {
    intent.node_orders[node.node.text] = intent_of(plan.intent, node.node).orders;
    return intent;
  }
  NodeAction back;
  if (verb_of(plan.intent) == NodeVerb::reboot) {
    back.verb = NodeVerb::cancel_reboot;
    back.of_runs = {run};
    intent.node_orders[node.node.text] = orders_of(back);
    return intent;
  }
  const auto was = node.ordered_before.find(std::string(kClosedWord));
  const std::string reason = was == node.ordered_before.end() ? "" : was->second;
  back.verb = reason.empty() ? NodeVerb::open : NodeVerb::close;
  if (back.verb == NodeVerb::open) {
    back.of_runs = {run};
  } else {
    back.reason = repeated_reason(reason);
  }
  intent.node_orders[node.node.text] = orders_of(back);
  return intent;
}

Plan plan_nothing_back(const Node& node, Intent intent, Scheduler scheduler, const Means& can, TimePoint now,
                       const std::set<std::string>& begun) {
  Plan plan = bare_plan(std::move(intent), scheduler, can, now);
  NodePlan nothing;
  nothing.node = node.name;
  nothing.only_given_back = true;
  if (const auto verb = verb_of(plan.intent); verb == NodeVerb::restart_plugin)
    nothing.steps = unmark_steps(node.name, can, scheduler);
  else if (verb == NodeVerb::reset_gpu)
    nothing.steps = steps_after_reset(node, plan.intent, can, begun);
  nothing.relied_on = action_facts(node);
  plan.nodes.push_back(std::move(nothing));
  identify(plan);
  return plan;
}

Result<Plan> plan_node_action(const Cluster& cluster, const Intent& wished, const Means& can, TimePoint now,
                              const mig::Catalogue* catalogue) {
  if (Status ok = check_nodes(cluster, wished); !ok) return ok.error();
  Plan plan = bare_plan(wished, cluster.scheduler, can, now);
  plan.cluster_id = cluster.id;
  note_boots(plan.intent, cluster);
  for (const NodeName& name : plan.intent.nodes) {
    const Node& node = *cluster.nodes.find(name);
    const bool asked = action_of(intent_of(wished, name).orders)->booted.has_value();
    const NodeAction action = *action_of(intent_of(plan.intent, name).orders);
    NodeActionPlanner planner(cluster, node, action, plan.intent, can, catalogue, asked, now);
    Result<NodePlan> one = planner.plan();
    if (!one) return one.error();
    plan.nodes.push_back(std::move(*one));
    plan.notices.insert(plan.notices.end(), planner.notices().begin(), planner.notices().end());
    for (Notice& old : closed_notices(cluster, node, now))
      if (is_about_age(old)) plan.notices.push_back(std::move(old));
  }
  identify(plan);
  return plan;
}

}  // namespace tessera::plan
