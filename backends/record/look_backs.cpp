#include "backends/record/look_backs.hpp"

#include <algorithm>
#include <utility>

#include "engine/history/sums.hpp"

namespace tessera::record {
namespace {

constexpr Duration kSumsEvery{60'000};  // between two of a cluster's sums

}  // namespace

void LookBacks::ask(std::optional<NodeName> node, TimePoint since, int turn) {
  const std::lock_guard lock(mutex_);
  wanted_.push_back({std::move(node), since, turn});
}

std::vector<history::KeptFigures> LookBacks::take_kept() {
  const std::lock_guard lock(mutex_);
  return std::exchange(kept_, {});
}

std::vector<history::Sums> LookBacks::take_sums() {
  const std::lock_guard lock(mutex_);
  return std::exchange(sums_, {});
}

// What another moment told is not known of this one.
void LookBacks::tell_idle(std::optional<std::vector<history::ToldIdle>> idle) {
  const std::lock_guard lock(mutex_);
  idle_ = std::move(idle).value_or(std::vector<history::ToldIdle>());
}

std::optional<std::vector<history::ToldIdle>> LookBacks::take_idle() {
  const std::lock_guard lock(mutex_);
  return std::exchange(idle_, std::nullopt);
}

bool LookBacks::any() const {
  const std::lock_guard lock(mutex_);
  return !wanted_.empty();
}

void LookBacks::forget_before(int turn) {
  const std::lock_guard lock(mutex_);
  std::erase_if(wanted_, [&](const Wanted& one) { return one.turn < turn; });
}

// Of all nodes at once: what is read is the same for each.
bool LookBacks::read(Recording& recording, TimePoint to, bool sums, const GoesOn& goes_on) {
  std::vector<Wanted> nodes, clusters;
  {
    const std::lock_guard lock(mutex_);
    for (Wanted& one : std::exchange(wanted_, {})) (one.node ? nodes : clusters).push_back(std::move(one));
  }
  if (nodes.empty() && clusters.empty()) return false;
  const bool told = nodes.empty() || read_nodes(recording, nodes, to, goes_on);
  if (told) nodes.clear();
  // While it plays, each moment adds its own.
  const bool summed = clusters.empty() || !sums || read_sums(recording, clusters, to, goes_on);
  if (summed) clusters.clear();
  const std::lock_guard lock(mutex_);
  for (std::vector<Wanted>* rest : {&nodes, &clusters})
    wanted_.insert(wanted_.begin(), rest->begin(), rest->end());
  return told && summed;
}

// False: given up.
bool LookBacks::read_nodes(Recording& recording, const std::vector<Wanted>& wanted, TimePoint to,
                           const GoesOn& goes_on) {
  std::vector<NodeName> nodes;
  TimePoint since = wanted.front().since;
  for (const Wanted& one : wanted) {
    since = std::min(since, one.since);
    nodes.push_back(*one.node);
  }
  auto found = recording.figures(nodes, since, to, goes_on);
  if (!goes_on()) return false;
  const std::lock_guard lock(mutex_);
  if (found) kept_.insert(kept_.end(), found->begin(), found->end());
  return true;
}

bool LookBacks::read_sums(Recording& recording, const std::vector<Wanted>& wanted, TimePoint to,
                          const GoesOn& goes_on) {
  TimePoint since = wanted.front().since;
  for (const Wanted& one : wanted) since = std::min(since, one.since);
  std::vector<history::Sums> all;
  (void)recording.rounds(since, to, [&](const Round& round) {
    if (!all.empty() && round.at - all.back().at < kSumsEvery) return goes_on();
    if (const auto sums = history::sums_of(round.cluster, round.at)) all.push_back(*sums);
    return goes_on();
  });
  if (!goes_on()) return false;
  const std::lock_guard lock(mutex_);
  sums_ = std::move(all);
  return true;
}

}  // namespace tessera::record
