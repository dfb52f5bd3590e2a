#include "engine/fleet/passed_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/fleet/moment_text.hpp"
#include "engine/fleet/windows.hpp"
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

// "88142 (erin) until Mon 2026-11-23 22:10, 88150 (bob) until ?, +2"
std::string names_of(const Ends& ends, std::size_t clients, const RunsBy& by) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, ends.size()); ++i) {
    const auto& [end, one] = ends[i];
    text += fmt::format("{}{}{} until {}", text.empty() ? "" : ", ", clean(one->id.text, 100),
                        one->user.empty() ? "" : " (" + clean(one->user, 40) + ")",
                        end ? moment_text(by.zone, *end) : "?");
  }
  const std::size_t more = ends.size() - std::min(kNamed, ends.size()) + clients;
  if (more > 0) text += fmt::format("{}+{}", text.empty() ? "" : ", ", more);
  return text;
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
  return fmt::format(
      "its change would evict more jobs or pods ({}) than max_disturbed allows ({}): {}. By their time "
      "limits it fits from {} on; or raise max_disturbed to {}",
      all.count(), most, names, moment_text(by.file, by.zone, *fits), all.count());
}

std::optional<TimePoint> begins_no_more(const Pool& pool, const RunsBy& by) {
  const auto last = last_begin(pool, by.zone, phase_at(by.file, pool, by.zone, by.now), by.now);
  return last && by.now > *last ? last : std::nullopt;
}

void note_passed_over(Survey& survey, const Place& place, const RunsBy& by,
                      const std::vector<RunHead>& runs) {
  std::set<NodeName> busy;
  for (const RunHead& head : runs)
    if (head.cluster == survey.cluster->name && head.state != RunState::finished)
      busy.insert(head.nodes.begin(), head.nodes.end());
  // A run of its own is made of the others: intent_of would take those that are refused where none is left.
  for (const NodeSurvey& node : survey.nodes)
    if (node.refused) busy.insert(node.node->name);
  std::vector<const Pool*> pools;
  for (const NodeSurvey& node : survey.nodes)
    if (node.standing == Standing::drifts && !node.refused &&
        std::find(pools.begin(), pools.end(), node.pool) == pools.end())
      pools.push_back(node.pool);
  for (const Pool* pool : pools) {
    const auto intent = intent_of(survey, "", evicts(*pool, {}), pool, busy);
    if (!intent) continue;
    if (auto why = why_passed_over(survey, *pool, *intent, place, by))
      survey.notes.push_back({pool, Standing::drifts, std::move(*why)});
  }
}

}  // namespace tessera::fleet
