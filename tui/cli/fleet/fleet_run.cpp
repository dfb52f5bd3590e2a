// What `tessera fleet run` does: parked runs are carried on, then each pool that drifts gets a run of its
// own.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "engine/fleet/early.hpp"
#include "engine/hostlist.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/change/begin.hpp"
#include "tui/cli/change/change.hpp"
#include "tui/cli/change/runs_list.hpp"
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

// What cannot be told was changed.
bool changed_since(const std::string& path, TimePoint when) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return true;
  const auto changed =
      std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  return TimePoint(std::chrono::ceil<Duration>(changed)) > when;
}

std::size_t disturbed_by(const plan::Plan& plan) {
  std::set<std::string> all;
  std::size_t unknown = 0;
  for (const plan::NodePlan& node : plan.nodes)
    for (const plan::Disturbed& one : node.blast_radius)
      if (one.id.text.empty() || !all.insert(one.id.text).second) unknown += one.id.text.empty();
  return all.size() + unknown;
}

}  // namespace

std::optional<int> FleetCommand::before_run() {
  if (options_.dry_run) return std::nullopt;
  lock_.emplace(path_);
  if (auto why = lock_->why_not()) return refuse(streams_, *why, kFinding);
  if (const std::string text = paused_text(); !text.empty())
    return refuse(streams_, {"nothing is begun", text, ""}, kFinding);
  Options due = options_;
  due.command = "resume";
  due.due = true;
  due.words.clear();
  worst_ = run_resume_due(
      due, catalogue_, joins_, streams_,
      [this](const RunHead& head, const Cluster& cluster) { return why_not_carried_on(head, cluster); });
  if (worst_ > 128 || worst_ == kUsage) return worst_;
  return std::nullopt;
}

std::optional<std::string> FleetCommand::why_not_carried_on(const RunHead& head,
                                                            const Cluster& cluster) const {
  const std::optional<TimePoint> opening = opening_of(head);
  if ((head.words != words() && !opening) || !head.undoes.empty()) return std::nullopt;
  if (std::string paused = paused_text(); !paused.empty()) return paused;
  if (changed_since(path_, head.started))
    return fmt::format(
        "the fleet file was changed after it was begun; tessera resume {} carries it on, tessera resume {} "
        "--back opens its nodes",
        clean(head.run, 100), clean(head.run, 100));
  const TimePoint wall = joins_.wall(), clock = cluster_now(cluster, wall);
  const TimePoint begun = opening ? *opening : clock - (wall - head.started);  // by the cluster's clock
  const TimePoint now = opening ? std::max(clock, *opening) : clock;
  for (const NodeName& name : head.nodes) {
    const Node* node = cluster.nodes.find(name);
    if (!node) return "node " + clean(name.text, 100) + " is not listed now";
    const fleet::Pool* pool = fleet::pool_of(fleet_, cluster, *node, catalogue_);
    if (!pool) return "the fleet file has no pool for node " + clean(name.text, 100) + " now";
    if (pool->windows.empty() || pool->is_exception(name.text)) continue;
    const fleet::Phase phase = fleet::phase_at(fleet_, *pool, zone_, now);
    if (!fleet::same_rule(fleet::rule_at(fleet_, *pool, zone_, begun),
                          fleet::rule_at(fleet_, *pool, zone_, now)))
      return fmt::format(
          "the window of pool {} for which it was begun is over; tessera resume {} --back opens its nodes",
          pool->name, clean(head.run, 100));
    const auto last = fleet::last_begin(*pool, zone_, phase, now);
    if (last && now > *last)
      return fmt::format("a change of pool {} may begin until {} only", pool->name, utc_text(*last));
  }
  return std::nullopt;
}

int FleetCommand::run_due() {
  if (auto refusal = list_known_runs()) return refuse(streams_, *refusal);
  if (auto refusal = make_surveys()) return refuse(streams_, *refusal);
  if (options_.dry_run) (void)calendar();
  streams_.err << told_notes();
  worst_ = worse(worst_, code(true));
  if (!page_.runs_untold.empty()) {
    streams_.err << told(streams_, "not every journal could be read: " + page_.runs_untold) << "\n";
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
    const std::string paused = options_.dry_run ? "" : paused_text();
    if (!paused.empty()) {
      worst_ = worse(worst_, refuse(streams_, {"nothing more is begun", paused, ""}, kFinding));
      return false;
    }
    if (auto refusal = list_known_runs()) {
      worst_ = worse(worst_, refuse(streams_, *refusal));
      return false;
    }
    read_done_nodes();
    const int code = turn();
    worst_ = worse(worst_, code);
    if (code > 128) return false;
  } while (more_);
  return true;
}

