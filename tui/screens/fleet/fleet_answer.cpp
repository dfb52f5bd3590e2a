// The clusters held against the fleet file, as the rows of the fleet screen.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "engine/insight/available.hpp"
#include "engine/text.hpp"
#include "tui/screens/fleet/fleet.hpp"

namespace tessera::tui {
namespace {

using fleet::NodeSurvey;
using fleet::Standing;

// What is certainly wrong, then what is not known.
int rank(Standing standing) {
  switch (standing) {
    case Standing::drifts: return 0;
    case Standing::impossible: return 1;
    case Standing::unknown: return 2;
    case Standing::as_wanted: return 3;
    case Standing::left_alone: return 4;
  }
  return 2;
}

bool is_whole(const Cluster& cluster) {
  return !work_untold(cluster) &&
         std::none_of(cluster.sources.begin(), cluster.sources.end(),
                      [](const auto& each) { return tells_nodes(each.first) && each.second.incomplete; });
}

// Why a cluster is not held against the file; empty: it is. Old lists say nothing of what stands there now.
std::string why_unread(const Cluster& cluster) {
  if (!cluster.loaded) return cluster.name.text + " gave no complete answer";
  if (!insight::nodes_are_current(cluster))
    return fmt::format("{}: the list of nodes is old: what stands there now is not known", cluster.name.text);
  return "";
}

std::optional<Error> why_no_survey(const FleetQuestion& asked) {
  for (const fleet::Pool& pool : asked.file->fleet.pools)
    if (pool.cluster.empty() && asked.clusters.size() > 1)
      return Error{
          "cannot look at the fleet",
          fmt::format("line {}: pool {} names no cluster, and there are several", pool.line, pool.name),
          "give it cluster: NAME"};
  return std::nullopt;
}

void note_missing(FleetAnswer& answer) {
  const FleetQuestion& asked = *answer.question;
  for (const fleet::Pool& pool : asked.file->fleet.pools) {
    const bool found =
        pool.cluster.empty() || std::any_of(asked.clusters.begin(), asked.clusters.end(),
                                            [&](const Cluster& one) { return one.name == pool.cluster; });
    if (!found)
      answer.unread.push_back(fmt::format("pool {}: cluster {} is not among those that are found here",
                                          pool.name, clean(pool.cluster.text, 100)));
  }
}

void add_rows(FleetAnswer& answer, const fleet::Survey& survey) {
  for (const NodeSurvey& node : survey.nodes) {
    if (!node.pool || node.rule()->kind == fleet::Rule::Kind::as_is) continue;
    std::vector<fleet::BoardRow> boards = fleet::rows_of(node);
    std::stable_sort(boards.begin(), boards.end(), [](const auto& a, const auto& b) {
      return rank(a.board->standing) < rank(b.board->standing);
    });
    for (fleet::BoardRow& one : boards) answer.rows.push_back({&survey, &node, std::move(one)});
    if (boards.empty()) answer.rows.push_back({&survey, &node, {}});
  }
}

}  // namespace

std::shared_ptr<const FleetAnswer> answer_of(std::shared_ptr<const FleetQuestion> question) {
  auto answer = std::make_shared<FleetAnswer>();
  answer->question = std::move(question);
  const FleetQuestion& asked = *answer->question;
  answer->failure = why_no_survey(asked);
  if (answer->failure) return answer;
  for (const Cluster& cluster : asked.clusters) {
    if (std::string why = why_unread(cluster); !why.empty()) {
      answer->unread.push_back(std::move(why));
      continue;
    }
    if (!is_whole(cluster))
      answer->unread.push_back("not everything of " + cluster.name.text + " could be read");
    const fleet::Fleet& now = answer->now.emplace_back(
        fleet::fleet_at(asked.file->fleet, asked.file->zone, cluster_now(cluster, asked.wall)));
    auto found = fleet::survey(now, cluster, {asked.catalogue, &asked.means.at(cluster.name), &asked.rules});
    if (found)
      answer->surveys.push_back(std::move(*found));
    else
      answer->failure = found.error();
  }
  note_missing(*answer);
  for (const fleet::Survey& survey : answer->surveys) add_rows(*answer, survey);
  std::stable_sort(answer->rows.begin(), answer->rows.end(), [](const FleetRow& a, const FleetRow& b) {
    return rank(a.node->standing) < rank(b.node->standing);
  });
  answer->last = fleet::LastRuns(asked.runs);
  return answer;
}

}  // namespace tessera::tui
