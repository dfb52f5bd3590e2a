#include "tui/cli/change/runs_at_rest.hpp"

#include <utility>
#include <variant>

#include "engine/plan/run/closing.hpp"
#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {

std::vector<RunAtRest> runs_at_rest(OpenClusters& clusters, const Options& options,
                                    const std::vector<RunHead>& runs, const TakesUp& takes_up,
                                    FailedNodes& failed) {
  std::vector<RunAtRest> all;
  for (const RunHead& head : runs) {
    const bool killed = head.state == RunState::interrupted && takes_up && takes_up(head);
    if (head.state != RunState::parked && !killed) continue;
    auto known = read_run(clusters, options, head.run);
    RunAtRest& one = all.emplace_back(RunAtRest{head, killed});
    if (auto* followed = std::get_if<Followed>(&known)) one.known = std::move(*followed);
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
