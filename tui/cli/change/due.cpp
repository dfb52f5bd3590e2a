#include "tui/cli/change/due.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/rests.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/run/closing.hpp"
#include "engine/text.hpp"

namespace tessera::cli {
namespace {

std::string name_of(const RunHead& head) { return clean(head.run, 100); }

bool is_busy(const Cluster& cluster, const Node& node, const plan::Scope& scope) {
  if (!cluster.work_known) return true;
  plan::NodeFacts facts;
  facts.node = node;
  for (const WorkloadId& id : node.workloads)
    if (const Workload* workload = cluster.workloads.find(id)) facts.workloads.push_back(*workload);
  return plan::why_busy(facts, scope).has_value();
}

// A run that waits for empty nodes is left alone while one of them is not: each try would write lines.
bool is_due(const plan::Run& run, const Cluster& cluster, TimePoint now) {
  if (!plan::may_be_due(run, now)) return false;
  if (!plan::nodes_to_begin(run).empty()) return true;  // a kill has left nodes open that it closes
  const std::vector<NodeName> nodes = plan::waits_for_empty(run);
  return nodes.empty() || std::any_of(nodes.begin(), nodes.end(), [&](const NodeName& name) {
           const Node* node = cluster.nodes.find(name);
           const auto& scope = run.plans.at(name).scope;
           return node && (!scope || !is_busy(cluster, *node, *scope));
         });
}

// What kills a tessera each time is not tried for ever, and no timer decides about a node that has failed.
bool may_be_taken_up(const plan::Run& run, std::size_t kills) {
  constexpr std::size_t kMostTimes = 3;
  if (run.paused && run.paused_why.empty()) return false;  // by a person
  return kills < kMostTimes && fleet::failed_but_resting(run).empty();
}

}  // namespace

Judged judge(const RunHead& head, const plan::Run* run, const Cluster* cluster, TimePoint now,
             std::optional<std::size_t> kills, std::optional<NotCarriedOn> why_not) {
  const bool was_killed = kills && head.state == RunState::interrupted;
  if (head.state != RunState::parked && !was_killed) return {};
  if (!head.unarmed.empty()) return {Due::unarmed, {}, false};
  if (why_not) {
    const bool opens = fleet::opens_again(*why_not, run);
    const bool finding = why_not->finding || (why_not->over && !opens);  // what it has begun is a person's
    return {opens ? Due::opened : Due::left, std::move(why_not), finding};
  }
  if (!run) return {};
  if (was_killed)
    return may_be_taken_up(*run, *kills) ? Judged{Due::goes_on, {}, false} : Judged{Due::a_person, {}, true};
  if (fleet::rests_by_pause(*run) || (cluster && is_due(*run, *cluster, now)))
    return {Due::goes_on, {}, false};
  return plan::waits_as_planned(*run) ? Judged{Due::waits, {}, false} : Judged{};
}

bool takes_care_of_itself(Due due) { return due == Due::goes_on || due == Due::opened || due == Due::waits; }

std::string_view word(Due due) {
  switch (due) {
    case Due::no_business: return "no-business";
    case Due::unarmed: return "unarmed";
    case Due::left: return "left";
    case Due::opened: return "opened";
    case Due::goes_on: return "goes-on";
    case Due::waits: return "waits";
    case Due::a_person: return "a-person";
  }
  return "";
}

std::string judged_text(const RunHead& head, const Judged& judged, const Streams& streams) {
  const std::string run = name_of(head);
  switch (judged.due) {
    case Due::no_business: return "";
    case Due::unarmed:
      return told(streams,
                  fmt::format("{} is left alone: {}; tessera resume {} arms it", run, head.unarmed, run));
    case Due::left:
    case Due::opened: return not_on_text(head, *judged.why, judged.due == Due::opened, streams);
    case Due::goes_on: return told(streams, run + " is due");
    case Due::waits:
      return told(streams, fmt::format("run {} stays parked as planned: its time has not come, or work is "
                                       "still on its nodes",
                                       run));
    case Due::a_person:
      return told(streams, fmt::format("run {} was killed, and no timer resumes it: it is "
                                       "paused, a node has failed, or it was "
                                       "resumed often; tessera resume {} goes on with it",
                                       run, run));
  }
  return "";
}

std::string not_on_text(const RunHead& head, const NotCarriedOn& why, bool opens, const Streams& streams) {
  const std::string run = name_of(head), reason = told(streams, why.why);
  if (opens) return told(streams, fmt::format("the nodes of run {} are opened again: {}", run, reason));
  return told(streams, fmt::format("run {} is left parked: {}", run, reason)) +
         (why.over ? "; " + told(streams, fleet::way_back(head)) : "");
}

}  // namespace tessera::cli
