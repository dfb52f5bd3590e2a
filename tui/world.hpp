// A model with the history of its figures, and which revision of it is shown: the live clusters are one
// world, and the moment of a recording that is looked at is another.
// Threads: a value of the UI thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>

#include "engine/history/history.hpp"
#include "engine/model/reduce.hpp"

namespace tessera::tui {

inline constexpr std::size_t kMostWatched = 24;

struct World {
  Model model;
  history::History history;
  std::uint64_t shown_revision = 0;
  std::uint64_t shown_status = 0;
  // The nodes on screen, of which more is kept, and those that were before; the latest first, kMostWatched.
  std::deque<std::pair<ClusterName, NodeName>> watched;
  std::map<ClusterName, TimePoint> summed;  // when it was summed up last
  std::map<ClusterName, TimePoint> clocks;  // of clusters with a clock of their own, as it was told last

  // What a source kept of the sums of clusters, until one was seen that it can be held against.
  std::map<ClusterName, history::SumsBefore> kept_sums;

  // Where a cluster's clock is set back, its samples of what is still to come are forgotten.
  void learn(Event event);
  void keep(const ClusterName& cluster, history::SumsBefore kept);
  // A chart of heat and power goes on while other pages are looked at.
  void watch(const ClusterName& cluster, std::span<const NodeName> nodes);
  // Known by name before it has told anything: what is being loaded is not what is missing.
  void expect(const ClusterName& cluster);
  std::size_t loaded() const;  // clusters
  // What was worked out of another world is never taken for this one's: revisions go on from there.
  void follow(const World& other);

 private:
  void forget(const ClusterName& cluster);
  void sum_up(const Cluster& cluster, TimePoint at);
  void join_kept_sums(const Cluster& cluster);
};

}  // namespace tessera::tui
