// What a ledger comes to: sums by user, account and the rest, and what was wasted.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"
#include "engine/usage/limits.hpp"

namespace tessera::usage {

class Ledger;
struct Exceptions;

enum class By : std::uint8_t { user, account, group, profile, node, workload };
std::optional<By> by_of(std::string_view word);

struct Sum {
  ClusterName cluster;
  std::string name;  // empty: not reported
  double gpu_hours = 0, slice_hours = 0;
  double measured = 0;                      // GPU-hours with a figure of use
  std::optional<double> mean_use, p95_use;  // percent, over `measured`
  std::optional<Mib> memory_peak;           // the largest of one slice
  double idle = 0;                          // GPU-hours
  double waited = 0;                        // hours of waiting jobs and pods
  // Hours of slices of which it is not known what part of a GPU they are: only in slice_hours.
  double unvalued = 0;
};
// What was never used is known without a figure, where Slurm tells that.
inline bool knows_idle(const Sum& sum) { return sum.measured > 0 || sum.idle > 0; }
// Most GPU-hours first.
std::vector<Sum> sums(const Ledger& ledger, By by);
// The share of all held GPU-hours for which use was measured, 0 to 100; nullopt: nothing was held.
std::optional<double> coverage(const std::vector<Sum>& sums);

// Of the hours held in a cluster, without those of which waste-except leaves out all that could be found.
struct UseTold {
  // Why it is not known of the others; of most of them.
  enum class Missing : std::uint8_t { figures, own_use, place };
  double percent = 100;  // of which the use is known, also where it is known without a figure
  Missing mostly = Missing::figures;
  bool left_out = false;  // all of them are
};
// Of each cluster in which something was held. What several used together is known of none of them. Of work
// that held for less than Limits::idle_after, and was measured, what was before its first figure is left out.
std::map<ClusterName, UseTold> use_told(const Ledger& ledger, const Exceptions* except);
// Where it is less, nothing found is not nothing wasted.
inline constexpr double kLeastTold = 80;
// The cluster of which least is known, where that is less; null: enough is known of all.
const std::pair<const ClusterName, UseTold>* least_told(const std::map<ClusterName, UseTold>& all);

// Hours of what is in no GPU-hour, since it is not known what part of a GPU it was.
double unvalued(const std::vector<Sum>& sums);
// GPU-hours, at least; nullopt: of all that was held it is not known.
std::optional<double> known_gpu_hours(const Sum& sum);

struct Waste {
  ClusterName cluster;
  std::string kind;      // "idle" "parked" "too-big" "stranded" "unasked" "rogue"
  std::string user;      // empty: no owner
  std::string workload;  // empty: no owner
  std::string node;
  std::string profile;
  std::optional<double> slice_hours;  // nullopt: this product is not counted in slices
  std::optional<double> hours;        // of holding it; nullopt: this is about no holder
  std::string advice;                 // what would do instead, or be worth looking at
  std::string account{}, group{};     // of the owner; group: partition or namespace
};
// Most slice-hours first, then the longest. What is parked is idle, too, and counted as parked; what is idle
// most of the time is not also too big. By the ledger's limits.
std::vector<Waste> waste(const Ledger& ledger, const mig::Catalogue& catalogue);

// A kind of waste of which a cluster's rounds cannot tell: n/a, and not none.
struct NotKnown {
  ClusterName cluster;
  std::string kind;
  std::string missing;
  bool partly = false;  // of some of what was held there: the rest was measured
};
std::vector<NotKnown> not_known(const Ledger& ledger);
// Its line, around `missing` in the reader's language. Empty: that of another kind tells it, too.
std::string not_known_line(const NotKnown& one, std::string_view missing);

// One text for each owner, for people to send on; from, to: the time that was looked at.
struct Letter {
  std::string user;
  std::string text;
};
std::vector<Letter> letters(const std::vector<Waste>& all, TimePoint from, TimePoint to);

}  // namespace tessera::usage
