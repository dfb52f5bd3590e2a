#include "engine/why/words.hpp"

#include "engine/text.hpp"

namespace tessera::why {

std::string_view word(Topic topic) {
  switch (topic) {
    case Topic::untold: return "untold";
    case Topic::room: return "room";
    case Topic::priority: return "priority";
    case Topic::held: return "held";
    case Topic::dependency: return "dependency";
    case Topic::time: return "time";
    case Topic::limit: return "limit";
    case Topic::partition: return "partition";
    case Topic::node: return "node";
    case Topic::taint: return "taint";
    case Topic::selector: return "selector";
    case Topic::reservation: return "reservation";
    case Topic::licence: return "licence";
    case Topic::request: return "request";
    case Topic::storage: return "storage";
    case Topic::claim: return "claim";
    case Topic::group: return "group";
    case Topic::gate: return "gate";
    case Topic::start: return "start";
    case Topic::failed: return "failed";
    case Topic::unknown: break;
  }
  return "unknown";
}

Meaning meaning(std::string_view reason, Scheduler scheduler) {
  if (scheduler == Scheduler::slurm) return slurm_meaning(reason);
  if (reason.empty()) return {Topic::untold, "the scheduler has not said anything about it yet", true};
  const Unschedulable told = parse_unschedulable(reason);
  if (!told.total) return kubernetes_meaning(reason);
  if (told.parts.empty()) return {Topic::unknown, clean(reason, 400), false};
  // What is said of the pod itself, else what most nodes lack.
  return told.parts.front().meaning;
}

}  // namespace tessera::why
