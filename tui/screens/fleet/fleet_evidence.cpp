#include "tui/screens/fleet/fleet_evidence.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/fleet/carried_on.hpp"
#include "engine/fleet/left_run.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/record/stood.hpp"
#include "engine/text.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostJournals = 100;
constexpr std::size_t kMostNodes = 200;   // of a cluster that are looked for in its recording
constexpr std::size_t kMostReadings = 8;  // of a cluster, until its nodes are looked for in fewer of them
constexpr Duration kRoundsEvery{60'000};

// The time of the cluster's own clock.
TimePoint clock_of(const FleetQuestion& asked, const ClusterName& name) {
  for (const Cluster& one : asked.clusters)
    if (one.name == name) return cluster_now(one, asked.wall);
  return asked.wall;
}

// Why the file does not let a run go on that waits as planned; empty: it does.
std::string why_left(const FleetQuestion& asked, const RunHead& head, const plan::Run& run,
                     const fleet::FailedNodes& failed) {
  for (const Cluster& cluster : asked.clusters)
    if (cluster.name == head.cluster)
      return fleet::why_left(
          asked.file->fleet, asked.file->zone,
          {head, &run, cluster, {asked.catalogue, &asked.means.at(cluster.name), &asked.rules}, asked.wall},
          failed);
  return "";  // it is not looked at here
}

bool is_parked_by(const FleetQuestion& asked, const RunHead& head) {
  return head.state == RunState::parked && fleet::may_be_of(head, asked.path);
}

// What has failed in it counts for the others of its window, as the commands have it.
bool is_killed_in_a_window(const FleetQuestion& asked, const RunHead& head) {
  return head.state == RunState::interrupted && fleet::is_for_a_window(head) &&
         fleet::may_be_of(head, asked.path);
}

// Each node once, what drifts first.
template <class See>
void each_node(const FleetAnswer& answer, See see) {
  const fleet::NodeSurvey* before = nullptr;
  for (const FleetRow& row : answer.rows)
    if (std::exchange(before, row.node) != row.node) see(row);
}

}  // namespace

FleetSeen FleetEvidenceReader::read(std::shared_ptr<const FleetAnswer> answer, const pack::Stop& stop,
                                    const Tell& tell) {
  const auto runs = sources_.journal ? runs_to_read(*answer) : std::vector<const RunHead*>();
  const auto unread = [this](const RunHead* one) { return !is_read(*one); };
  if (std::any_of(runs.begin(), runs.end(), unread)) {
    tell(FleetSeen{answer, told(*answer), false});
    read_journals(runs, stop);
  }
  if (!stop() && expect_rounds(*answer)) {
    tell(FleetSeen{answer, told(*answer), false});
    read_rounds(*answer->question, stop);
  }
  auto evidence = told(*answer);
  return {std::move(answer), std::move(evidence), true};
}

std::shared_ptr<const FleetEvidence> FleetEvidenceReader::told(const FleetAnswer& answer) const {
  auto all = std::make_shared<FleetEvidence>();
  all->parked = parked_for_a_person(*answer.question);
  each_node(answer, [&](const FleetRow& row) {
    if (const RunHead* head = answer.last.of(*row.survey, *row.node); head && is_read(*head)) {
      const Journal& journal = journals_.at(head->run);
      all->left[row.node] = fleet::left_on(journal.run ? &*journal.run : nullptr, *row.node->node);
    }
    const auto of_cluster = rounds_.find(row.survey->cluster->name);
    if (row.node->standing != fleet::Standing::drifts || of_cluster == rounds_.end()) return;
    for (const Rounds& rounds : of_cluster->second) {
      const auto watch = rounds.watches.find(row.node->node->name);
      if (watch == rounds.watches.end() || !rounds.now || (!rounds.recorded && !rounds.failure)) continue;
      all->recorded[row.node] =
          rounds.failure ? "what a recording kept of it is not known: " + clean(to_line(*rounds.failure), 300)
                         : watch->second.sentence();
    }
  });
  return all;
}

// --- journals

std::vector<const RunHead*> FleetEvidenceReader::runs_to_read(const FleetAnswer& answer) {
  std::vector<const RunHead*> runs;
  std::set<std::string> seen;
  const auto add = [&](const RunHead& head) {
    if (runs.size() < kMostJournals && seen.insert(head.run).second) runs.push_back(&head);
  };
  for (const RunHead& head : answer.question->runs)
    if (is_parked_by(*answer.question, head) || is_killed_in_a_window(*answer.question, head)) add(head);
  each_node(answer, [&](const FleetRow& row) {
    const RunHead* head = answer.last.of(*row.survey, *row.node);
    if (head && head->state != RunState::marked && head->state != RunState::unreadable) add(*head);
  });
  return runs;
}

