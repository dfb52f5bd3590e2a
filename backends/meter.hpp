// What it costs to ask: requests or commands of each source, and the bytes of their answers, over the last
// five minutes. The pace that people are shown and what each source costs come from the same counts.
//
// Bytes are those of the answers themselves: what a program printed, the body of an HTTP answer or of a watch
// as far as it has come. Threads: a plain value of one thread; time is passed in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "engine/model/sources.hpp"
#include "engine/model/units.hpp"

namespace tessera {

class Meter {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // least: for so long is counted at least, so that the calls of a start are not taken for an hour's habit.
  Meter(Instant since, Duration least) : since_(since), least_(least) {}

  // Source::none: no source's, as the steps of a run are.
  void called(Source source, Instant now);
  void came(Source source, std::size_t bytes, Instant now);

  // nullopt: it has never been asked.
  std::optional<SourceCost> cost(Source source, Instant now);
  // Of all of them, Source::none included.
  SourceCost whole(Instant now);
  double calls_per_minute(Instant now);

 private:
  struct Entry {
    Instant at{};
    Source source = Source::none;
    std::int64_t calls = 0, bytes = 0;
  };
  void forget(Instant now);
  Duration over(Instant now) const;

  Instant since_;
  Duration least_;
  std::deque<Entry> entries_;              // oldest first
  std::map<Source, SourceCost> sums_;      // of them, by source; without a time
  std::map<Source, std::size_t> arrived_;  // how many entries were made before the last one with bytes
  std::size_t made_ = 0;                   // entries so far, those that are forgotten included
};

}  // namespace tessera
