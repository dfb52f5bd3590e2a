#include "engine/plan/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/facts.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/plan_node_action.hpp"
#include "engine/plan/run/closing.hpp"
#include "engine/plan/run/one_first.hpp"
#include "engine/plan/run/since.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {
namespace {

Executor executor_for(const Run& run, const NodePlan& plan, const ChangeOptions& options, bool back) {
  Executor executor(plan, options, run.started.run, back);
  executor.driven_by(run.started.who, run.started.from);
  for (const Resumed& one : run.resumed) executor.driven_by(one.who, one.from);
  return executor;
}

}  // namespace

std::vector<const NodePlan*> plans_of(const Run& run, const NodeName& node) {
  std::vector<const NodePlan*> plans;
  for (const NodePlan& one : run.started.plan.nodes)
    if (one.node == node) plans.push_back(&one);
  if (auto now = run.plans.find(node); now != run.plans.end()) plans.push_back(&now->second);
  return plans;
}

void note_begun(Run& run, const NodeName& node, const RunEvent& event) {
  if (std::holds_alternative<StepFailed>(event)) run.broke.insert(node);
  if (const auto* step = std::get_if<StepBegun>(&event)) {
    run.begun[node].insert(name_of(step->action));
    run.unanswered.insert(node);
  }
  if (const auto* told = std::get_if<ActionReturned>(&event); told && told->error.empty())
    run.unanswered.erase(node);
}

Run run_of(const RunStarted& started) {
  Run run;
  run.started = started;
  for (const NodePlan& plan : started.plan.nodes) {
    run.plans.emplace(plan.node, plan);
    run.nodes.emplace(plan.node,
                      executor_for(run, plan, started.plan.intent.options, !started.undoes.empty()));
  }
  return run;
}

Status note(Run& run, const Entry& entry) {
  if (const auto* end = std::get_if<RunFinished>(&entry.what)) {
    run.finished = *end;
    return Done{};
  }
  if (std::holds_alternative<RunStarted>(entry.what)) return Done{};
  if (entry.node.empty()) {
    if (const auto* asked = std::get_if<Requested>(&entry.what)) {
      run.paused = asked->what != Demand::turn_back;
      run.paused_why = asked->why;
    }
    if (const auto* resumed = std::get_if<Resumed>(&entry.what)) {
      run.paused = false;
      run.finished.reset();
      std::erase_if(run.broke, [&](const NodeName& node) { return !run.nodes.at(node).finished(); });
      run.resumed.push_back(*resumed);
      for (auto& [name, executor] : run.nodes) executor.driven_by(resumed->who, resumed->from);
    }
    for (auto& [name, executor] : run.nodes)
      if (executor.touched() && !executor.finished()) executor.note(entry.what);
    return Done{};
  }
  auto node = run.nodes.find(entry.node);
  if (node == run.nodes.end())
    return Error{
        "cannot follow the journal",
        fmt::format("entry {} is about {}, which the run does not change", entry.seq, entry.node.text),
        "the file must stay as tessera wrote it"};
  if (const auto* replanned = std::get_if<Replanned>(&entry.what)) {
    if (replanned->plan.nodes.size() != 1 || replanned->plan.nodes[0].node != entry.node)
      return Error{"cannot follow the journal", fmt::format("entry {} plans another node", entry.seq), ""};
    run.plans.at(entry.node) = replanned->plan.nodes[0];
    run.replanned[entry.node] = replanned->back;
    node->second =
        executor_for(run, replanned->plan.nodes[0], replanned->plan.intent.options, replanned->back);
  }
  note_begun(run, entry.node, entry.what);
  node->second.note(entry.what);
  return Done{};
}

namespace {

// Spoken to the scheduler alone: nothing of it stays under way on the node.
bool is_local(const Action& action) {
  return std::holds_alternative<SetMark>(action) || std::holds_alternative<ClearMark>(action) ||
         std::holds_alternative<CloseNode>(action) || std::holds_alternative<OpenNode>(action) ||
         std::holds_alternative<Evict>(action) || std::holds_alternative<LookOnly>(action);
}

// Where a command may still run that an earlier process has begun. A success tells the end of what was begun
// with it and of nothing before: which act of which version has asked the node first stands in no journal.
std::set<NodeName> unanswered_in(const Journal& journal) {
  std::set<NodeName> open, earlier, acting;
  for (const Entry& entry : journal.entries) {
    if (const auto* step = std::get_if<StepBegun>(&entry.what)) {
      acting.erase(entry.node);
      if (is_local(step->action)) continue;
      acting.insert(entry.node);
      if (!open.insert(entry.node).second) earlier.insert(entry.node);
    }
    const auto* told = std::get_if<ActionReturned>(&entry.what);
    if (told && told->error.empty() && acting.contains(entry.node) && !earlier.contains(entry.node))
      open.erase(entry.node);
  }
  return open;
}

}  // namespace

