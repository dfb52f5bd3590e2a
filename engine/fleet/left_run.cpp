#include "engine/fleet/left_run.hpp"

#include <fmt/format.h>

#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {

std::string left_sentence(const RunHead& head, const std::vector<NodeName>& closed) {
  const std::string run = clean(head.run, 100), who = clean(head.who, 60);
  const bool parked = head.state == RunState::parked;
  std::vector<std::string> names;
  for (const NodeName& node : closed.empty() ? head.nodes : closed) names.push_back(node.text);
  const std::string hosts = clean(fold_hosts(names), 300);
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
