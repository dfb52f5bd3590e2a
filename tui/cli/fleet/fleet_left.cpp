// Runs of a fleet file that have not ended and that no timer carries on. Their nodes may be as the file says
// by now and closed all the same: what stands there does not tell.
#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/carried_on.hpp"
#include "engine/fleet/left_run.hpp"
#include "engine/fleet/no_room.hpp"
#include "engine/fleet/passed_over.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/due.hpp"
#include "tui/cli/fleet/fleet_command.hpp"

namespace tessera::cli {

void FleetCommand::find_left_runs() {
  read_parked_runs();
  std::vector<const Cluster*> clusters;
  for (const ClusterName& name : read_) clusters.push_back(clusters_.model().find(name));
  const bool paused = !paused_text().empty();  // then none goes on, and that is told by itself
  // One that waits as planned is no person's, but for one that the file does not let go on.
  const auto why_left = [&](const RunHead& head) {
    const auto judged = judged_.find(head.run);
    const bool is_left = !paused && waiting_.contains(head.run) && judged != judged_.end() &&
                         judged->second.due == Due::left && judged->second.finding;
    if (!is_left) return std::string();
    return fleet::left_text(head, *judged->second.why);
  };
  page_.left = fleet::left_runs(page_.runs, clusters, [&](const RunHead& head) {
    const auto judged = judged_.find(head.run);
    const bool goes_on = (waiting_.contains(head.run) && why_left(head).empty()) ||
                         (judged != judged_.end() && takes_care_of_itself(judged->second.due));
    const bool meant =
        only_.empty() || std::any_of(head.nodes.begin(), head.nodes.end(), [&](const NodeName& node) {
          return std::find(only_.begin(), only_.end(), node) != only_.end();
        });
    return !goes_on && meant && is_of_this_file(head);
  });
  for (fleet::LeftBehind& left : page_.left) left.why = why_left(left.head);
}

void FleetCommand::tell_left_runs() {
  for (const fleet::LeftBehind& left : page_.left) {
    const auto judged = judged_.find(left.head.run);
    if (judged != judged_.end() && judged->second.due != Due::no_business)
      continue;  // it is named, with its why
    tell(fleet::left_sentence(left));
    if (!options_.dry_run) continue;
    Json one = Json::map();
    one.add("run", Json::of(clean(left.head.run, 100)));
    one.add("what",
            Json::of(std::string(word(left.head.state == RunState::parked ? Due::left : Due::a_person))));
    one.add("why", Json());
    run_list_.items.push_back(std::move(one));
  }
}

void FleetCommand::note_passed_over() {
  for (fleet::Survey& survey : page_.surveys) {
    const TimePoint now = cluster_now(*survey.cluster, clusters_.wall());
    fleet::note_passed_over(survey, place_of(*survey.cluster), {fleet_, zone_, now}, page_.runs);
    for (fleet::PoolNote& one : fleet::no_room(survey, page_.runs, open_))
      survey.notes.push_back(std::move(one));
  }
}

}  // namespace tessera::cli
