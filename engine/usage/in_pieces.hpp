// Rounds of a recording added up piece by piece, at the same time where the recording can be read so. Where
// it is cut does not depend on how many threads read it, and pieces are put together in the order of time:
// the answer is the same with one thread and with several. Threads: the functions that are handed in are
// called from several at once, each with a piece of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/record/recording.hpp"

namespace tessera::usage {

// The part of a stretch that is done, 0 to 1: several add to it.
class Advance {
 public:
  explicit Advance(const record::Covered& all) : all_(all.to - all.from) {}
  void add(Duration more) { done_ += more.count(); }
  double part() const {
    const double part =
        all_ > Duration{0} ? static_cast<double>(done_.load()) / static_cast<double>(all_.count()) : 1;
    return part < 0 ? 0 : part > 1 ? 1 : part;
  }

 private:
  Duration all_;
  std::atomic<Duration::rep> done_{0};
};

template <class Part>
struct Piece {
  std::optional<Part> part;
  std::optional<TimePoint> first, last;  // round
  Status read = Done{};
};

// Rounds of [from, to] seen by one Part. advanced(since the round before): false: give up.
template <class Part, class Begin, class Advanced>
Piece<Part> read_piece(record::Recording& recording, TimePoint from, TimePoint to, const Begin& begin,
                       const Advanced& advanced) {
  Piece<Part> piece;
  piece.part.emplace(begin());
  piece.read = recording.rounds(from, to, [&](const record::Round& round) {
    const Duration since = round.at - piece.last.value_or(round.at);
    if (!piece.first) piece.first = round.at;
    piece.last = round.at;
    piece.part->see(round);
    return advanced(since);
  });
  return piece;
}

// Part: see(round), and go_on_with(Part&&): what another one saw whose first round is the last of this one.
// begin: makes one. covered: of [from, to], by the recording. goes_on(part that is done): false: what was
// seen so far is the answer. Errors: the recording's.
template <class Part, class Begin>
Result<Part> add_up(record::Recording& recording, TimePoint from, const record::Covered& covered,
                    const Begin& begin, const std::function<bool(double)>& goes_on) {
  const TimePoint to = covered.to;
  std::atomic<bool> given_up{false};
  const auto read = [&](record::Recording& one, TimePoint begins, TimePoint ends, Advance& done) {
    return read_piece<Part>(one, begins, ends, begin, [&](Duration since) {
      done.add(since);
      if (!given_up && goes_on && !goes_on(done.part())) given_up = true;
      return !given_up;
    });
  };
  const std::vector<TimePoint> cuts = recording.cuts(from, to);
  std::optional<Piece<Part>> all;
  bool fits = true;
  if (!cuts.empty()) {
    Advance done(covered);
    std::vector<std::optional<Piece<Part>>> pieces(cuts.size() + 1);
    recording.read_pieces(
        pieces.size(),
        [&](std::size_t i, record::Recording& one) {
          pieces[i].emplace(read(one, i == 0 ? from : cuts[i - 1], i == cuts.size() ? to : cuts[i], done));
        },
        [&](std::size_t i) {
          Piece<Part> next = *std::exchange(pieces[i], std::nullopt);
          if (!all) return void(all.emplace(std::move(next)));
          if (!all->read) return;
          if (!next.read) return void(all->read = next.read);
          // What is cut at a round that cannot be read as a whole, or was written again meanwhile, does not
          // fit.
          fits = fits && all->last && next.first == all->last;
          if (!fits) return;
          all->part->go_on_with(std::move(*next.part));
          all->last = next.last;
        });
  }
  if (!all || (!fits && !given_up)) {
    Advance done(covered);
    all.emplace(read(recording, from, to, done));
  }
  if (!all->read) return all->read.error();
  return std::move(*all->part);
}

}  // namespace tessera::usage
