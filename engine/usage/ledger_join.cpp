// Two ledgers of one recording, of which the later one begins with the round that ends the earlier one: what
// goes on over that round is put together, as if one ledger had seen all.
#include <algorithm>
#include <utility>

#include "engine/hours.hpp"
#include "engine/usage/ledger.hpp"

namespace tessera::usage {
namespace {

constexpr double kSlack = 1e-9;  // what sums of hours may miss
double hours_at_least(Duration least) { return hours_of(least) - kSlack; }

// Hours of a stretch that are in no sum yet: each of its parts is there where it counts for itself.
double missing(double first, double second, bool first_counts, bool second_counts, bool whole_counts) {
  return (whole_counts ? first + second : 0) - (first_counts ? first : 0) - (second_counts ? second : 0);
}

template <class Key>
void add_each(std::map<Key, double>& to, const std::map<Key, double>& more) {
  for (const auto& [key, value] : more) to[key] += value;
}

}  // namespace

Ledger::Seam Ledger::seam_with(const ClusterName& cluster, const Ledger& later) const {
  const auto ends = before_.find(cluster), begins = later.began_.find(cluster);
  if (ends == before_.end() || begins == later.began_.end() || ends->second != begins->second)
    return std::nullopt;
  return ends->second;
}

void Hold::Stretch::go_on_with(const Stretch& later) {
  idle += later.idle, parked += later.parked;
  if (!first) first = later.first, wants_two = later.wants_two;
  if (later.last) last = later.last;
}

void Ledger::go_on_with(Hold& hold, const Hold& later, const Seam& seam) const {
  hold.hours += later.hours, hold.measured += later.measured, hold.use += later.use;
  if (hold.told == TimePoint{}) hold.before_first += later.before_first;
  hold.spread.add(later.spread);
  hold.idle += later.idle, hold.parked += later.parked;
  hold.together += later.together;
  hold.sharers = std::max(hold.sharers, later.sharers);
  hold.memory_peak = std::max(hold.memory_peak, later.memory_peak);
  if (later.figures) {
    const bool same = hold.last_figure && hold.last_figure == later.first_figure;  // counted in both
    hold.figures = hold.figures.value_or(0) + *later.figures - (same ? 1 : 0);
    if (!hold.first_figure) hold.first_figure = later.first_figure;
    hold.last_figure = later.last_figure;
  }
  if (later.told == TimePoint{}) return;  // without a figure it goes on as it was
  const bool one = seam && hold.told == *seam && later.head_began == *seam;
  if (one) {
    const double least = hours_at_least(limits_.idle_after);
    Hold::Stretch whole = hold.run;
    whole.go_on_with(later.head);
    const bool counts[] = {hold.run.counts(least), later.head.counts(least), whole.counts(least)};
    hold.idle += missing(hold.run.idle, later.head.idle, counts[0], counts[1], counts[2]);
    hold.parked += missing(hold.run.parked, later.head.parked, counts[0], counts[1], counts[2]);
  }
  if (one && later.goes_on)
    hold.run.go_on_with(later.run);
  else
    hold.run = later.run;
  hold.told = later.told;
}

void Ledger::go_on_with(Rogue& rogue, const Rogue& later, const Seam& seam) const {
  const bool one = seam && rogue.told == *seam && later.head_began == *seam;
  const double least = hours_at_least(limits_.rogue_after);
  rogue.hours += later.hours;
  rogue.use = std::max(rogue.use, later.use), rogue.memory = std::max(rogue.memory, later.memory);
  Rogue::Stretch run = later.run;
  if (one) {
    const double first = rogue.run.hours, second = later.head.hours;
    rogue.hours += missing(first, second, first >= least, second >= least, first + second >= least);
    Rogue::Stretch whole{rogue.run.hours + later.head.hours, std::max(rogue.run.use, later.head.use),
                         std::max(rogue.run.memory, later.head.memory)};
    if (whole.hours >= least)
      rogue.use = std::max(rogue.use, whole.use), rogue.memory = std::max(rogue.memory, whole.memory);
    if (later.goes_on) run = whole;
  }
  rogue.run = run;
  rogue.told = later.told;
}

// The time since it was listed before: what is not listed in between may be another process of that number.
void Ledger::add_listed(RogueProcess& rogue, const std::string& place, TimePoint told, Duration longest,
                        bool free) {
  const TimePoint before = std::exchange(rogue.told, told);
  if (told <= before || told - before > longest) return;
  rogue.hours += hours_of(told - before);
  if (!free) return;
  rogue.free_hours += hours_of(told - before);
  auto& times = rogue_times_[place];
  if (times.empty() || before > times.back().second)
    times.emplace_back(before, told);
  else
    times.back() = {std::min(times.back().first, before), std::max(times.back().second, told)};
}

void Ledger::go_on_with(RogueProcess& rogue, const RogueProcess& later) {
  // The time until it was listed again, as a round of the later ones had it.
  add_listed(rogue, later.place, later.first_told, later.first_longest, later.first_free);
  rogue.hours += later.hours, rogue.free_hours += later.free_hours;
  rogue.told = later.told;
  rogue.memory = std::max(rogue.memory, later.memory);
  if (!later.workload.empty()) rogue.workload = later.workload, rogue.user = later.user;
}

void Ledger::go_on_with(Spare& spare, const Spare& later) {
  const bool as_gpu = spare.as_gpu || later.as_gpu;
  const Spare before = std::exchange(spare, later);
  spare.as_gpu = as_gpu;
  if (!later.goes_on) return;
  spare.since += before.since, spare.slice_hours += before.slice_hours, spare.hours += before.hours;
}

void Ledger::join_spare(Ledger& later) {
  for (auto& [key, spare] : spare_) {
    if (!later.began_.contains(spare.cluster)) continue;
    const auto found = later.spare_.find(key);
    if (found != later.spare_.end()) {
      go_on_with(spare, found->second);
    } else {
      // None was free in any round, or no round could tell.
      spare.stood = false;
      if (later.looked_at_.contains(spare.cluster)) spare.since = spare.slice_hours = spare.hours = 0;
    }
  }
  spare_.merge(later.spare_);
}

void Ledger::go_on_with(Ledger&& later) {
  std::map<ClusterName, Seam> seams;
  for (const auto& [cluster, begin] : later.began_) {
    seams[cluster] = seam_with(cluster, later);
    if (seams[cluster]) --rounds_;  // both have seen it
    seats_.erase(cluster);          // holds of the later one may take their place
  }
  const auto seam_of = [&](const ClusterName& cluster) -> Seam {
    const auto found = seams.find(cluster);
    return found == seams.end() ? std::nullopt : found->second;
  };
  for (auto& [key, hold] : later.holds_)
    if (const auto known = holds_.find(key); known != holds_.end())
      go_on_with(known->second, hold, seam_of(hold.cluster));
  holds_.merge(later.holds_);
  for (auto& [key, waited] : later.waited_)
    if (const auto known = waited_.find(key); known != waited_.end()) {
      const double before = known->second.hours;
      known->second = std::move(waited);
      known->second.hours += before;
    }
  waited_.merge(later.waited_);
  for (auto& [key, rogue] : later.rogues_)
    if (const auto known = rogues_.find(key); known != rogues_.end())
      go_on_with(known->second, rogue, seam_of(rogue.cluster));
  rogues_.merge(later.rogues_);
  for (auto& [key, rogue] : later.rogue_processes_)
    if (const auto known = rogue_processes_.find(key); known != rogue_processes_.end())
      go_on_with(known->second, rogue);
  rogue_processes_.merge(later.rogue_processes_);
  for (const auto& [place, times] : later.rogue_times_) {
    auto& all = rogue_times_[place];
    all.insert(all.end(), times.begin(), times.end());
  }
  join_spare(later);
  held_ = std::move(later.held_);
  free_seldom_.merge(later.free_seldom_);
  for (const auto& [cluster, measured] : later.free_measured_) {
    bool& any = free_measured_[cluster];
    any = any || measured;
  }
  add_each(known_, later.known_), add_each(covered_, later.covered_);
  for (const auto& [cluster, nodes] : later.stranded_) add_each(stranded_[cluster], nodes);
  for (const auto& [cluster, at] : later.before_) before_.insert_or_assign(cluster, at);
  began_.merge(later.began_);
  looked_at_.merge(later.looked_at_);
  unplaced_ += later.unplaced_;
  rounds_ += later.rounds_;
}

}  // namespace tessera::usage
