// What `tessera fleet run` does: parked runs are carried on, then each pool that drifts gets a run of its
// own.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "engine/fleet/early.hpp"
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
  for (const auto& [cluster, pool] : due) {
    const std::string paused = options_.dry_run ? "" : paused_text();
    if (!paused.empty())
      return worse(worst_, refuse(streams_, {"nothing more is begun", paused, ""}, kFinding));
    if (auto refusal = list_known_runs()) return worse(worst_, refuse(streams_, *refusal));
    const int code = run_pool(cluster, pool);
    worst_ = worse(worst_, code);
    if (code > 128) return code;
  }
  for (const fleet::Pool& pool : fleet_.pools) {
    if (!pool.budget.lead) continue;
    for (const ClusterName& cluster : read_) {
      if (!pool.cluster.empty() && pool.cluster != cluster) continue;
      const std::string paused = options_.dry_run ? "" : paused_text();
      if (!paused.empty())
        return worse(worst_, refuse(streams_, {"nothing more is begun", paused, ""}, kFinding));
      if (auto refusal = list_known_runs()) return worse(worst_, refuse(streams_, *refusal));
      const int code = run_early(cluster, pool.name);
      worst_ = worse(worst_, code);
      if (code > 128) return code;
    }
  }
  return worst_;
}

std::optional<TimePoint> FleetCommand::opening_of(const RunHead& head) const {
  const std::string begins = early_words("");
  if (head.words.rfind(begins, 0) != 0) return std::nullopt;
  return parse_utc(head.words.substr(begins.size()));
}

std::set<NodeName> FleetCommand::early_nodes(const ClusterName& cluster, TimePoint now) const {
  std::set<NodeName> all;
  for (const RunHead& head : page_.runs) {
    const auto opening = head.cluster == cluster ? opening_of(head) : std::nullopt;
    if (opening && *opening > now && head.undoes.empty()) all.insert(head.nodes.begin(), head.nodes.end());
  }
  return all;
}

std::set<NodeName> FleetCommand::busy_nodes(const ClusterName& cluster) {
  std::set<NodeName> busy;
  for (const RunHead& head : page_.runs) {
    if (head.cluster != cluster || head.state == RunState::finished) continue;
    busy.insert(head.nodes.begin(), head.nodes.end());
    if (!told_busy_.insert(head.run).second) continue;
    streams_.err << told(streams_, fmt::format("the nodes of run {} are left out: it has not ended",
                                               clean(head.run, 100)))
                 << "\n";
  }
  return busy;
}

int FleetCommand::skip(const std::string& pool, const std::string& why, int code) {
  streams_.err << told(streams_, fmt::format("pool {} is skipped: {}", pool, told(streams_, why))) << "\n";
  return code;
}

plan::ChangeOptions FleetCommand::patience_of(const fleet::Pool& pool) const {
  plan::ChangeOptions patience = options_.change;
  patience.way = pool.evict;
  patience.when_empty = pool.evict == plan::Way::wait;
  if (!pool.budget.nodes_at_once) return patience;
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
  // It is as wanted by now, or as a window that opens soon wants it.
  if (!fleet::intent_of(*survey, words(), patience_of(pool), &pool, without)) return kDone;
  without.merge(busy_nodes(name));
  auto intent = fleet::intent_of(*survey, words(), patience_of(pool), &pool, without);
  if (!intent) return kFinding;
  return begin_pool(cluster, pool, *survey, std::move(*intent));
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
  if (!fleet::intent_of(*survey, early_words(utc_text(opening)), patience_of(then), &then, without))
    return kDone;
  without.merge(busy_nodes(name));
  auto intent = fleet::intent_of(*survey, early_words(utc_text(opening)), patience_of(then), &then, without);
  if (!intent) return kFinding;
  auto plan = plan::make_plan(*here, catalogue_, *intent, means_.at(name),
                              fleet::rules_of(fleet_, name, options_.rules), now);
  if (!plan) return skip(pool_name, to_line(plan.error()));
  const auto line = [&](const std::string& english) { streams_.err << told(streams_, english) << "\n"; };
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
  intent = fleet::intent_of(*survey, early_words(utc_text(opening)), patience_of(then), &then, without);
  return intent ? begin_pool(*here, then, *survey, std::move(*intent)) : kDone;
}

int FleetCommand::begin_pool(const Cluster& cluster, const fleet::Pool& pool, const fleet::Survey& survey,
                             plan::Intent intent) {
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  free_first(intent, survey);
  Options options = options_;
  options.rules = fleet::rules_of(fleet_, cluster.name, options_.rules);
  auto plan = plan::make_plan(cluster, catalogue_, intent, means_.at(cluster.name), options.rules, now);
  if (!plan) return skip(pool.name, to_line(plan.error()));
  // What is waited for ends by itself.
  const std::size_t disturbed = pool.evict == plan::Way::wait ? 0 : disturbed_by(*plan);
  if (pool.budget.disturbed && disturbed > static_cast<std::size_t>(*pool.budget.disturbed))
    return skip(pool.name, fmt::format("{} jobs or pods are in the way, and its budget is {}", disturbed,
                                       *pool.budget.disturbed));
  return begin(clusters_, options, catalogue_, streams_, {std::move(*plan), false, false});
}

}  // namespace tessera::cli
