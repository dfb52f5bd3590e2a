// What `tessera fleet run` does: parked runs are carried on, then each pool that drifts gets a run of its
// own.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/digest.hpp"
#include "engine/fleet/begun.hpp"
#include "engine/fleet/carried_on.hpp"
#include "engine/fleet/moment_text.hpp"
#include "engine/fleet/passed_over.hpp"
#include "engine/fleet/rests.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/hostlist.hpp"
#include "engine/plan/run/closing.hpp"
#include "engine/plan/run/one_first.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/begin.hpp"
#include "tui/cli/change/change.hpp"
#include "tui/cli/change/runs_at_rest.hpp"
#include "tui/cli/fleet/fleet_command.hpp"

namespace tessera::cli {
namespace {

using fleet::Standing;

// A run begins no node while one of it waits for work to end: those that wait for none go before.
void free_first(plan::Intent& intent, const fleet::Survey& survey) {
  std::set<NodeName> held;
  for (const fleet::NodeSurvey& node : survey.nodes)
    for (const fleet::BoardSurvey& board : node.boards)
      if (board.held > 0) held.insert(node.node->name);
  std::stable_partition(intent.nodes.begin(), intent.nodes.end(),
                        [&](const NodeName& node) { return !held.contains(node); });
}

// By the clock of this call; never longer, whatever that clock does meanwhile.
void let_marks_settle(OpenClusters& clusters) {
  constexpr Duration kSettled = std::chrono::seconds(1);
  const TimePoint begun = clusters.wall();
  const Duration left = kSettled - (clusters.wall() - begun);
  if (left > Duration{0}) clusters.sleep(std::min(left, kSettled));
}

}  // namespace

std::optional<int> FleetCommand::before_run() {
  if (options_.dry_run) return std::nullopt;
  lock_.emplace(path_, place().state, [this] { let_marks_settle(clusters_); });
  if (auto why = lock_->why_not()) {
    note(to_line(*why));
    return refuse(streams_, *why, kFinding);
  }
  if (const std::string text = paused_text(); !text.empty())
    return refuse(streams_, {"nothing is begun", text, ""}, kFinding);
  Options due = options_;
  due.command = "resume";
  due.due = true;
  due.words.clear();
  worst_ = run_resume_due(
      due, catalogue_, joins_, streams_,
      [this](const LeftRun& left) {
        auto why = why_not_carried_on(left);
        // It is asked about runs, too, of which nothing is told.
        const bool told = left.head.state == RunState::parked || is_for_a_window(left.head);
        if (why && told) judged_[left.head.run] = {Due::left, why, why->finding};
        if (why && told && !why_no_more()) note_left(left, *why);
        return why;
      },
      [this](const RunHead& head) { return is_for_a_window(head); }, journals_,
      [this] { return why_rest(); });
  if (worst_ > 128 || worst_ == kUsage) return worst_;
  return std::nullopt;
}

int FleetCommand::run_dry() {
  (void)calendar();
  if (options_.output == OutputFormat::table) return run_due();
  const int code = run_due();
  due_json_.add("runs", std::move(run_list_));
  due_json_.add("due", std::move(due_list_));
  due_json_.add("early", std::move(early_list_));
  due_json_.add("skipped", std::move(skipped_list_));
  show_document(due_json_);
  return code;
}

int FleetCommand::run_due() {
  if (auto refusal = list_known_runs()) return refuse(streams_, *refusal);
  if (options_.dry_run) tell_parked();
  find_left_runs();
  tell_left_runs();
  if (auto refusal = make_surveys()) return refuse(streams_, *refusal);
  // The calendar of --dry-run names windows that never hold already; its JSON does not.
  const bool windows_told = options_.dry_run && options_.output == OutputFormat::table;
  streams_.err << told_notes(windows_told);
  worst_ = worse(worst_, code(true));
  if (!page_.runs_untold.empty()) {
    streams_.err << told(streams_, "not every run is known: " + page_.runs_untold) << "\n";
    worst_ = worse(worst_, kUnknown);
  }
  // By their names: every run that is begun takes events in, and what the surveys point to goes.
  std::vector<std::pair<ClusterName, std::string>> due;
  for (const fleet::Survey& survey : page_.surveys)
    for (const fleet::NodeSurvey& node : survey.nodes) {
      if (node.standing != Standing::drifts) continue;
      std::pair one(survey.cluster->name, node.pool->name);
      if (std::find(due.begin(), due.end(), one) == due.end()) due.push_back(std::move(one));
    }
  for (const auto& one : due)
    if (!in_turns([&] { return run_pool(one.first, one.second); })) return worst_;
  for (const fleet::Pool& pool : fleet_.pools) {
    if (!pool.budget.lead) continue;
    for (const ClusterName& cluster : read_) {
      if (!pool.cluster.empty() && pool.cluster != cluster) continue;
      if (!in_turns([&] { return run_early(cluster, pool.name); })) return worst_;
    }
  }
  return worst_;
}

bool FleetCommand::in_turns(const std::function<int()>& turn) {
  do {
    more_ = false;
    if (const auto why = options_.dry_run ? std::nullopt : why_no_more()) {
      worst_ = worse(worst_, refuse(streams_, {"nothing more is begun", *why, ""}, kFinding));
      return false;
    }
    if (auto refusal = list_known_runs()) {
      worst_ = worse(worst_, refuse(streams_, *refusal));
      return false;
    }
    read_parked_runs();
    const int code = turn();
    worst_ = worse(worst_, code);
    if (code > 128) return false;
  } while (more_);
  return true;
}

std::optional<std::string> FleetCommand::why_no_more() const {
  if (lock_) {
    lock_->renew();
    if (const auto why = lock_->why_not()) return why->reason;
  }
  if (std::string paused = paused_text(); !paused.empty()) return paused;
  if (verb_ != "run" || options_.dry_run) return std::nullopt;
  // By what it says, not by its time: one that was only touched, or written again, is the same.
  const auto text = fleet_text(path_);
  if (!text) return to_line(text.error());
  if (digest(*text) == stamp_) return std::nullopt;
  return "the fleet file has changed since this call has read it; the next call goes by it";
}

std::string FleetCommand::why_rest() const {
  if (lock_) lock_->renew();
  const std::string since = paused_since(path_);
  return since.empty() ? "" : fleet::resting_words(since);
}

void FleetCommand::read_parked_runs() {
  open_.clear();
  waiting_.clear();
  failed_ = {};
  std::vector<RunHead> parked;
  for (const RunHead& head : page_.runs)
    if (is_of_this_file(head)) parked.push_back(head);
  // What failed in a run that was killed holds others as that in a parked one does.
  const auto for_a_window = [this](const RunHead& head) { return is_for_a_window(head); };
  for (const RunAtRest& one : runs_at_rest(clusters_, options_, parked, for_a_window, failed_, journals_)) {
    if (!one.known || one.killed) continue;  // then all of its nodes are left out
    const plan::Run& run = *one.run();
    open_[one.head.run] = fleet::open_run(run);
    if (one.head.unarmed.empty() && (plan::waits_as_planned(run) || fleet::rests_by_pause(run)))
      waiting_.insert(one.head.run);
  }
}

int FleetCommand::code_of_busy(const fleet::Survey& survey, const fleet::Pool& pool,
                               const std::set<NodeName>& busy, const std::set<NodeName>& without) const {
  const bool any = std::any_of(survey.nodes.begin(), survey.nodes.end(), [&](const fleet::NodeSurvey& one) {
    const NodeName& name = one.node->name;
    return one.pool == &pool && one.standing == Standing::drifts && busy.contains(name) &&
           !without.contains(name) && !waits_.contains(name);
  });
  return any ? kFinding : kDone;
}

std::set<NodeName> FleetCommand::busy_nodes(const ClusterName& cluster, const fleet::Pool& pool) {
  std::set<NodeName> busy;
  left_parked_.clear();
  waits_.clear();
  for (const RunHead& head : page_.runs) {
    if (head.cluster != cluster || head.state == RunState::finished) continue;
    const auto open = open_.find(head.run);
    const bool goes_on = pool.on_failure == fleet::OnFailure::go_on && open != open_.end();
    for (const NodeName& node : head.nodes)
      if (!goes_on || !open->second.done.contains(node)) busy.insert(node);
    if (waiting_.contains(head.run))
      waits_.insert(head.nodes.begin(), head.nodes.end());
    else if ((head.state == RunState::parked || head.state == RunState::interrupted) && is_of_this_file(head))
      left_parked_.insert(head.nodes.begin(), head.nodes.end());
    if (!told_busy_.insert(head.run).second) continue;
    const std::string progress =
        head.progress.empty() ? "" : ": " + told(streams_, clean(head.progress, 300));
    streams_.err << told(streams_, fmt::format("the nodes of run {} are left out: it has not ended",
                                               clean(head.run, 100)))
                 << progress << "\n";
  }
  return busy;
}

void FleetCommand::tell(const std::string& english) const { streams_.err << told(streams_, english) << "\n"; }

int FleetCommand::skip(const std::string& pool, const std::string& why, int code) {
  tell(fmt::format("pool {} is skipped: {}", pool, told(streams_, why)));
  note(fmt::format("pool {} is skipped: {}", pool, why));
  Json one = Json::map();
  one.add("pool", Json::of(pool));
  one.add("why", Json::of(why));
  skipped_list_.items.push_back(std::move(one));
  return code;
}

plan::ChangeOptions FleetCommand::patience_of(const fleet::Pool& pool) const {
  plan::ChangeOptions patience = fleet::evicts(pool, options_.change);
  if (!pool.budget.nodes_at_once) return patience;
  if (pool.on_failure == fleet::OnFailure::go_on) {  // all of a run are begun together: none is left behind
    patience.batch = *pool.budget.nodes_at_once;
    patience.canary = 0;
    return patience;
  }
  patience.batch = std::min(patience.batch, *pool.budget.nodes_at_once);
  patience.canary = std::min(patience.canary, *pool.budget.nodes_at_once);
  return patience;
}

void FleetCommand::leave_closed(const fleet::Survey& survey, const fleet::Pool& pool,
                                const std::set<NodeName>& busy, std::set<NodeName>& without) {
  std::set<NodeName> but = without;
  but.insert(busy.begin(), busy.end());
  const auto closed = fleet::closed_by_others(survey, pool, but);
  if (closed.empty()) return;
  for (const auto& one : closed) without.insert(one.first);
  worst_ = worse(worst_, kFinding);
  const std::string why = fleet::closed_text(closed);
  if (!told_busy_.insert(pool.name + ": " + why).second) return;
  tell(fmt::format("pool {}: {}", pool.name, told(streams_, why)));
  note(fmt::format("pool {}: {}", pool.name, why));
  Json one = Json::map();
  one.add("pool", Json::of(pool.name));
  one.add("why", Json::of(why));
  skipped_list_.items.push_back(std::move(one));
}

void FleetCommand::tell_late(const fleet::Pool& pool, const plan::Plan& plan, const Cluster& cluster,
                             TimePoint from) {
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  if (const auto why = fleet::not_empty_in_time(pool, plan, cluster, {fleet_, zone_, now}, from))
    tell(fmt::format("pool {}: {}", pool.name, told(streams_, *why)));
}

const Cluster* FleetCommand::answering(const ClusterName& name) {
  page_.surveys.clear();
  now_.clear();
  const Cluster* here = clusters_.model().find(name);
  const bool answers = here && std::none_of(here->sources.begin(), here->sources.end(), [](const auto& each) {
                         return (tells_nodes(each.first) || tells_work(each.first)) && each.second.failure;
                       });
  return answers ? here : nullptr;
}

int FleetCommand::run_pool(const ClusterName& name, const std::string& pool_name) {
  const Cluster* here = answering(name);
  if (!here) return skip(pool_name, name.text + " does not answer now", kUnknown);
  const Cluster& cluster = *here;
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  const fleet::Fleet& wanted = fleet_now(cluster);
  const auto by_name = [&](const fleet::Pool& one) { return one.name == pool_name; };
  const fleet::Pool& pool = *std::find_if(wanted.pools.begin(), wanted.pools.end(), by_name);
  const fleet::Phase phase = fleet::phase_at(fleet_, pool, zone_, now);
  if (const auto last = fleet::begins_no_more(pool, {fleet_, zone_, now}))
    return skip(pool_name,
                fmt::format("a change may begin until {} only", fleet::moment_text(fleet_, zone_, *last)));
  auto survey = fleet::survey(wanted, cluster, place_of(cluster), only_);
  if (!survey) return skip(pool_name, to_line(survey.error()), kUnknown);
  std::set<NodeName> without = early_nodes(name, now);
  without.insert(tried_[name].begin(), tried_[name].end());
  // It is as wanted by now, or as a window that opens soon wants it.
  const std::string called = pool.windows.empty() ? words() : words_from(phase.begin);
  if (!fleet::intent_of(*survey, called, patience_of(pool), &pool, without)) return kDone;
  return begin_pool(cluster, pool, *survey, called, std::move(without));
}

std::optional<int> FleetCommand::take_room(const fleet::Pool& pool, const fleet::Survey& survey,
                                           const std::set<NodeName>& busy, int held_up, std::size_t& room) {
  const fleet::Taken taken = fleet::taken_by_runs(survey, pool, page_.runs, busy, open_);
  const auto most = static_cast<std::size_t>(*pool.budget.nodes_at_once);
  room = most - std::min(most, taken.nodes);
  if (room > 0) return std::nullopt;
  // Of a pool that goes on it is a finding, whatever they wait for.
  const bool goes_on = pool.on_failure == fleet::OnFailure::go_on;
  return skip(pool.name,
              fmt::format("runs that have not ended may have {} of its nodes under way (of {}), and "
                          "max_nodes_at_once is {}",
                          taken.nodes, fold_for_reading(taken.names), most),
              goes_on ? kFinding : held_up);
}

std::optional<int> FleetCommand::take_turn(const ClusterName& cluster, const fleet::Pool& pool,
                                           const fleet::Survey& survey, plan::Intent& intent,
                                           const std::set<NodeName>& busy, int held_up) {
  if (!pool.budget.nodes_at_once) return std::nullopt;
  std::size_t room = 0;
  if (auto code = take_room(pool, survey, busy, held_up, room)) return code;
  if (pool.on_failure == fleet::OnFailure::stop) {
    intent.options.batch = std::min(intent.options.batch, static_cast<int>(room));
    intent.options.canary = std::min(intent.options.canary, static_cast<int>(room));
    return std::nullopt;
  }
  std::set<NodeName> later;
  for (std::size_t i = room; i < intent.nodes.size(); ++i) later.insert(intent.nodes[i]);
  if (!later.empty()) {
    more_ = true;
    for (const fleet::NodeSurvey& node : survey.nodes)
      if (std::find(intent.nodes.begin(), intent.nodes.end(), node.node->name) == intent.nodes.end())
        later.insert(node.node->name);
    intent = *fleet::intent_of(survey, intent.words, intent.options, &pool, later);
    free_first(intent, survey);
  }
  tried_[cluster].insert(intent.nodes.begin(), intent.nodes.end());
  return std::nullopt;
}

int FleetCommand::begin_pool(const Cluster& cluster, const fleet::Pool& pool, const fleet::Survey& survey,
                             const std::string& called, std::set<NodeName> without, bool closes) {
  const std::set<NodeName> busy = busy_nodes(cluster.name, pool);
  const int held_up = code_of_busy(survey, pool, busy, without);
  // What a run of this file has left parked for a person is a finding for as long as it is.
  for (const fleet::NodeSurvey& node : survey.nodes)
    if (node.pool == &pool && node.standing == Standing::drifts && busy.contains(node.node->name) &&
        left_parked_.contains(node.node->name) && !without.contains(node.node->name))
      worst_ = worse(worst_, kFinding);
  leave_closed(survey, pool, busy, without);
  without.insert(busy.begin(), busy.end());
  auto intent = fleet::intent_of(survey, called, patience_of(pool), &pool, without);
  if (!intent) return held_up;
  if (auto why = fleet::why_others_wait(fleet_, catalogue_, failed_, cluster, called, intent->nodes, ""))
    return skip(pool.name, *why);
  free_first(*intent, survey);
  bool one_first = false;
  if (closes && pool.on_failure == fleet::OnFailure::stop) {
    // A node that waits would keep the others of its run open until their work ends too late: which of them
    // is the canary shows once one is empty. Where one fails, those that wait still are a person's.
    one_first = intent->options.canary > 0;
    intent->options.canary = 0;
    intent->options.batch = static_cast<int>(intent->nodes.size());
  }
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  Options options = options_;
  options.rules = fleet::rules_of(fleet_, cluster.name, options_.rules);
  options.due = true;  // a timer begins it: one that parks as planned is no finding
  const auto planned = [&] {
    return plan::make_plan(cluster, catalogue_, *intent, means_.at(cluster.name), options.rules, now);
  };
  if (pool.budget.disturbed && pool.evict != plan::Way::wait)
    if (const auto all = planned())
      if (auto why = fleet::over_max_disturbed(pool, *all, cluster, {fleet_, zone_, now}))
        return skip(pool.name, *why);
  if (auto code = take_turn(cluster.name, pool, survey, *intent, busy, held_up)) return *code;
  auto plan = planned();
  if (!plan) return skip(pool.name, to_line(plan.error()));
  fleet::keep_demands(*plan, survey);
  if (one_first) plan::change_one_first(*plan);
  const auto window = fleet::window_of(called);
  tell_late(pool, *plan, cluster, window ? std::max(window->from, now) : now);
  if (options_.dry_run)
    tell(pool.on_failure == fleet::OnFailure::go_on
             ? fmt::format("pool {}: where a node fails, its other nodes go on", pool.name)
             : fmt::format("pool {}: where a node fails, its run begins no other node", pool.name));
  if (as_document()) {
    Json one = Json::map();
    one.add("cluster", Json::of(cluster.name.text));
    one.add("pool", Json::of(pool.name));
    one.add("words", Json::of(called));
    Json& nodes = one.add("nodes", Json::list());
    for (const plan::NodePlan& node : plan->nodes) nodes.items.push_back(Json::of(node.node.text));
    one.add("on_failure", Json::of(std::string(fleet::word(pool.on_failure))));
    due_list_.items.push_back(std::move(one));
    return code_of(*plan);
  }
  return begin(clusters_, options, catalogue_, streams_,
               {std::move(*plan), false, false, [this] { return why_rest(); }});
}

}  // namespace tessera::cli