Result<Run> replay(const Journal& journal) {
  const auto* started = journal.entries.empty() ? nullptr : std::get_if<RunStarted>(&journal.entries[0].what);
  if (!started) return Error{"cannot follow the journal", "it does not start with run-started", ""};
  Run run = run_of(*started);
  for (const Entry& entry : journal.entries)
    if (Status ok = note(run, entry); !ok) return ok.error();
  run.unanswered = unanswered_in(journal);
  return run;
}

void instruct(Journal& journal, const Means& can) {
  for (Entry& entry : journal.entries) {
    Plan* plan = nullptr;
    if (auto* started = std::get_if<RunStarted>(&entry.what)) plan = &started->plan;
    if (auto* replanned = std::get_if<Replanned>(&entry.what)) plan = &replanned->plan;
    if (!plan) continue;
    for (NodePlan& node : plan->nodes)
      for (Step& step : node.steps)
        if (std::holds_alternative<LookOnly>(step.action)) {
          step.commands = commands_for(step.action, node.node, can.dialect, plan->scheduler, nullptr);
          for (std::string& more : builder_for(can.dialect).to_do(step, node.node, can))
            step.commands.push_back(std::move(more));
        }
  }
}

NodeStage stage_of(const Run& run, const NodeName& node) {
  const Executor& executor = run.nodes.at(node);
  if (executor.finished()) {
    // An undo is a way back from the start: only one that was planned again as such has turned round.
    const auto again = run.replanned.find(node);
    const bool turned = again != run.replanned.end() && again->second;
    const bool went_back = run.started.undoes.empty() ? executor.back() : turned;
    return went_back ? NodeStage::failed : NodeStage::done;
  }
  if (executor.stopped())
    return executor.stopped()->until == Until::someone ? NodeStage::failed : NodeStage::waiting;
  return executor.touched() ? NodeStage::running : NodeStage::untouched;
}

std::vector<NodeName> nodes_to_begin(const Run& run) {
  const ChangeOptions& options = run.started.plan.intent.options;
  Summary now = summary(run);
  if (run.paused || run.finished || !now.failed.empty()) return {};
  // Of nodes that are closed together those that wait keep none open that a kill has left untouched.
  const bool together = changes_one_first(run.started.plan);
  if (!now.waiting.empty() && !together) return {};
  // The canaries alone, until every one of them is done.
  auto canaries = static_cast<std::size_t>(std::max(0, options.canary));
  bool alone = now.done.size() < canaries;
  std::size_t most =
      alone ? canaries - now.done.size() : static_cast<std::size_t>(std::max(1, options.batch));
  most -= std::min(most, now.waiting.size());
  std::vector<NodeName> begin;
  // A batch is begun when the one before it is through.
  if (!now.running.empty()) return begin;
  for (const NodeName& node : now.untouched)
    if (begin.size() < most) begin.push_back(node);
  return begin;
}

Summary summary(const Run& run) {
  Summary all;
  for (const NodePlan& plan : run.started.plan.nodes) {
    switch (stage_of(run, plan.node)) {
      case NodeStage::done: all.done.push_back(plan.node); break;
      case NodeStage::failed: {
        const Executor& executor = run.nodes.at(plan.node);
        all.failed.push_back(plan.node);
        if (executor.stopped() && !executor.finished() && !executor.step_failed())
          all.parked.push_back(plan.node);
        if (executor.finished() && !run.broke.contains(plan.node)) all.back.push_back(plan.node);
        break;
      }
      case NodeStage::waiting: all.waiting.push_back(plan.node); break;
      case NodeStage::running: all.running.push_back(plan.node); break;
      case NodeStage::untouched: all.untouched.push_back(plan.node); break;
    }
  }
  return all;
}

namespace {

// ", 2 failed (n1, n2)"; the first five by name.
std::string named(const std::vector<NodeName>& nodes, const char* word) {
  if (nodes.empty()) return "";
  std::string text = fmt::format(", {} {} (", nodes.size(), word);
  for (std::size_t i = 0; i < nodes.size() && i < 5; ++i) text += (i > 0 ? ", " : "") + nodes[i].text;
  return text + (nodes.size() > 5 ? ", …)" : ")");
}

}  // namespace