std::map<std::string, std::string> FleetEvidenceReader::parked_for_a_person(
    const FleetQuestion& asked) const {
  std::vector<std::pair<const RunHead*, const plan::Run*>> parked;  // null: its journal cannot be read
  fleet::FailedNodes failed;
  for (const RunHead& head : asked.runs) {
    const bool is_parked = is_parked_by(asked, head);
    if ((!is_parked && !is_killed_in_a_window(asked, head)) || !is_read(head)) continue;
    const std::optional<plan::Run>& run = journals_.at(head.run).run;
    if (is_parked) parked.emplace_back(&head, run ? &*run : nullptr);
    if (run) failed.note(*run);
  }
  std::map<std::string, std::string> all;
  for (const auto& [head, run] : parked)
    if (fleet::waits_for_a_person(*head, run, clock_of(asked, head->cluster)))
      all.emplace(head->run, "");
    else if (std::string why = why_left(asked, *head, *run, failed); !why.empty())
      all.emplace(head->run, std::move(why));
  return all;
}

// One that is under way is read again once it has stopped.
bool FleetEvidenceReader::is_read(const RunHead& head) const {
  const auto known = journals_.find(head.run);
  if (known == journals_.end()) return false;
  return head.state == RunState::running || known->second.last == head.last;
}

std::optional<plan::Run> FleetEvidenceReader::journal_of(const RunHead& head) const {
  if (head.state != RunState::running && is_read(head)) return journals_.at(head.run).run;
  if (!sources_.journal) return std::nullopt;
  Result<plan::Run> run = sources_.journal(head.run);
  return run ? std::optional(std::move(*run)) : std::nullopt;
}

void FleetEvidenceReader::read_journals(const std::vector<const RunHead*>& runs, const pack::Stop& stop) {
  std::erase_if(journals_, [&](const auto& one) {
    return std::none_of(runs.begin(), runs.end(),
                        [&](const RunHead* head) { return head->run == one.first; });
  });
  for (const RunHead* head : runs) {
    if (stop()) return;
    if (is_read(*head)) continue;
    Journal& journal = journals_[head->run];
    journal.last = head->state == RunState::running ? std::nullopt : std::optional(head->last);
    Result<plan::Run> run = sources_.journal(head->run);
    journal.run = run ? std::optional(std::move(*run)) : std::nullopt;
  }
}

// --- recordings

bool FleetEvidenceReader::expect_rounds(const FleetAnswer& answer) {
  if (!sources_.recordings) return false;
  for (auto& [cluster, all] : rounds_) {
    std::size_t nodes = 0;
    for (const Rounds& one : all) nodes += one.watches.size();
    // Where they fill all readings, it would begin again with each answer.
    if (all.size() >= kMostReadings && nodes <= kMostNodes * (kMostReadings - 1)) all.clear();
  }
  std::map<ClusterName, Rounds> fresh;
  each_node(answer, [&](const FleetRow& row) {
    const ClusterName& cluster = row.survey->cluster->name;
    const NodeName& node = row.node->node->name;
    const std::vector<Rounds>& known = rounds_[cluster];
    const bool has = std::any_of(known.begin(), known.end(),
                                 [&](const Rounds& one) { return one.watches.contains(node); });
    if (row.node->standing != fleet::Standing::drifts || has || known.size() >= kMostReadings) return;
    if (fresh[cluster].watches.size() < kMostNodes)
      fresh[cluster].watches.emplace(node, fleet::LayoutWatch(node));
  });
  for (auto& [cluster, rounds] : fresh) rounds_[cluster].push_back(std::move(rounds));
  const TimePoint wall = answer.question->wall;
  for (const auto& [cluster, all] : rounds_)
    for (const Rounds& one : all)
      if (!one.now || wall - *one.now >= kRoundsEvery) return true;
  return false;
}

void FleetEvidenceReader::read_rounds(const FleetQuestion& asked, const pack::Stop& stop) {
  auto recordings = sources_.recordings();
  for (auto& [cluster, all] : rounds_)
    for (Rounds& rounds : all) {
      Status read = Done{};
      if (!recordings) read = recordings.error();
      rounds.recorded = false;
      for (std::size_t i = 0; recordings && i < recordings->size(); ++i)
        if ((*recordings)[i]->cluster() == cluster) {
          rounds.recorded = true;
          read = read_on(rounds, *(*recordings)[i], clock_of(asked, cluster), stop);
        }
      if (stop()) return;
      rounds.failure = read ? std::nullopt : std::optional(read.error());
      rounds.now = asked.wall;
    }
}

Status FleetEvidenceReader::read_on(Rounds& rounds, record::Recording& recording, TimePoint clock,
                                    const pack::Stop& stop) {
  const auto covered = recording.covered();
  if (!covered) return record::can_be_read(recording);
  const TimePoint now = std::max(clock, covered->to);
  return recording.rounds(rounds.to.value_or(now - fleet::kLooksBack), now, [&](const record::Round& round) {
    if (stop()) return false;
    for (auto& [node, watch] : rounds.watches) watch.see(round.cluster, round.at);
    rounds.to = round.at;
    return true;
  });
}

}  // namespace tessera::tui
