// How many instances of each profile were needed at the same time: those that running jobs and pods held,
// and those for which others waited for room. Peaks tell what a layout has to offer; sums do not.
//
// Each round stands for the time since the one before, for record::longest_step() at most; an hour without a
// round is left out, since nothing is known of it. Threads: values; one owner.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/record/step.hpp"
#include "engine/usage/right_sizes.hpp"

namespace tessera::usage {

// The most of one hour (of UTC) that were needed at the same time.
struct DemandHour {
  ClusterName cluster;
  std::string profile;  // "1g.10gb"; "whole": GPUs that are not cut
  TimePoint hour{};     // its beginning
  int peak = 0;         // held and waited for, at `at`
  int held = 0, waiting = 0;
  TimePoint at{};
  double hours = 0;  // of this hour, that rounds stand for
  double sum = 0;    // instance-hours
};

// What a layout has to offer for such a slice: "1g.10gb", "whole"; empty: a share of a GPU, which none
// counts.
std::string_view profile_in_demand(const Slice& slice);

// Of all hours.
struct DemandPeak {
  ClusterName cluster;
  std::string profile;
  int peak = 0, held = 0, waiting = 0;
  TimePoint at{};
  double mean = 0;  // over the hours that are recorded
};

class DemandOverTime {
 public:
  // group: only what belongs to this partition or namespace; empty: all. sizes: what held too much counts as
  // the profile that would have done, also while it waited; null: as it was held.
  explicit DemandOverTime(std::string group = {}, std::shared_ptr<const RightSizes> sizes = {})
      : group_(std::move(group)), sizes_(std::move(sizes)) {}

  // One round. Rounds of a cluster come in the order of time; the one before may be so far away.
  void see(const Cluster& cluster, TimePoint at, Duration longest = record::kShortestGap);
  // The same, where what running work holds was counted already (Ledger::held()). Precondition: no group,
  // and no sizes.
  void see(const Cluster& cluster, TimePoint at, const std::map<std::string, int, std::less<>>& held,
           Duration longest = record::kShortestGap);
  // What another source tells: so many of each profile were held from `at` on for so many hours of one hour
  // of the clock, and so many of which the profile is not known.
  void hold(const ClusterName& cluster, TimePoint at, double hours, const std::map<std::string, int>& held,
            int unplaced);
  // As what that counts, which such work held.
  std::string_view needed_as(const ClusterName& cluster, const WorkloadId& workload,
                             std::string_view profile);
  // As if nothing was seen of it: what was held there turns out not to be known.
  void forget(const ClusterName& cluster);
  // What later rounds have added up. Precondition: of each cluster the first of these is the last one that
  // this saw, or this saw none; both are of one group.
  void go_on_with(const DemandOverTime& later);
  // By cluster, profile and hour.
  std::vector<DemandHour> by_hour() const;
  // By cluster and profile.
  std::vector<DemandPeak> peaks() const;
  // Of one cluster: for how many hours so many were needed at the same time, by their number.
  std::map<int, double> spread(const ClusterName& cluster, const std::string& profile) const;
  double hours() const { return hours_; }  // that rounds stand for
  int rounds() const { return rounds_; }
  // The most GPUs or slices held at the same time of which it is not known which: in no profile above.
  int unplaced() const { return unplaced_; }
  // How many jobs and pods counted as a smaller profile; nullopt: everything counts as it was held.
  std::optional<std::size_t> right_sized() const;

 private:
  struct Need {
    int held = 0, waiting = 0;
  };
  using Needs = std::map<std::string, Need>;
  Needs held_on(const Cluster& cluster);
  void add_waiting(const Cluster& cluster, Needs& needs);
  void take(const Cluster& cluster, TimePoint at, Needs needs, Duration longest);
  void count(const ClusterName& cluster, TimePoint at, double hours, const Needs& needs);

  std::string group_;
  std::shared_ptr<const RightSizes> sizes_;
  std::map<ClusterName, std::unordered_set<WorkloadId>> right_sized_;
  std::map<ClusterName, TimePoint> began_, before_;
  std::map<ClusterName, std::map<TimePoint, double>> covered_;  // hours that rounds stand for
  std::map<ClusterName, double> covered_in_all_;
  std::map<std::pair<ClusterName, std::string>, std::map<TimePoint, DemandHour>> all_;
  std::map<std::pair<ClusterName, std::string>, std::map<int, double>> spread_;
  double hours_ = 0;
  int rounds_ = 0, unplaced_ = 0;
};

}  // namespace tessera::usage