std::string to_text(const Summary& summary) {
  const std::size_t all = summary.done.size() + summary.running.size() + summary.waiting.size() +
                          summary.failed.size() + summary.untouched.size();
  std::string text = all == 1 ? fmt::format("{} of 1 node done", summary.done.size())
                              : fmt::format("{} of {} nodes done", summary.done.size(), all);
  if (!summary.running.empty()) text += fmt::format(", {} under way", summary.running.size());
  if (!summary.waiting.empty()) text += fmt::format(", {} waiting", summary.waiting.size());
  if (all > 0 && summary.back.size() == all)
    return all == 1 ? fmt::format("{} has gone back, as asked", summary.back.front().text)
                    : fmt::format("all {} nodes have gone back, as asked", all);
  auto among = [](const std::vector<NodeName>& nodes, const NodeName& node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  std::vector<NodeName> failed = summary.failed;
  std::erase_if(
      failed, [&](const NodeName& node) { return among(summary.parked, node) || among(summary.back, node); });
  text += named(summary.parked, "parked") + named(summary.back, "gone back") + named(failed, "failed");
  if (!summary.untouched.empty()) text += fmt::format(", {} untouched", summary.untouched.size());
  return text;
}

std::set<Ask> open_questions(const Run& run) {
  std::set<Ask> open;
  for (const auto& [name, executor] : run.nodes)
    if (executor.asked() && !executor.finished()) open.insert(*executor.asked());
  return open;
}

std::string_view flag_to_go_on(Ask what) { return what == Ask::closed_by_other ? "--go-on" : "--break-lock"; }

std::string resume_command(const Run& run) {
  std::string flags;
  for (Ask what : open_questions(run)) flags += fmt::format(" {}", flag_to_go_on(what));
  return fmt::format("tessera resume {}{} --write", run.started.run, flags);
}

std::optional<TimePoint> due_at(const Run& run) {
  std::optional<TimePoint> due;
  for (const auto& [name, executor] : run.nodes) {
    if (!executor.stopped() || executor.stopped()->until != Until::time) continue;
    const auto& steps = executor.plan().steps;
    if (executor.step() >= steps.size()) continue;
    const auto& time = steps[executor.step()].not_before;
    if (time && (!due || *time < *due)) due = time;
  }
  return due;
}

std::vector<NodeName> waits_for_empty(const Run& run) {
  std::vector<NodeName> nodes;
  for (const auto& [name, executor] : run.nodes)
    if (executor.stopped() && executor.stopped()->until == Until::empty) nodes.push_back(name);
  return nodes;
}

bool may_be_due(const Run& run, TimePoint now) {
  Summary stages = summary(run);
  // Where an admin has to decide about a node, no timer decides for them.
  if (run.finished || !stages.failed.empty() || !stages.running.empty()) return false;
  auto due = due_at(run);
  return (due && *due <= now) || !waits_for_empty(run).empty();
}

std::optional<RunFinished> end_of(const Run& run) {
  if (run.finished) return run.finished;
  Summary now = summary(run);
  if (!now.running.empty() || !now.waiting.empty() || !nodes_to_begin(run).empty()) return std::nullopt;
  if (run.paused && now.failed.empty() && !now.untouched.empty()) return std::nullopt;
  for (const NodeName& node : now.failed)  // parked: a person has to decide
    if (!run.nodes.at(node).finished()) return std::nullopt;
  bool undone = !run.started.undoes.empty();
  RunFinished end;
  end.text = to_text(now);
  bool none_wanted = now.done.empty();
  if (now.failed.empty() && now.untouched.empty())
    end.outcome = undone ? Outcome::recorded : Outcome::wanted;
  else
    end.outcome = none_wanted ? Outcome::recorded : Outcome::partial;
  return end;
}

namespace {

Intent intent_onward(const Plan& original, const NodePlan& planned, bool back, const std::string& run) {
  if (is_node_action(original.intent))
    return back ? action_back(original, planned, run) : intent_of(original.intent, planned.node);
  NodePlan target = planned;
  if (!back) {  // towards `after`, by the same words
    target.before = planned.after;
    target.ordered_before = planned.ordered_after;
    target.switches_before = planned.switches_after;
  }
  Intent intent = undo_intent(original, target, original.intent.words);
  if (!back) intent.options = original.intent.options;
  if (planned.before.empty() && !back) intent.boards = intent_of(original.intent, planned.node).boards;
  return intent;
}

// What the run has closed it opens again itself.
void forget_own_closing(Plan& onward, const Node& node, const std::string& run) {
  const auto mark = parse_mark(node.reason);
  if (mark && mark->run == run) std::erase_if(onward.notices, is_left_closed);
}

}  // namespace

Intent intent_now(const Run& run, const NodeName& node) {
  const Plan& original = run.started.plan;
  auto back = run.replanned.find(node);
  for (const NodePlan& planned : original.nodes)
    if (planned.node == node && back != run.replanned.end())
      return intent_of(intent_onward(original, planned, back->second, run.started.run), node);
  return intent_of(original.intent, node);
}

Result<Plan> plan_onward(const Run& run, const NodeName& node, const Cluster& cluster,
                         const mig::Catalogue& catalogue, const SiteRules& rules, bool back, TimePoint now,
                         const Means* can, const std::map<std::string, std::string>* words) {
  const Plan& original = run.started.plan;
  auto planned = std::find_if(original.nodes.begin(), original.nodes.end(),
                              [&](const NodePlan& one) { return one.node == node; });
  if (planned == original.nodes.end())
    return Error{"cannot plan on", fmt::format("the run does not change {}", node.text), ""};
  Intent intent = intent_onward(original, *planned, back, run.started.run);
  const Means planned_with = original.means();
  if (!can) can = &planned_with;
  const StepBuilder& builder = builder_for(can->dialect);
  const Node* known = cluster.nodes.find(node);
  if (!known)
    return Error{"cannot plan on", node.text + " is not listed by the cluster", "wait until it is back"};
  const Node& now_there = *known;
  if (is_node_action(original.intent)) {
    const bool nothing = back && (!run.begun.contains(node) || !leads_back(original, *planned));
    const auto begun = run.begun.find(node);
    Result<Plan> act =
        nothing ? plan_nothing_back(now_there, std::move(intent), original.scheduler, *can, now,
                                    begun == run.begun.end() ? std::set<std::string>{} : begun->second)
                : plan_node_action(cluster, intent, *can, now, &catalogue);
    if (act) forget_own_closing(*act, now_there, run.started.run);
    return act;
  }
  if (back && !has_changed_layout(run, node, builder))
    return plan_release(now_there, *planned, std::move(intent), original.scheduler, *can, now);
  if (planned->before.empty() && back)
    return Error{"cannot plan on",
                 "the earlier layout of " + node.text + " is not known, so there is no way back",
                 "carry the run on, or plan the layout that it is to have"};
  Result<Plan> onward = make_plan(cluster, catalogue, intent, *can, rules, now);
  if (!onward) return onward;
  // A plan that cannot be made has no steps, as one has that finds all as it is to be.
  if (!onward->no_steps.empty()) return Error{"cannot plan on", onward->no_steps, ""};
  forget_own_closing(*onward, now_there, run.started.run);
  auto begun = run.begun.find(node);
  const bool judged = words && begun != run.begun.end();
  // GPUs that stand right: what else is to be done is for tidy_up, by what is so now. On the way back what
  // the run has not come to is as a user likes it.
  NodePlan& found = onward->nodes[0];
  if (found.before == found.after && !found.needs.mode_change && (back || judged)) found.steps.clear();
  const bool stands = found.steps.empty();
  end_with_release(found, can->dialect, original.scheduler);
  if (!judged) return onward;
  const SiteRules own = with_site(rules, *can, &now_there, &intent);
  const NodeChange nothing{now_there,
                           original.scheduler,
                           intent,
                           *can,
                           {},
                           everything_on(now_there, *can),
                           {},
                           {},
                           found.offered_before,
                           found.offered_after,
                           &catalogue,
                           own.rename_shared.value_or(false),
                           own.refuse_several};
  if (Status ok = builder.tidy_up(found.steps, nothing, {*words, begun->second, back}); !ok)
    return ok.error();
  if (stands)
    if (auto work = builder.work(nothing)) found.ordered_after = std::move(work->ordered);
  name_steps(node, can->dialect, found.steps, found.blast_radius.size());
  return onward;
}

std::vector<std::string> unnamed_harm(const Run& run, const Plan& onward, bool back) {
  std::vector<std::string> harm;
  for (const NodePlan& node : onward.nodes) {
    if (back && !node.only_given_back)
      for (std::string& one : done_by_others(plans_of(run, node.node), node)) harm.push_back(std::move(one));
    for (const Disturbed& one : node.blast_radius) {
      bool named = false;
      for (const NodePlan& old : run.started.plan.nodes)
        if (old.node == node.node)
          for (const Disturbed& known : old.blast_radius)
            named = named || (known.id == one.id && known.slices == one.slices);
      if (named) continue;
      std::string what = one.id.empty() ? "an unknown client" : fmt::format("{} ({})", one.id.text, one.user);
      harm.push_back(fmt::format("{} on {}", what, one.slices.empty() ? node.node.text : one.slices.front()));
    }
  }
  return harm;
}

}  // namespace tessera::plan
