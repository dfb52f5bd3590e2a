#include "tui/cli/change/runs_at_rest.hpp"

#include <utility>
#include <variant>

#include "engine/plan/run/closing.hpp"
#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {

std::shared_ptr<const Followed> KeptJournals::of(OpenClusters& clusters, const Options& options,
                                                 const RunHead& head) {
  if (const auto kept = all_.find(head.run); kept != all_.end() && kept->second.head == head)
    return kept->second.known;
  auto read = read_run(clusters, options, head.run);
  auto* followed = std::get_if<Followed>(&read);
  if (!followed) return nullptr;  // and asked for again: what was not read may be readable the next time
  auto known = std::make_shared<const Followed>(std::move(*followed));
  all_[head.run] = {head, known};
  return known;
}

std::vector<RunAtRest> runs_at_rest(OpenClusters& clusters, const Options& options,
                                    const std::vector<RunHead>& runs, const TakesUp& takes_up,
                                    FailedNodes& failed, KeptJournals& kept) {
  std::vector<RunAtRest> all;
  for (const RunHead& head : runs) {
    const bool killed = head.state == RunState::interrupted && takes_up && takes_up(head);
    if (head.state != RunState::parked && !killed) continue;
    RunAtRest& one = all.emplace_back(RunAtRest{head, killed, kept.of(clusters, options, head)});
    if (one.known) failed.note(*one.run());
  }
  return all;
}

Judged judge(const RunAtRest& one, const OpenClusters& clusters, std::optional<NotCarriedOn> why_not) {
  const Cluster* cluster = clusters.model().find(one.head.cluster);
  const TimePoint now = cluster ? cluster_now(*cluster, clusters.wall()) : clusters.wall();
  const std::size_t kills = one.known ? plan::taken_up_after_kills(one.known->entries()) : 0;
  return judge(one.head, one.run(), cluster, now, one.killed ? std::optional(kills) : std::nullopt,
               std::move(why_not));
}

}  // namespace tessera::cli
