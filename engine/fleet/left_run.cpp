#include "engine/fleet/left_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/rests.hpp"
#include "engine/hostlist.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/run/closing.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

// What another has closed, before the run or after it, its way back leaves closed.
bool is_closed_by(const RunHead& head, const Node& node) {
  const auto mark = plan::closed_by_flags(node) ? plan::parse_mark(node.reason) : std::nullopt;
  return mark && mark->run == head.run;
}

}  // namespace

std::vector<LeftBehind> left_runs(const std::vector<RunHead>& runs,
                                  const std::vector<const Cluster*>& clusters,
                                  const std::function<bool(const RunHead&)>& counts) {
  std::vector<LeftBehind> all;
  for (const RunHead& head : runs) {
    if (head.state != RunState::interrupted && head.state != RunState::parked) continue;
    const auto here = std::find_if(clusters.begin(), clusters.end(),
                                   [&](const Cluster* one) { return one->name == head.cluster; });
    if (here == clusters.end() || !counts(head)) continue;
    LeftBehind& left = all.emplace_back(LeftBehind{head, {}, {}});
    for (const NodeName& name : head.nodes)
      if (const Node* node = (*here)->nodes.find(name); node && is_closed_by(head, *node))
        left.closed.push_back(name);
  }
  return all;
}

bool waits_for_a_person(const RunHead& head, const plan::Run* run, TimePoint now) {
  if (!run || !head.unarmed.empty()) return true;
  return !plan::may_be_due(*run, now) && !plan::waits_as_planned(*run) && !rests_by_pause(*run);
}

std::string left_sentence(const LeftBehind& left) {
  const auto& [head, closed, why] = left;
  const std::string run = clean(head.run, 100), who = clean(head.who, 60);
  const bool parked = head.state == RunState::parked;
  std::vector<std::string> names;
  for (const NodeName& node : closed.empty() ? head.nodes : closed) names.push_back(node.text);
  const std::string hosts = clean(fold_for_reading(names), 300);
  if (!why.empty())
    return closed.empty() ? fmt::format("run {} of {} on {} is left parked: {}", run, who, hosts, why)
                          : fmt::format("{}: closed by run {} of {}, left parked: {}", hosts, run, who, why);
  if (closed.empty())
    return parked ? fmt::format(
                        "run {} of {} on {} is parked and has not ended; tessera resume {} carries it on",
                        run, who, hosts, run)
                  : fmt::format(
                        "run {} of {} on {} was interrupted and has not ended; tessera resume {} carries "
                        "it on",
                        run, who, hosts, run);
  return parked ? fmt::format(
                      "{}: closed by run {} of {}, parked; tessera resume {} carries it on, tessera "
                      "resume {} --back opens its nodes",
                      hosts, run, who, run, run)
                : fmt::format(
                      "{}: closed by run {} of {}, interrupted; tessera resume {} carries it on, tessera "
                      "resume {} --back opens its nodes",
                      hosts, run, who, run, run);
}

}  // namespace tessera::fleet
