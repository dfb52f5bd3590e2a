#include "engine/fleet/passed_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/fleet/moment_text.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/plan/disturbs.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

// Jobs and pods in the way, each once on however many nodes it is.
struct InTheWay {
  std::map<std::string, const plan::Disturbed*> known;
  std::size_t clients = 0;  // that no job or pod is known for
  std::size_t count() const { return known.size() + clients; }
};

InTheWay in_the_way(const plan::Plan& plan) {
  InTheWay all;
  for (const plan::NodePlan& node : plan.nodes)
    for (const plan::Disturbed& one : node.blast_radius)
      if (one.id.text.empty())
        ++all.clients;
      else
        all.known.try_emplace(one.id.text, &one);
  return all;
}

// When each of them ends by its time limit; nullopt: not known. The first to end first.
using Ends = std::vector<std::pair<std::optional<TimePoint>, const plan::Disturbed*>>;

Ends ends_of(const InTheWay& all, const Cluster& cluster) {
  Ends ends;
  for (const auto& [id, one] : all.known) {
    const Workload* work = cluster.workloads.find(one->id);
    ends.emplace_back(work ? work->ends : std::nullopt, one);
  }
  std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.first, a.first) < std::pair(!b.first, b.first);
  });
  return ends;
}

// "88142 (erin) until Mon 2026-11-23 22:10; without a known end: 88150 (bob), +2"
std::string names_of(const Ends& ends, std::size_t clients, const RunsBy& by) {
  constexpr std::size_t kNamed = 5;
  constexpr const char* kNoEnd = "without a known end: ";
  std::string text;
  bool untold = false;  // they come last
  for (std::size_t i = 0; i < std::min(kNamed, ends.size()); ++i) {
    const auto& [end, one] = ends[i];
    const bool first_untold = !end && !std::exchange(untold, !end);
    if (!text.empty()) text += first_untold ? "; " : ", ";
    text += fmt::format("{}{}{}{}", first_untold ? kNoEnd : "", clean(one->id.text, 100),
                        one->user.empty() ? "" : " (" + clean(one->user, 40) + ")",
                        end ? " until " + moment_text(by.zone, *end) : "");
  }
  const std::size_t more = ends.size() - std::min(kNamed, ends.size()) + clients;
  if (more > 0) text += fmt::format("{}+{}", text.empty() ? "" : ", ", more);
  return text;
}

// Two or three of them tell what is wrong.
std::string some_nodes(const std::vector<std::string>& told) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, told.size()); ++i)
    text += (text.empty() ? "" : ", ") + told[i];
  if (told.size() > kNamed) text += fmt::format(", +{}", told.size() - kNamed);
  return text;
}

// A node that is down or registered as invalid may be drained, too.
bool is_closed(const Node& node) {
  const bool by_health = node.health == Health::drained || node.health == Health::draining;
  return node.state.empty() ? by_health : plan::closed_by_flags(node);
}

// "ops: RMA 4711"; on Kubernetes only a run of tessera says who.
std::string closer_of(const Node& node) {
  const auto kept = plan::parse_closing(node.reason);
  const std::string who = clean(kept ? kept->by.who : node.reason_by, 60);
  const std::string why = clean(kept ? kept->words : node.reason, 200);
  if (who.empty()) return why.empty() ? "?" : why;
  return fmt::format("{}: {}", who, why.empty() ? "?" : why);
}

// Until when something else is wanted than at `from`; nullopt: for longer than is looked ahead.
std::optional<TimePoint> wanted_until(const Pool& pool, const RunsBy& by, TimePoint from) {
  const auto in_file = std::find_if(by.file.pools.begin(), by.file.pools.end(),
                                    [&](const Pool& one) { return one.name == pool.name; });
  if (in_file == by.file.pools.end() || in_file->windows.empty()) return std::nullopt;
  const TimePoint end = phase_at(by.file, *in_file, by.zone, from).end;
  if (same_rule(rule_at(by.file, *in_file, by.zone, from), rule_at(by.file, *in_file, by.zone, end)))
    return std::nullopt;
  return end;
}

