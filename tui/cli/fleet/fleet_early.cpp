// What `tessera fleet run` does for a window before it opens, and about runs whose window is over.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "engine/fleet/carried_on.hpp"
#include "engine/fleet/early.hpp"
#include "engine/fleet/moment_text.hpp"
#include "engine/fleet/rests.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/change/runs_at_rest.hpp"
#include "tui/cli/fleet/fleet_command.hpp"

namespace tessera::cli {
namespace {

std::int64_t minutes(Duration time) { return std::chrono::ceil<std::chrono::minutes>(time).count(); }

// "67 h", "5 h 30 min"
std::string length(Duration time) {
  const std::int64_t all = minutes(time), hours = all / 60, rest = all % 60;
  if (hours == 0) return fmt::format("{} min", rest);
  return rest == 0 ? fmt::format("{} h", hours) : fmt::format("{} h {} min", hours, rest);
}

Json early_json(const ClusterName& cluster, const std::string& pool, const NodeName& node, TimePoint opening,
                const fleet::Early& early) {
  Json one = Json::map();
  one.add("cluster", Json::of(cluster.text));
  one.add("pool", Json::of(pool));
  one.add("node", Json::of(node.text));
  one.add("opens", Json::of(utc_text(opening)));
  one.add("closes", early.begin ? Json::of(utc_text(*early.begin)) : Json());
  one.add("limit_minutes", early.begin ? Json::of(minutes(early.limit)) : Json());
  one.add("steps_minutes", Json::of(minutes(early.steps)));
  one.add("may_be_late", Json::of(early.capped));
  return one;
}

// What cannot be told was changed.
bool changed_since(const std::string& path, TimePoint when) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return true;
  const auto changed =
      std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  return TimePoint(std::chrono::ceil<Duration>(changed)) > when;
}

}  // namespace

// A file elsewhere may have the same name: what this one's runs close is opened by this one's alone.
std::string FleetCommand::whole_path() const { return whole_path_of(path_); }

// By its name alone it may be this one; a path may lead here by a link.
bool FleetCommand::is_this_file(const std::string& named) const {
  if (named.find('/') == std::string::npos) return named == file_name();
  return named == whole_path() || (named.starts_with('/') && whole_path_of(named) == whole_path());
}

std::string FleetCommand::words_from(TimePoint from) const {
  return fleet::words_of(fleet::OfWindow{whole_path(), from});
}

std::optional<TimePoint> FleetCommand::opening_of(const RunHead& head) const {
  const auto told = fleet::window_of(head);
  if (!told || !is_this_file(told->file)) return std::nullopt;
  return told->from;
}

bool FleetCommand::is_of_this_file(const RunHead& head) const {
  const auto file = fleet::file_of(head);
  return file && is_this_file(*file);
}

bool FleetCommand::is_for_a_window(const RunHead& head) const {
  return fleet::is_for_a_window(head) && is_of_this_file(head);
}

std::set<NodeName> FleetCommand::early_nodes(const ClusterName& cluster, TimePoint now) const {
  std::set<NodeName> all;
  for (const RunHead& head : page_.runs) {
    const auto opening = head.cluster == cluster ? opening_of(head) : std::nullopt;
    const bool opened_again =
        head.state == RunState::finished && head.outcome == word(plan::Outcome::recorded);
    if (opening && *opening > now && head.undoes.empty() && !opened_again)
      all.insert(head.nodes.begin(), head.nodes.end());
  }
  return all;
}

std::optional<NotCarriedOn> FleetCommand::why_not_carried_on(const LeftRun& left) const {
  const RunHead& head = left.head;
  const Cluster& cluster = left.cluster;
  if (!head.undoes.empty()) return std::nullopt;
  const auto told = fleet::window_of(head);
  if (told && told->file.starts_with('/') && !is_this_file(told->file))
    return NotCarriedOn{"it is of the fleet file " + clean(told->file, 300), false, false};
  if (const auto file = is_of_this_file(head) ? std::nullopt : fleet::file_of(head);
      file && left.run && fleet::rests_by_pause(*left.run))
    return NotCarriedOn{"it is of the fleet file " + clean(*file, 300), false, false};
  if (!is_of_this_file(head)) return std::nullopt;
  if (auto why = why_no_more()) return NotCarriedOn{std::move(*why)};
  fleet::FileSays says = fleet::says_of(
      fleet_, zone_, {head, left.run, cluster, {&catalogue_, &left.means, &options_.rules}, joins_.wall()});
  if (says.not_on) return std::move(says.not_on);
  if (says.untold && changed_since(path_, head.started)) return fleet::changed_since_begun(head);
  if (auto why =
          fleet::why_others_wait(fleet_, catalogue_, left.failed, cluster, head.words, head.nodes, head.run))
    return NotCarriedOn{std::move(*why)};
  return std::nullopt;
}

std::vector<std::pair<RunHead, Judged>> FleetCommand::judge_runs() {
  std::vector<RunHead> here;
  for (const RunHead& head : page_.runs)
    if (clusters_.model().find(head.cluster)) here.push_back(head);
  FailedNodes failed;
  std::vector<std::pair<RunHead, Judged>> judged;
  for (const RunAtRest& one : runs_at_rest(
           clusters_, options_, here, [this](const RunHead& head) { return is_for_a_window(head); }, failed,
           journals_)) {
    const Cluster& cluster = *clusters_.model().find(one.head.cluster);
    const plan::Means means = capabilities_of(clusters_, cluster);
    judged.emplace_back(
        one.head, judge(one, clusters_, why_not_carried_on({one.head, one.run(), cluster, means, failed})));
    judged_[one.head.run] = judged.back().second;
  }
  return judged;
}