void FleetCommand::read_done_nodes() {
  done_.clear();
  const auto goes_on = [](const fleet::Pool& pool) { return pool.on_failure == fleet::OnFailure::go_on; };
  if (std::none_of(fleet_.pools.begin(), fleet_.pools.end(), goes_on)) return;
  for (const RunHead& head : page_.runs) {
    if (head.state != RunState::parked || !is_of_this_file(head)) continue;
    auto known = read_run(clusters_, options_, head.run);
    const auto* followed = std::get_if<Followed>(&known);
    if (!followed || !followed->run()) continue;  // then all of its nodes are left out
    for (NodeName& node : plan::summary(*followed->run()).done) done_[head.run].insert(std::move(node));
  }
}

std::optional<TimePoint> FleetCommand::opening_of(const RunHead& head) const {
  const std::string begins = early_words("");
  if (head.words.rfind(begins, 0) != 0) return std::nullopt;
  return parse_utc(head.words.substr(begins.size()));
}

bool FleetCommand::is_of_this_file(const RunHead& head) const {
  return head.words == words() || opening_of(head).has_value();
}

std::set<NodeName> FleetCommand::early_nodes(const ClusterName& cluster, TimePoint now) const {
  std::set<NodeName> all;
  for (const RunHead& head : page_.runs) {
    const auto opening = head.cluster == cluster ? opening_of(head) : std::nullopt;
    if (opening && *opening > now && head.undoes.empty()) all.insert(head.nodes.begin(), head.nodes.end());
  }
  return all;
}

