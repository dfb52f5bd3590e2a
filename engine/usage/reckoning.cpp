#include "engine/usage/reckoning.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/record/stood.hpp"
#include "engine/usage/exceptions.hpp"
#include "engine/usage/in_pieces.hpp"
#include "engine/usage/kept_use.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/silent.hpp"

namespace tessera::usage {
namespace {

static_assert(kLongestRound == record::longest_step(Duration{0}), "rounds without a pace are judged alike");

// What a walk through rounds knows of the times between them.
class Steps {
 public:
  // asked: what lies before is no gap. at_steps: a source that keeps figures has a round at each step of
  // which it kept any; else a recorder wrote them, which may come late.
  Steps(TimePoint asked, bool at_steps) : asked_(asked), at_steps_(at_steps) {}

  // For how long at most the round counts, which speaks of the time since the one before.
  Duration see(const record::Round& round) {
    // Of what is damaged nothing counts, not even as much as a round that came late.
    const Duration longest = record::breaks_off(round.before) ? Duration{0} : longest_;
    const bool silent = work_is_silent(round.cluster, round.at, longest_);
    const bool missing = first_ && round.at - last_ > longest;
    if (!first_) begin_with(round), name_ = round.cluster.name;
    if (missing)
      gaps_.add(last_, round.at, round.before);
    else if (first_ && silent)
      gaps_.untold += round.at - last_;
    if (!first_) first_ = round.at;
    last_ = round.at, simulated_ = round.cluster.simulated;
    const Duration step = round.figures_every;
    longest_ = at_steps_ && step > Duration{0} ? step + step / 2 : record::longest_step(round.every);
    figures_every_ = std::max(figures_every_, round.figures_every);
    // A round that a recorder writes late tells of some time before it; a value tells of its step alone.
    return silent || (at_steps_ && missing) ? Duration{0} : longest;
  }
  // Its first round is the last one of this: what lies before that is told already.
  void go_on_with(const Steps& later) {
    gaps_.add(later.gaps_);
    last_ = later.last_, longest_ = later.longest_, simulated_ = later.simulated_;
    figures_every_ = std::max(figures_every_, later.figures_every_);
  }

  std::optional<TimePoint> first() const { return first_; }
  TimePoint last() const { return last_; }
  Duration figures_every() const { return figures_every_; }
  Gaps gaps() const {
    Gaps all = before_;
    all.add(gaps_);
    if (first_ && !simulated_) all.newest[name_] = {last_, longest_};
    return all;
  }

 private:
  void begin_with(const record::Round& round) {
    if (!record::breaks_off(round.before)) return;
    if (round.at > asked_) return before_.add(asked_, round.at, round.before);
    ++(round.before == record::Stop::damaged ? before_.damaged : before_.set_back);
  }

