// Runs of a fleet file that have not ended and that no timer carries on. Their nodes may be as the file says
// by now and closed all the same: what stands there does not tell.
#include <algorithm>

#include "engine/fleet/left_run.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/due.hpp"
#include "tui/cli/fleet/fleet_command.hpp"

namespace tessera::cli {

void FleetCommand::find_left_runs() {
  read_parked_runs();
  page_.left.clear();
  for (const RunHead& head : page_.runs) {
    if (head.state != RunState::interrupted &&
        (head.state != RunState::parked || waiting_.contains(head.run)))
      continue;
    const bool here = std::find(read_.begin(), read_.end(), head.cluster) != read_.end();
    const bool meant =
        only_.empty() || std::any_of(head.nodes.begin(), head.nodes.end(), [&](const NodeName& node) {
          return std::find(only_.begin(), only_.end(), node) != only_.end();
        });
    if (!here || !meant || !is_of_this_file(head)) continue;
    const auto judged = judged_.find(head.run);
    // Of a look only: what would end or go on by itself.
    if (judged != judged_.end() && (judged->second == Due::goes_on || judged->second == Due::opened))
      continue;
    LeftBehind& left = page_.left.emplace_back(LeftBehind{head, {}});
    const Cluster& cluster = *clusters_.model().find(head.cluster);
    for (const NodeName& name : head.nodes)
      if (const Node* node = cluster.nodes.find(name); node && plan::closed_by_flags(*node))
        left.closed.push_back(name);
  }
}

void FleetCommand::tell_left_runs() {
  for (const LeftBehind& left : page_.left) {
    const auto judged = judged_.find(left.head.run);
    if (judged != judged_.end() && judged->second != Due::no_business) continue;  // it is named, with its why
    tell(fleet::left_sentence(left.head, left.closed));
    if (!options_.dry_run) continue;
    Json one = Json::map();
    one.add("run", Json::of(clean(left.head.run, 100)));
    one.add("what",
            Json::of(std::string(word(left.head.state == RunState::parked ? Due::left : Due::a_person))));
    one.add("why", Json());
    run_list_.items.push_back(std::move(one));
  }
}

}  // namespace tessera::cli