// By the time limits of what is known; nullopt: no time limit of it is.
std::optional<TimePoint> last_end(const std::vector<plan::Disturbed>& whom, const Cluster& cluster) {
  std::optional<TimePoint> last;
  for (const plan::Disturbed& one : whom)
    if (const Workload* work = one.id.text.empty() ? nullptr : cluster.workloads.find(one.id))
      if (work->ends) last = std::max(last, work->ends);
  return last;
}

// A plan that cannot be made is no matter of its budget: the survey, or the run, tells why.
std::optional<std::string> evicts_too_much(const Survey& survey, const Pool& pool, const plan::Intent& intent,
                                           const Place& place, const RunsBy& by) {
  if (!pool.budget.disturbed || pool.evict == plan::Way::wait) return std::nullopt;
  const Cluster& cluster = *survey.cluster;
  const auto plan = plan::make_plan(cluster, *place.catalogue, intent, *place.means,
                                    rules_of(by.file, cluster.name, *place.rules), by.now);
  if (!plan) return std::nullopt;
  return over_max_disturbed(pool, *plan, cluster, by);
}

std::optional<std::string> why_passed_over(const Survey& survey, const Pool& pool, const plan::Intent& intent,
                                           const Place& place, const RunsBy& by) {
  if (const auto last = begins_no_more(pool, by))
    return fmt::format(
        "fleet run skips it: by not_after a change may begin until {} only. A later not_after lets it begin, "
        "and tessera fleet apply begins it now",
        moment_text(by.file, by.zone, *last));
  if (const auto why = evicts_too_much(survey, pool, intent, place, by))
    return fmt::format("fleet run skips it: {}", *why);
  return std::nullopt;
}

}  // namespace

plan::ChangeOptions evicts(const Pool& pool, plan::ChangeOptions options) {
  options.way = pool.evict;
  options.when_empty = true;  // also for what evict does not end, or what comes in its place
  return options;
}

std::optional<std::string> over_max_disturbed(const Pool& pool, const plan::Plan& plan,
                                              const Cluster& cluster, const RunsBy& by) {
  // What is waited for ends by itself.
  if (!pool.budget.disturbed || pool.evict == plan::Way::wait) return std::nullopt;
  const InTheWay all = in_the_way(plan);
  const auto most = static_cast<std::size_t>(*pool.budget.disturbed);
  if (all.count() <= most) return std::nullopt;
  const Ends ends = ends_of(all, cluster);
  const std::string names = names_of(ends, all.clients, by);
  const std::size_t to_end = all.count() - most;
  const std::optional<TimePoint> fits = to_end <= ends.size() ? ends[to_end - 1].first : std::nullopt;
  if (!fits)
    return fmt::format(
        "its change would evict more jobs or pods ({}) than max_disturbed allows ({}): {}. Raise "
        "max_disturbed to {}, or wait until they end",
        all.count(), most, names, all.count());
  const auto until = wanted_until(pool, by, by.now);
  if (until && *fits >= *until)
    return fmt::format(
        "its change would evict more jobs or pods ({}) than max_disturbed allows ({}): {}. By their time "
        "limits it does not fit before its phase ends at {}: raise max_disturbed to {}",
        all.count(), most, names, moment_text(by.file, by.zone, *until), all.count());
  return fmt::format(
      "its change would evict more jobs or pods ({}) than max_disturbed allows ({}): {}. By their time "
      "limits it fits from {} on; or raise max_disturbed to {}",
      all.count(), most, names, moment_text(by.file, by.zone, *fits), all.count());
}

std::optional<TimePoint> begins_no_more(const Pool& pool, const RunsBy& by) {
  const auto last = last_begin(pool, by.zone, phase_at(by.file, pool, by.zone, by.now), by.now);
  return last && by.now > *last ? last : std::nullopt;
}

std::map<NodeName, std::string> closed_by_others(const Survey& survey, const Pool& pool,
                                                 const std::set<NodeName>& busy) {
  std::map<NodeName, std::string> closed;
  for (const NodeSurvey& one : survey.nodes) {
    const Node& node = *one.node;
    if (one.pool != &pool || one.standing != Standing::drifts || busy.contains(node.name) || !is_closed(node))
      continue;
    closed.emplace(node.name, closer_of(node));
  }
  return closed;
}

bool is_of_closed(const PoolNote& note) { return note.text.starts_with(closed_text({})); }