  TimePoint asked_;
  bool at_steps_;
  ClusterName name_;
  bool simulated_ = false;
  std::optional<TimePoint> first_;
  TimePoint last_{};
  Duration longest_ = kLongestRound;  // until the next round, as the last one was asked for
  Duration figures_every_{0};
  Gaps before_, gaps_;  // before the first round, and between them
};

// Of one recording.
struct Counted {
  Counted(const mig::Catalogue& catalogue, const Limits& limits, TimePoint asked, bool at_steps)
      : ledger(std::make_unique<Ledger>(catalogue, limits)), steps(asked, at_steps) {}
  void see(const record::Round& round) {
    if (!steps.first()) cluster = round.cluster.name;
    const Duration longest = steps.see(round);
    ledger->see(round.cluster, round.at, longest);
    demand.see(round.cluster, round.at, ledger->held(), longest);
  }
  void go_on_with(Counted&& later) {
    ledger->go_on_with(std::move(*later.ledger));
    demand.go_on_with(later.demand);
    steps.go_on_with(later.steps);
  }
  ClusterName cluster;
  std::unique_ptr<Ledger> ledger;
  DemandOverTime demand;
  Steps steps;
};

struct Needed {
  Needed(const DemandOverTime& empty, TimePoint asked, bool at_steps)
      : demand(empty), steps(asked, at_steps) {}
  void see(const record::Round& round) {
    const Duration longest = steps.see(round);
    demand.see(round.cluster, round.at, longest);
  }
  void go_on_with(Needed&& later) {
    demand.go_on_with(later.demand);
    steps.go_on_with(later.steps);
  }
  DemandOverTime demand;
  Steps steps;
};

bool has_steps(const record::Recording& recording) {
  return dynamic_cast<const KeptUse*>(&recording) != nullptr;
}

// Of the times of one recording, into those of all.
template <class All>
void add_steps(All& all, const Steps& steps) {
  all.gaps.add(steps.gaps());
  if (!steps.first()) return;
  if (all.from == TimePoint{} || *steps.first() < all.from) all.from = *steps.first();
  all.to = std::max(all.to, steps.last());
}

// From as long ago as was asked for: what cannot be read may lie before the first round.
TimePoint asked_from(const record::Covered& covered, Duration since) { return covered.to - since; }

// What is recorded of that.
record::Covered recorded_of(const record::Covered& covered, Duration since) {
  return {std::max(covered.from, asked_from(covered, since)), covered.to};
}

}  // namespace

void Gaps::add(TimePoint begin, TimePoint end, record::Stop why) {
  ++count;
  all += end - begin;
  damaged += why == record::Stop::damaged ? 1 : 0;
  set_back += why == record::Stop::set_back ? 1 : 0;
  if (end - begin > to - from) from = begin, to = end, stop = why;
}

void Gaps::add(const Gaps& later) {
  count += later.count;
  all += later.all;
  damaged += later.damaged;
  set_back += later.set_back;
  untold += later.untold;
  for (const auto& [cluster, round] : later.newest) newest.insert_or_assign(cluster, round);
  if (later.to - later.from > to - from) from = later.from, to = later.to, stop = later.stop;
}

std::vector<std::pair<ClusterName, Duration>> ended(const Gaps& gaps, TimePoint now) {
  std::vector<std::pair<ClusterName, Duration>> all;
  for (const auto& [cluster, newest] : gaps.newest)
    if (now - newest.at > newest.longest) all.emplace_back(cluster, now - newest.at);
  return all;
}

Reckoning sum_up(const Ledger& ledger, const Span& span, const mig::Catalogue& catalogue) {
  Reckoning all;
  all.asked = span;
  all.hours = ledger.hours();
  all.unplaced = ledger.unplaced();
  for (const By by : {By::user, By::account, By::group, By::profile, By::node, By::workload})
    all.sums[by] = sums(ledger, by);
  all.waste = waste(ledger, catalogue);
  if (span.except) all.left_out = leave_out(all.waste, *span.except);
  all.not_known = not_known(ledger);
  all.use_told = use_told(ledger, span.except.get());
  if (span.right_sizes) all.right_sizes = std::make_shared<const RightSizes>(ledger, catalogue, all.left_out);
  return all;
}

Result<Reckoning> reckon(std::span<const std::unique_ptr<record::Recording>> recordings, const Span& span,
                         const mig::Catalogue& catalogue, const KeepOn& keep_on) {
  Reckoning all;  // of it: what add_steps() sets, and the demand
  Ledger ledger(catalogue, span.limits);
  std::atomic<bool> goes_on{true};
  for (std::size_t i = 0; i < recordings.size() && goes_on; ++i) {
    const std::optional<record::Covered> covered = recordings[i]->covered();
    if (!covered) {
      if (Status none = record::can_be_read(*recordings[i]); !none) return none.error();
      continue;
    }
    const record::Covered recorded = recorded_of(*covered, span.since);
    auto counted = add_up<Counted>(
        *recordings[i], asked_from(*covered, span.since), recorded,
        [&] { return Counted(catalogue, span.limits, recorded.from, has_steps(*recordings[i])); },
        [&](double part) {
          if (keep_on && !keep_on((static_cast<double>(i) + part) / static_cast<double>(recordings.size())))
            goes_on = false;
          return goes_on.load();
        });
    if (!counted) return counted.error();
    add_steps(all, counted->steps);
    all.figures_every = std::max(all.figures_every, counted->steps.figures_every());
    if (counted->steps.first()) all.demand[counted->cluster].go_on_with(counted->demand);
    ledger.go_on_with(std::move(*counted->ledger));
    if (goes_on && recordings[i]->stopped() == record::Stop::damaged) ++all.gaps.damaged;
  }
  Reckoning summed = sum_up(ledger, span, catalogue);
  summed.from = all.from, summed.to = all.to, summed.figures_every = all.figures_every;
  summed.gaps = all.gaps;
  summed.demand = std::move(all.demand);
  return summed;
}

std::vector<Sum> known_as_held(const Reckoning& read, std::vector<Sum> sums) {
  std::erase_if(sums, [&](const Sum& sum) { return !knows_held(read, sum.cluster); });
  return sums;
}

Result<PastDemand> past_demand(std::span<const std::unique_ptr<record::Recording>> recordings, Duration since,
                               const std::string& group, const std::shared_ptr<const RightSizes>& sizes) {
  const DemandOverTime empty(group, sizes);
  PastDemand all{empty};
  for (const auto& one : recordings) {
    const std::optional<record::Covered> covered = one->covered();
    if (!covered) {
      if (Status none = record::can_be_read(*one); !none) return none.error();
      continue;
    }
    const record::Covered recorded = recorded_of(*covered, since);
    auto needed = add_up<Needed>(*one, asked_from(*covered, since), recorded,
                                 [&] { return Needed(empty, recorded.from, has_steps(*one)); }, {});
    if (!needed) return needed.error();
    add_steps(all, needed->steps);
    all.demand.go_on_with(needed->demand);
    if (one->stopped() == record::Stop::damaged) ++all.gaps.damaged;
  }
  return all;
}

}  // namespace tessera::usage
