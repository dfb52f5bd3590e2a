#include "backends/meter.hpp"

#include <algorithm>

namespace tessera {
namespace {

using namespace std::chrono_literals;
constexpr auto kWindow = 5min;
constexpr auto kTogether = 5s;         // bytes that come so close to each other are one entry
constexpr std::size_t kMost = 20'000;  // entries; beyond it the window is shorter

}  // namespace

void Meter::forget(Instant now) {
  while (!entries_.empty() && (now - entries_.front().at > kWindow || entries_.size() > kMost)) {
    const Entry& oldest = entries_.front();
    if (now - oldest.at <= kWindow) since_ = oldest.at;  // what was counted before is not known any more
    SourceCost& sum = sums_[oldest.source];
    sum.calls -= oldest.calls;
    sum.bytes -= oldest.bytes;
    entries_.pop_front();
  }
}

Duration Meter::over(Instant now) const {
  const auto run = std::chrono::duration_cast<Duration>(now - since_);
  return std::clamp<Duration>(run, least_, std::max<Duration>(least_, kWindow));
}

void Meter::called(Source source, Instant now) {
  entries_.push_back({now, source, 1, 0});
  ++made_;
  ++sums_[source].calls;
  forget(now);
}

void Meter::came(Source source, std::size_t bytes, Instant now) {
  if (bytes == 0) return;
  const auto size = static_cast<std::int64_t>(bytes);
  sums_[source].bytes += size;
  // A watch brings thousands of lines: they are kept in steps of some seconds.
  const std::size_t gone = made_ - entries_.size();
  const auto last = arrived_.find(source);
  if (last != arrived_.end() && last->second >= gone) {
    Entry& entry = entries_[last->second - gone];
    if (now - entry.at < kTogether) {
      entry.bytes += size;
      return;
    }
  }
  arrived_[source] = made_++;
  entries_.push_back({now, source, 0, size});
  forget(now);
}

std::optional<SourceCost> Meter::cost(Source source, Instant now) {
  forget(now);
  const auto found = sums_.find(source);
  if (found == sums_.end()) return std::nullopt;
  SourceCost cost = found->second;
  cost.over = over(now);
  return cost;
}

SourceCost Meter::whole(Instant now) {
  forget(now);
  SourceCost all;
  for (const auto& [source, sum] : sums_) {
    all.calls += sum.calls;
    all.bytes += sum.bytes;
  }
  all.over = over(now);
  return all;
}

double Meter::calls_per_minute(Instant now) {
  const SourceCost all = whole(now);
  return static_cast<double>(all.calls) * 60'000.0 / static_cast<double>(all.over.count());
}

}  // namespace tessera