std::set<NodeName> FleetCommand::busy_nodes(const ClusterName& cluster, const fleet::Pool& pool) {
  std::set<NodeName> busy;
  left_parked_.clear();
  for (const RunHead& head : page_.runs) {
    if (head.cluster != cluster || head.state == RunState::finished) continue;
    const auto done = done_.find(head.run);
    const bool goes_on = pool.on_failure == fleet::OnFailure::go_on && done != done_.end();
    for (const NodeName& node : head.nodes)
      if (!goes_on || !done->second.contains(node)) busy.insert(node);
    if (head.state == RunState::parked && is_of_this_file(head))
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

void FleetCommand::tell(const std::string& english) { streams_.err << told(streams_, english) << "\n"; }

int FleetCommand::skip(const std::string& pool, const std::string& why, int code) {
  tell(fmt::format("pool {} is skipped: {}", pool, told(streams_, why)));
  return code;
}

plan::ChangeOptions FleetCommand::patience_of(const fleet::Pool& pool) const {
  plan::ChangeOptions patience = options_.change;
  patience.way = pool.evict;
  patience.when_empty = pool.evict == plan::Way::wait;
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
  const auto last = fleet::last_begin(pool, zone_, fleet::phase_at(fleet_, pool, zone_, now), now);
  if (last && now > *last)
    return skip(pool_name, fmt::format("a change may begin until {} only", utc_text(*last)));
  auto survey = fleet::survey(wanted, cluster, place_of(cluster), only_);
  if (!survey) return skip(pool_name, to_line(survey.error()), kUnknown);
  std::set<NodeName> without = early_nodes(name, now);
  without.insert(tried_[name].begin(), tried_[name].end());
  // It is as wanted by now, or as a window that opens soon wants it.
  if (!fleet::intent_of(*survey, words(), patience_of(pool), &pool, without)) return kDone;
  return begin_pool(cluster, pool, *survey, words(), std::move(without));
}

int FleetCommand::run_early(const ClusterName& name, const std::string& pool_name) {
  const Cluster* here = answering(name);
  if (!here) return skip(pool_name, name.text + " does not answer now", kUnknown);
  const TimePoint now = cluster_now(*here, clusters_.wall());
  const auto by_name = [&](const fleet::Pool& one) { return one.name == pool_name; };
  const fleet::Pool& pool = *std::find_if(fleet_.pools.begin(), fleet_.pools.end(), by_name);
  const TimePoint opening = fleet::phase_at(fleet_, pool, zone_, now).end;
  const Duration lead = std::chrono::minutes(*pool.budget.lead);
  if (opening - now > lead || fleet::same_rule(fleet::rule_at(fleet_, pool, zone_, now),
                                               fleet::rule_at(fleet_, pool, zone_, opening)))
    return kDone;
  const fleet::Fleet& wanted = now_.emplace_back(fleet::fleet_at(fleet_, zone_, opening));
  const fleet::Pool& then = *std::find_if(wanted.pools.begin(), wanted.pools.end(), by_name);
  auto survey = fleet::survey(wanted, *here, place_of(*here), only_);
  if (!survey) return skip(pool_name, to_line(survey.error()), kUnknown);
  std::set<NodeName> without = early_nodes(name, now);
  for (const fleet::NodeSurvey& node : survey->nodes)
    if (node.exception) without.insert(node.node->name);  // no window changes it
  without.insert(tried_[name].begin(), tried_[name].end());
  const std::string called = early_words(utc_text(opening));
  if (!fleet::intent_of(*survey, called, patience_of(then), &then, without)) return kDone;
  std::set<NodeName> busy = busy_nodes(name, then);
  busy.insert(without.begin(), without.end());
  auto intent = fleet::intent_of(*survey, called, patience_of(then), &then, busy);
  if (!intent) return kFinding;
  auto plan = plan::make_plan(*here, catalogue_, *intent, means_.at(name),
                              fleet::rules_of(fleet_, name, options_.rules), now);
  if (!plan) return skip(pool_name, to_line(plan.error()));
  const auto line = [&](const std::string& english) {
    if (told_early_.insert(english).second) tell(english);
  };
  for (const plan::NodePlan& node : plan->nodes) {
    const fleet::Early early = fleet::early(*here, node, opening, lead);
    if (!early.begin) {
      line(fmt::format("{} is changed when its window opens at {}: how long its workloads may run is unknown",
                       node.node.text, utc_text(opening)));
    } else {
      const auto minutes = [](Duration time) {
        return std::chrono::ceil<std::chrono::minutes>(time).count();
      };
      line(fmt::format("{} is closed at {} for the window that opens at {}: time limit {} min, steps {} min",
                       node.node.text, utc_text(*early.begin), utc_text(opening), minutes(early.limit),
                       minutes(early.steps)));
      if (early.capped)
        line(fmt::format("{} may be late: the lead of pool {} is shorter", node.node.text, pool_name));
    }
    if (!early.begin || *early.begin > now) without.insert(node.node);
  }
  busy.insert(without.begin(), without.end());
  if (!fleet::intent_of(*survey, called, patience_of(then), &then, busy)) return kDone;
  return begin_pool(*here, then, *survey, called, std::move(without));
}

std::optional<int> FleetCommand::take_turn(const ClusterName& cluster, const fleet::Pool& pool,
                                           const fleet::Survey& survey, plan::Intent& intent,
                                           const std::set<NodeName>& busy) {
  std::vector<std::string> open;
  for (const fleet::NodeSurvey& node : survey.nodes)
    if (node.pool == &pool && busy.contains(node.node->name)) open.push_back(node.node->name.text);
  const auto most = static_cast<std::size_t>(*pool.budget.nodes_at_once);
  if (open.size() >= most)
    return skip(pool.name, fmt::format("runs that have not ended hold {} of its nodes ({}), and "
                                       "max_nodes_at_once is {}",
                                       open.size(), fold_hosts(open), most));
  std::set<NodeName> later;
  for (std::size_t i = most - open.size(); i < intent.nodes.size(); ++i) later.insert(intent.nodes[i]);
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
                             const std::string& called, std::set<NodeName> without) {
  const std::set<NodeName> busy = busy_nodes(cluster.name, pool);
  // What a run of this file has left parked is a finding for as long as it is.
  for (const fleet::NodeSurvey& node : survey.nodes)
    if (node.pool == &pool && node.standing == Standing::drifts && busy.contains(node.node->name) &&
        left_parked_.contains(node.node->name) && !without.contains(node.node->name))
      worst_ = worse(worst_, kFinding);
  without.insert(busy.begin(), busy.end());
  auto intent = fleet::intent_of(survey, called, patience_of(pool), &pool, without);
  if (!intent) return kFinding;
  free_first(*intent, survey);
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  Options options = options_;
  options.rules = fleet::rules_of(fleet_, cluster.name, options_.rules);
  const auto planned = [&] {
    return plan::make_plan(cluster, catalogue_, *intent, means_.at(cluster.name), options.rules, now);
  };
  // What is waited for ends by itself.
  if (pool.budget.disturbed && pool.evict != plan::Way::wait) {
    auto all = planned();
    const std::size_t disturbed = all ? disturbed_by(*all) : 0;
    if (disturbed > static_cast<std::size_t>(*pool.budget.disturbed))
      return skip(pool.name, fmt::format("{} jobs or pods are in the way, and its budget is {}", disturbed,
                                         *pool.budget.disturbed));
  }
  if (pool.on_failure == fleet::OnFailure::go_on)
    if (auto code = take_turn(cluster.name, pool, survey, *intent, busy)) return *code;
  auto plan = planned();
  if (!plan) return skip(pool.name, to_line(plan.error()));
  if (options_.dry_run)
    tell(pool.on_failure == fleet::OnFailure::go_on
             ? fmt::format("pool {}: where a node fails, its other nodes go on", pool.name)
             : fmt::format("pool {}: where a node fails, its run begins no other node", pool.name));
  return begin(clusters_, options, catalogue_, streams_, {std::move(*plan), false, false});
}

}  // namespace tessera::cli