std::string closed_text(const std::map<NodeName, std::string>& closed) {
  std::vector<std::string> told;
  for (const auto& [node, why] : closed) told.push_back(fmt::format("{} ({})", node.text, why));
  return fmt::format("fleet run changes no node that another keeps closed, until it is opened: {}",
                     some_nodes(told));
}

namespace {

std::optional<std::string> not_empty_in_time(const Pool& pool, const std::vector<plan::NodeDisturbs>& nodes,
                                             const Cluster& cluster, const RunsBy& by, TimePoint from) {
  if (pool.evict != plan::Way::wait) return std::nullopt;
  const auto until = wanted_until(pool, by, from);
  if (!until) return std::nullopt;
  std::vector<std::string> told;
  for (const plan::NodeDisturbs& node : nodes)
    if (const auto last = last_end(node.whom, cluster); last && *last >= *until)
      told.push_back(fmt::format("{} ({})", node.node.text, moment_text(by.zone, *last)));
  if (told.empty()) return std::nullopt;
  return fmt::format(
      "by the time limits of their workloads these nodes are not empty before its phase ends at {}: {}",
      moment_text(by.file, by.zone, *until), some_nodes(told));
}

}  // namespace

std::optional<std::string> not_empty_in_time(const Pool& pool, const plan::Plan& plan, const Cluster& cluster,
                                             const RunsBy& by, TimePoint from) {
  std::vector<plan::NodeDisturbs> nodes;
  for (const plan::NodePlan& node : plan.nodes) nodes.push_back({node.node, node.blast_radius});
  return not_empty_in_time(pool, nodes, cluster, by, from);
}

namespace {

// A run has no more to go by either: what ends early, or is ended, makes it come in time.
void note_late(Survey& survey, const Pool& pool, const Place& place, const RunsBy& by,
               const std::set<NodeName>& but) {
  if (pool.evict != plan::Way::wait || !wanted_until(pool, by, by.now)) return;
  std::set<NodeName> others = but;
  for (const NodeSurvey& node : survey.nodes)
    if (std::none_of(node.boards.begin(), node.boards.end(),
                     [](const BoardSurvey& board) { return board.held > 0; }))
      others.insert(node.node->name);
  const auto intent = intent_of(survey, "", evicts(pool, {}), &pool, others);
  if (!intent) return;
  const Cluster& cluster = *survey.cluster;
  const auto nodes = plan::disturbed_by(cluster, *place.catalogue, *intent, *place.means,
                                        rules_of(by.file, cluster.name, *place.rules), by.now);
  if (!nodes) return;
  if (auto text = not_empty_in_time(pool, *nodes, cluster, by, by.now))
    survey.notes.push_back({&pool, Standing::as_wanted, std::move(*text)});
}

}  // namespace

void note_passed_over(Survey& survey, const Place& place, const RunsBy& by,
                      const std::vector<RunHead>& runs) {
  std::set<NodeName> busy;
  for (const RunHead& head : runs)
    if (head.cluster == survey.cluster->name && head.state != RunState::finished)
      busy.insert(head.nodes.begin(), head.nodes.end());
  // A run of its own is made of the others: intent_of would take those that are refused where none is left.
  std::set<NodeName> refused;
  for (const NodeSurvey& node : survey.nodes)
    if (node.refused) refused.insert(node.node->name);
  busy.insert(refused.begin(), refused.end());
  std::vector<const Pool*> pools;
  for (const NodeSurvey& node : survey.nodes)
    if (node.standing == Standing::drifts && !node.refused &&
        std::find(pools.begin(), pools.end(), node.pool) == pools.end())
      pools.push_back(node.pool);
  for (const Pool* pool : pools) {
    std::set<NodeName> left = refused;
    if (const auto closed = closed_by_others(survey, *pool, busy); !closed.empty()) {
      survey.notes.push_back({pool, Standing::drifts, closed_text(closed)});
      for (const auto& one : closed) busy.insert(one.first), left.insert(one.first);
    }
    // Also of those that a run has closed already, and waits for.
    note_late(survey, *pool, place, by, left);
    const auto intent = intent_of(survey, "", evicts(*pool, {}), pool, busy);
    if (!intent) continue;
    if (auto why = why_passed_over(survey, *pool, *intent, place, by))
      survey.notes.push_back({pool, Standing::drifts, std::move(*why)});
  }
}

}  // namespace tessera::fleet
