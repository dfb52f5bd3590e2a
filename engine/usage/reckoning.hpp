// What recordings come to over some days: read through once, for the commands and for the screens alike.
// Threads: pure, but for the recordings, which belong to the thread that calls.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/record/recording.hpp"
#include "engine/usage/accounting_told.hpp"
#include "engine/usage/demand.hpp"
#include "engine/usage/kept_use.hpp"
#include "engine/usage/past_source.hpp"
#include "engine/usage/report.hpp"
#include "engine/usage/right_sizes.hpp"

namespace tessera::usage {

struct Exceptions;

struct Span {
  Duration since{7LL * 24 * 3'600'000};  // before the newest round of each recording
  Limits limits{};
  std::shared_ptr<const Exceptions> except{};  // null: everything counts
  bool right_sizes = false;                    // which smaller profiles would have done is wanted, too
};

// Times between two rounds of a recording that are farther apart than its recorder was asked for, or between
// which it is damaged or its recorder's clock was set back.
struct Gaps {
  int count = 0;
  Duration all{0};
  TimePoint from{}, to{};  // the longest
  record::Stop stop{};     // why that is one
  Duration untold{0};      // in which a scheduler did not tell who holds what: nothing of it counts
  // The newest round of each cluster that is not simulated, whose clock is another one, and what it stands
  // for at most.
  struct Newest {
    TimePoint at{};
    Duration longest{0};
  };
  std::map<ClusterName, Newest> newest;
  int damaged = 0;   // places; one at the beginning or the end is in `count` only where it has a length
  int set_back = 0;  // ... at which a clock was
  void add(TimePoint from, TimePoint to, record::Stop stop);
  void add(const Gaps& later);
};

// Clusters of which nothing was recorded for so long at `now`: their recorders have ended.
std::vector<std::pair<ClusterName, Duration>> ended(const Gaps& gaps, TimePoint now);

struct Reckoning {
  Span asked;
  TimePoint from{}, to{};     // the first and the last round; both zero: there was none
  Duration figures_every{0};  // the farthest that a day keeps them apart; 0: each round has them
  double hours = 0;           // that rounds cover
  Gaps gaps;                  // of all clusters
  double unplaced = 0;        // held on slices that are not reported
  std::optional<AccountingTold> accounting;  // nullopt: a recording
  std::vector<std::string> figures_by;       // of an accounting: "jobstats", "slurm"
  std::optional<KeptTold> kept;              // nullopt: it is not Prometheus
  std::map<By, std::vector<Sum>> sums;
  std::map<ClusterName, DemandOverTime> demand;  // of clusters of which it is known what was held
  std::vector<Waste> waste;
  std::vector<Waste> left_out;                    // by asked.except: not in `waste`
  std::optional<Error> waste_refused{};           // why there is no waste here, and the sums alone count
  std::vector<NotKnown> not_known;                // kinds of waste
  std::map<ClusterName, UseTold> use_told;        // of what was held, without what asked.except leaves out
  std::shared_ptr<const RightSizes> right_sizes;  // null: not wanted; without asked.except
};

inline PastSource source_of(const Reckoning& read) {
  if (read.accounting) return PastSource::accounting;
  return read.kept ? PastSource::prometheus : PastSource::recording;
}

// Whether it is known what was held there: series that name no pod or job tell what was used, and not by
// whom.
inline bool knows_held(const Reckoning& read, const ClusterName& cluster) {
  return !read.kept || !read.kept->nameless.contains(cluster);
}
// The sums of clusters where it is.
std::vector<Sum> known_as_held(const Reckoning& read, std::vector<Sum> sums);

// What a ledger comes to; from and to stay zero.
Reckoning sum_up(const Ledger& ledger, const Span& span, const mig::Catalogue& catalogue);

// Called now and then with the part that is done, 0 to 1; false: give up. From several threads at once, where
// a recording is read by several (record::Recording::read_pieces()).
using KeepOn = std::function<bool(double part)>;

// Errors: a recording that cannot be read. Given up: what was added up so far.
Result<Reckoning> reckon(std::span<const std::unique_ptr<record::Recording>> recordings, const Span& span,
                         const mig::Catalogue& catalogue, const KeepOn& keep_on = {});

// What was needed at the same time, of one partition or namespace (empty: all).
struct PastDemand {
  DemandOverTime demand;
  TimePoint from{}, to{};  // the first and the last round; both zero: there was none
  Gaps gaps{};             // of all clusters
};
// sizes: as DemandOverTime has them. Errors: as reckon().
Result<PastDemand> past_demand(std::span<const std::unique_ptr<record::Recording>> recordings, Duration since,
                               const std::string& group, const std::shared_ptr<const RightSizes>& sizes = {});

}  // namespace tessera::usage
