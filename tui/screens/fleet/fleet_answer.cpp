// The clusters held against the fleet file, as the rows of the fleet screen.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/fleet/demand.hpp"
#include "engine/fleet/no_room.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/fleet/other_rules.hpp"
#include "engine/fleet/passed_over.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/fleet/telling.hpp"
#include "engine/insight/available.hpp"
#include "engine/insight/read_whole.hpp"
#include "engine/text.hpp"
#include "tui/language/wrap.hpp"
#include "tui/screens/fleet/fleet.hpp"

namespace tessera::tui {
namespace {

using fleet::NodeSurvey;
using fleet::Standing;

// Why a cluster is not held against the file; empty: it is. Old lists say nothing of what stands there now.
std::string why_unread(const Cluster& cluster) {
  if (!cluster.loaded) return cluster.name.text + " gave no complete answer";
  if (!insight::nodes_are_current(cluster))
    return fmt::format("{}: the list of nodes is old: what stands there now is not known", cluster.name.text);
  return "";
}

std::optional<Error> why_no_survey(const FleetQuestion& asked) {
  const fleet::Pool* pool = fleet::pool_of_no_cluster(asked.file->fleet, asked.clusters.size());
  if (!pool) return std::nullopt;
  return Error{
      "cannot look at the fleet",
      fmt::format("line {}: pool {} names no cluster, and there are several", pool->line, pool->name),
      "give it cluster: NAME"};
}

void note_missing(FleetAnswer& answer) {
  const FleetQuestion& asked = *answer.question;
  for (std::string& one : fleet::not_found(asked.file->fleet, [&](const ClusterName& name) {
         return std::any_of(asked.clusters.begin(), asked.clusters.end(),
                            [&](const Cluster& cluster) { return cluster.name == name; });
       }))
    answer.unread.push_back(std::move(one));
}

// Runs that go on free the room by themselves: no finding, as a pool that is skipped is one.
void note_no_room(fleet::Survey& survey, const FleetQuestion& asked, const JournalOf& journal) {
  // Where there is room though all of their nodes count, no journal is read.
  if (fleet::no_room(survey, asked.runs, {}).empty()) return;
  fleet::OpenRuns open;
  for (const RunHead& head : asked.runs)
    if (head.state == RunState::parked && head.cluster == survey.cluster->name &&
        fleet::may_be_of(head, asked.path))
      if (const std::optional<plan::Run> run = journal(head)) open[head.run] = fleet::open_run(*run);
  for (fleet::PoolNote& one : fleet::no_room(survey, asked.runs, open))
    survey.notes.push_back({one.pool, Standing::left_alone, std::move(one.text)});
}

void add_rows(FleetAnswer& answer, const fleet::Survey& survey) {
  for (const NodeSurvey& node : survey.nodes) {
    if (!node.pool || node.rule()->kind == fleet::Rule::Kind::as_is) continue;
    std::vector<fleet::BoardRow> boards = fleet::rows_of(node);
    std::stable_sort(boards.begin(), boards.end(), [](const auto& a, const auto& b) {
      return fleet::rank(a.board->standing) < fleet::rank(b.board->standing);
    });
    for (fleet::BoardRow& one : boards) answer.rows.push_back({&survey, &node, std::move(one)});
    if (boards.empty()) answer.rows.push_back({&survey, &node, {}});
  }
}

FleetCells cells_of(const std::vector<FleetRow>& rows) {
  constexpr std::size_t kLooked = 200;
  FleetCells cells;
  const auto see = [](int& most, const std::string& text) { most = std::max(most, display_width(text)); };
  for (std::size_t i = 0; i < std::min(kLooked, rows.size()); ++i) {
    const FleetRow& row = rows[i];
    const auto [wanted, made] = texts_of(row);
    see(cells.node, row.node->node->name.text);
    see(cells.cluster, row.survey->cluster->name.text);
    see(cells.pool, row.node->pool->name);
    see(cells.gpus, fleet::gpus_text(row.boards.gpus));
    see(cells.wanted, wanted);
    see(cells.made, made);
    see(cells.offered, offered_cell(row, false));
    see(cells.offered_short, offered_cell(row, true));
  }
  return cells;
}

std::shared_ptr<const std::vector<std::string>> ids_of(const std::vector<FleetRow>& rows) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min(kMostFleetRows, rows.size()); ++i) ids.push_back(id_of(rows[i]));
  return std::make_shared<const std::vector<std::string>>(std::move(ids));
}

}  // namespace

fleet::BoardTexts texts_of(const FleetRow& row) {
  if (row.boards.board) return fleet::board_texts(*row.node, *row.boards.board);
  return {fleet::to_text(*row.node->rule()), fleet::made_text(*row.node)};
}

bool offers_otherwise(const FleetRow& row) {
  return row.node->should_offer && !row.node->should_offer->empty();
}

std::string offered_cell(const FleetRow& row, bool is_short) {
  return (offers_otherwise(row) ? "! " : "") +
         (is_short ? fleet::offered_short(*row.node->node) : fleet::offered_text(*row.node->node));
}

std::shared_ptr<const FleetAnswer> answer_of(std::shared_ptr<const FleetQuestion> question,
                                             const JournalOf& journal) {
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
    if (!insight::is_read_whole(cluster))
      answer->unread.push_back("not everything of " + cluster.name.text + " could be read");
    const TimePoint clock = cluster_now(cluster, asked.wall);
    const fleet::Fleet& now =
        answer->now.emplace_back(fleet::fleet_at(asked.file->fleet, asked.file->zone, clock));
    const fleet::Place place{asked.catalogue, &asked.means.at(cluster.name), &asked.rules};
    auto found = fleet::survey(now, cluster, place);
    if (!found) {
      answer->failure = found.error();
      continue;
    }
    fleet::note_other_rules(*found, asked.file->fleet, place);
    fleet::note_passed_over(*found, place, {asked.file->fleet, asked.file->zone, clock}, asked.runs);
    if (journal) note_no_room(*found, asked, journal);
    answer->surveys.push_back(std::move(*found));
  }
  note_missing(*answer);
  for (const fleet::Survey& survey : answer->surveys) add_rows(*answer, survey);
  // By the rows and not by their nodes: GPUs that are as wanted stood before other nodes that are not.
  std::stable_sort(answer->rows.begin(), answer->rows.end(), [](const FleetRow& a, const FleetRow& b) {
    return fleet::rank(a.standing()) < fleet::rank(b.standing());
  });
  answer->cells = cells_of(answer->rows);
  answer->ids = ids_of(answer->rows);
  answer->last = fleet::LastRuns(asked.runs);
  for (const fleet::Survey& survey : answer->surveys)
    for (const NodeSurvey& node : survey.nodes) answer->newest.insert(answer->last.of(survey, node));
  return answer;
}

}  // namespace tessera::tui