void FleetCommand::tell_parked() {
  for (const auto& [head, judged] : judge_runs()) {
    if (judged.finding) worst_ = worse(worst_, kFinding);
    const std::string text = judged_text(head, judged, streams_);
    if (text.empty()) continue;
    streams_.err << text << "\n";
    Json one = Json::map();
    one.add("run", Json::of(clean(head.run, 100)));
    one.add("what", Json::of(std::string(word(judged.due))));
    one.add("why", judged.why ? Json::of(judged.why->why) : Json());
    run_list_.items.push_back(std::move(one));
  }
}

// Which of these nodes are closed, or changed, for the window now. Each is told once, with its time.
FleetCommand::EarlyNodes FleetCommand::early_turn(const Cluster& cluster, const fleet::Pool& pool,
                                                  const plan::Plan& plan, TimePoint opening) {
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  const auto line = [&](const std::string& english) {
    if (told_early_.insert(english).second) tell(english);
  };
  const auto is_held = [](const plan::NodePlan& node) { return !node.blast_radius.empty(); };
  const auto several = std::count_if(plan.nodes.begin(), plan.nodes.end(), is_held) > 1;
  const bool one_first = several && patience_of(pool).canary > 0;
  const std::string opens = fleet::moment_text(fleet_, zone_, opening);
  const TimePoint over = fleet::phase_at(fleet_, pool, zone_, opening).end;
  EarlyNodes all;
  for (const plan::NodePlan& node : plan.nodes) {
    const fleet::Early early = fleet::early(cluster, node, opening, std::chrono::minutes(*pool.budget.lead),
                                            one_first && is_held(node) ? 2 : 1);
    if (as_document() && told_early_.insert(cluster.name.text + " " + node.node.text).second)
      early_list_.items.push_back(early_json(cluster.name, pool.name, node.node, opening, early));
    if (!early.begin) {
      line(fmt::format(
          "{} is changed when its window opens at {}: how long its workloads may run is unknown; time limits "
          "(of pods activeDeadlineSeconds) would let it be closed before",
          node.node.text, opens));
    } else {
      line(fmt::format("{} is closed at {} for the window that opens at {}: time limit {}, steps {} min",
                       node.node.text, fleet::moment_text(zone_, *early.begin), opens, length(early.limit),
                       minutes(early.steps)));
      // What begins just before it is closed may run for so long.
      if (early.capped && *early.begin + early.limit + early.steps >= over)
        line(fmt::format(
            "{} may be ready only after its window has ended at {}: the lead of pool {} is shorter",
            node.node.text, fleet::moment_text(zone_, over), pool.name));
      else if (early.capped)
        line(fmt::format("{} may be late: the lead of pool {} is shorter", node.node.text, pool.name));
    }
    if (!early.begin || *early.begin > now)
      all.later.insert(node.node);
    else
      (is_held(node) ? all.held : all.free).insert(node.node);
  }
  return all;
}

int FleetCommand::run_early(const ClusterName& name, const std::string& pool_name) {
  const Cluster* here = answering(name);
  if (!here) return skip(pool_name, name.text + " does not answer now", kUnknown);
  const TimePoint now = cluster_now(*here, clusters_.wall());
  const auto by_name = [&](const fleet::Pool& one) { return one.name == pool_name; };
  const fleet::Pool& pool = *std::find_if(fleet_.pools.begin(), fleet_.pools.end(), by_name);
  const TimePoint opening = fleet::phase_at(fleet_, pool, zone_, now).end;
  if (opening - now > std::chrono::minutes(*pool.budget.lead) ||
      fleet::same_rule(fleet::rule_at(fleet_, pool, zone_, now),
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
  const std::string called = words_from(opening);
  const auto intent_but = [&](const std::set<NodeName>& nodes) {
    return fleet::intent_of(*survey, called, patience_of(then), &then, nodes);
  };
  if (!intent_but(without)) return kDone;
  std::set<NodeName> busy = busy_nodes(name, then);
  const int held_up = code_of_busy(*survey, then, busy, without);
  leave_closed(*survey, then, busy, without);
  busy.insert(without.begin(), without.end());
  const auto intent = intent_but(busy);
  if (!intent) return held_up;
  const auto plan = plan::make_plan(*here, catalogue_, *intent, means_.at(name),
                                    fleet::rules_of(fleet_, name, options_.rules), now);
  if (!plan) return skip(pool_name, to_line(plan.error()));
  const EarlyNodes turn = early_turn(*here, then, *plan, opening);
  without.insert(turn.later.begin(), turn.later.end());
  // Those that are only closed now have a run of their own; in the next turn the others follow, the canary
  // first.
  if (!turn.held.empty() && then.on_failure == fleet::OnFailure::stop && !options_.dry_run) {
    without.insert(turn.free.begin(), turn.free.end());
    more_ = !turn.free.empty();
    tried_[name].insert(turn.held.begin(), turn.held.end());
  }
  busy.insert(without.begin(), without.end());
  if (!intent_but(busy)) return kDone;
  const int code = begin_pool(*here, then, *survey, called, std::move(without), !turn.held.empty());
  if (code != kDone && then.on_failure == fleet::OnFailure::stop) more_ = false;
  return code;
}

}  // namespace tessera::cli
