#include "engine/usage/reckoning.hpp"

#include <algorithm>

#include "engine/record/stood.hpp"
#include "engine/usage/exceptions.hpp"
#include "engine/usage/ledger.hpp"

namespace tessera::usage {
namespace {

double part_of(TimePoint at, TimePoint from, TimePoint to) {
  if (to <= from) return 1;
  return std::clamp(std::chrono::duration<double>(at - from) / std::chrono::duration<double>(to - from), 0.0,
                    1.0);
}

static_assert(kLongestRound == record::longest_step(Duration{0}), "rounds without a pace are judged alike");

}  // namespace

void Gaps::add(TimePoint begin, TimePoint end, record::Stop why) {
  ++count;
  all += end - begin;
  damaged += why == record::Stop::damaged ? 1 : 0;
  set_back += why == record::Stop::set_back ? 1 : 0;
  if (end - begin > to - from) from = begin, to = end, stop = why;
}

namespace {

// Before the first round that was asked for.
void begin_with(Gaps& gaps, TimePoint from, const record::Round& first) {
  if (!record::breaks_off(first.before)) return;
  if (first.at > from) return gaps.add(from, first.at, first.before);
  ++(first.before == record::Stop::damaged ? gaps.damaged : gaps.set_back);
}

}  // namespace

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
  return all;
}

Result<Reckoning> reckon(std::span<const std::unique_ptr<record::Recording>> recordings, const Span& span,
                         const mig::Catalogue& catalogue, const KeepOn& keep_on) {
  Reckoning all;  // of it: from and to
  Ledger ledger(catalogue, span.limits);
  bool goes_on = true;
  for (std::size_t i = 0; i < recordings.size() && goes_on; ++i) {
    const std::optional<record::Covered> covered = recordings[i]->covered();
    if (!covered) {
      if (Status none = record::can_be_read(*recordings[i]); !none) return none.error();
      continue;
    }
    const TimePoint from = std::max(covered->from, covered->to - span.since);
    std::optional<TimePoint> before;
    Duration longest = kLongestRound;  // until the next round, as the one before was asked for
    // From as long ago as was asked for: what cannot be read may lie before the first round.
    Status read =
        recordings[i]->rounds(covered->to - span.since, covered->to, [&](const record::Round& round) {
          // Of what is damaged nothing counts, not even as much as a round that came late.
          if (record::breaks_off(round.before)) longest = Duration{0};
          if (!before)
            begin_with(all.gaps, from, round);
          else if (round.at - *before > longest)
            all.gaps.add(*before, round.at, round.before);
          if (all.from == TimePoint{} || round.at < all.from) all.from = round.at;
          all.to = std::max(all.to, round.at);
          all.figures_every = std::max(all.figures_every, round.figures_every);
          ledger.see(round.cluster, round.at, longest);
          all.demand[round.cluster.name].see(round.cluster, round.at, ledger.held(), longest);
          before = round.at, longest = record::longest_step(round.every);
          if (keep_on)
            goes_on = keep_on((static_cast<double>(i) + part_of(round.at, from, covered->to)) /
                              static_cast<double>(recordings.size()));
          return goes_on;
        });
    if (!read) return read.error();
    if (goes_on && recordings[i]->stopped() == record::Stop::damaged) ++all.gaps.damaged;
  }
  Reckoning summed = sum_up(ledger, span, catalogue);
  summed.from = all.from, summed.to = all.to, summed.figures_every = all.figures_every;
  summed.gaps = all.gaps;
  summed.demand = std::move(all.demand);
  return summed;
}

}  // namespace tessera::usage
