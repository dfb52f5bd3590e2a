// Who held which slice for how long, and what was measured of it meanwhile: added up round by round from a
// recording, or from a cluster that is looked at. docs/time.md defines each figure.
//
// A round counts for the time since the one before, and for kLongestRound at most: what lies between two
// rounds that are farther apart is not known. None of it counts as measured, and no stretch without use goes
// on over it. A figure speaks until the next one can be there (record::longest_step), which on thousands of
// nodes is later than the next round, and only of work that ran when it was taken. Threads: values; one
// owner.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/model/model.hpp"
#include "engine/usage/limits.hpp"

namespace tessera::usage {

inline constexpr Duration kLongestRound{600'000};

// A suspended job keeps its GRES ("do not become available for use by other jobs", Slurm's gres.html), and
// one that completes has not given it back yet.
inline bool keeps_what_it_holds(const Workload& workload) {
  return workload.state == WorkloadState::running || workload.state == WorkloadState::suspended ||
         workload.state == WorkloadState::completing;
}

// Hours of use by percent, in steps of five.
struct Spread {
  static constexpr int kSteps = 21;
  std::array<double, kSteps> hours{};
  void add(float percent, double for_hours);
  void add(const Spread& other);
  // The use below which it stayed in `part` of the time; nullopt: nothing was measured.
  std::optional<double> percentile(double part) const;
};

// What one job or pod held of one slice.
struct Hold {
  ClusterName cluster;
  WorkloadId workload;
  std::string user, account, group;  // group: partition or namespace
  NodeName node;
  std::optional<GpuIndex> gpu;
  std::string profile;  // "1g.10gb", "whole", "share"
  std::optional<ProductKey> product;
  std::optional<double> part;    // of a GPU, by compute; nullopt: the share or the product is not known
  std::optional<double> slices;  // memory slices; nullopt: the product is not known
  // Of a GPU, what its figures speak of: of a share the whole that is shared. nullopt: what was held.
  std::optional<double> measured_part{};
  std::optional<TimePoint> began{};
  double hours = 0;         // held
  double measured = 0;      // of these with a figure of use
  double before_first = 0;  // of these before the first figure of use, of work that had just begun
  // How many different figures of use these rest on; nullopt: its source adds up by itself.
  std::optional<int> figures{};
  double use = 0;  // percent-hours
  Spread spread;
  double idle = 0, parked = 0;  // hours, in stretches of at least Limits::idle_after
  // Hours with a figure of use of what it shared with others, and none of its own part; with how many at
  // most.
  double together = 0;
  std::size_t sharers = 0;  // itself among them
  std::optional<Mib> memory_peak;
  std::optional<Mib> memory;  // of the GPU or instance that figures speak of; nullopt: not known
  // Where no mean is known: no sample saw more use. It counts for all of the hours.
  std::optional<Percent> most{};

  double gpu_hours() const { return part ? hours * *part : 0; }
  double slice_hours() const { return slices ? hours * *slices : 0; }

 private:
  friend class Ledger;
  // A stretch without use: its hours, and when the first and the last of its figures were taken.
  struct Stretch {
    double idle = 0, parked = 0;
    std::optional<TimePoint> first{}, last{};
    bool wants_two = false;  // one figure speaks for longer than a round: alone it makes no stretch
    bool counts(double least) const { return idle >= least && (!wants_two || first != last); }
    void go_on_with(const Stretch& later);
  };
  void count_figure(TimePoint taken);
  Stretch run;  // since it was last used, or since that was not known
  // Of `figures` the first and the last one.
  std::optional<TimePoint> first_figure{}, last_figure{};
  TimePoint told{};  // the round whose figure of use was the last one
  // Of the stretch without use that began before the first round, or with it.
  TimePoint head_began{};  // the first round, where it has a figure of use
  Stretch head;
  bool goes_on = false;  // it has not ended
};

// Of a kind of slice: since when one of them has been free in every round, while nothing that waits asked for
// it.
struct Spare {
  ClusterName cluster;
  SliceKind kind{};
  std::string profile;
  bool as_gpu = false;  // one of them is handed out by the name of a whole GPU
  double since = 0;     // recorded hours until the newest round; what is in gaps is not counted
  // Free in these, and not in use by a process without an allocation, which Rogue counts; slices of products
  // that are not known: in `hours` alone.
  double slice_hours = 0, hours = 0;

 private:
  friend class Ledger;
  bool asked = false;  // in the round that is looked at
  bool free = false;   // ... one of them, in use or not
  double slices_now = 0, free_now = 0;
  double slices_before = 0, free_before = 0;  // in the round before
  bool stood = false;                         // free and not asked for in the round before
  bool is_new = true;                         // the round that is looked at is the first with it
  bool goes_on = false;                       // no round has told otherwise since the first
};

// A slice that can be had, and that is in use all the same: by a process that has no allocation.
struct Rogue {
  ClusterName cluster;
  NodeName node;
  GpuIndex gpu;
  std::string place;  // as RogueProcess has it
  std::string profile;
  std::optional<double> slices;  // memory slices; nullopt: the product is not known
  double hours = 0;              // in stretches of at least Limits::rogue_after
  std::optional<Percent> use;    // the most in these
  std::optional<Mib> memory;     // the most in these

 private:
  friend class Ledger;
  struct Stretch {
    double hours = 0;
    std::optional<Percent> use;
    std::optional<Mib> memory;
  };
  Stretch run;
  TimePoint told{};
  // Of the stretch that began before the first round, or with it.
  TimePoint head_began{};
  Stretch head;
  bool goes_on = false;  // it has not ended
};

// A process on a GPU that no job or pod entitles to it, as the driver and the scheduler tell.
struct RogueProcess {
  ClusterName cluster;
  NodeName node;
  GpuIndex gpu;
  std::string place;    // the same for all that run in one slice
  std::string profile;  // of the slice that it runs in; empty: not known
  std::int64_t pid = 0;
  std::string name;
  WorkloadId workload;           // that it belongs to and that holds another GPU; empty: none
  std::string user;              // whose work that is; empty: not known
  std::optional<double> slices;  // memory slices of that slice
  std::optional<Mib> memory;     // the most
  double hours = 0;              // between the times at which it was listed; 0: it was listed once
  double free_hours = 0;         // of these, while no job or pod held the slice

 private:
  friend class Ledger;
  TimePoint told{}, first_told{};
  Duration first_longest{};  // of the round that listed it first
  bool first_free = false;   // its slice, in that round
};

struct Waited {
  ClusterName cluster;
  WorkloadId workload;
  std::string user, account, group;
  double hours = 0;
};

class Ledger {
 public:
  explicit Ledger(const mig::Catalogue& catalogue, const Limits& limits = {})
      : catalogue_(catalogue), limits_(limits) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  const Limits& limits() const { return limits_; }
  // One round. Rounds of a cluster come in the order of time; the one before may be so far away.
  void see(const Cluster& cluster, TimePoint at, Duration longest = kLongestRound);
  // What a ledger of later rounds has added up. Precondition: of each cluster the first round that it saw is
  // the last one that this saw, or this saw none; both have the same limits and catalogue.
  void go_on_with(Ledger&& later);
  // What another source has added up itself, and the hours that it covers.
  void add(Hold hold);
  void add(Waited waited);
  void cover(const ClusterName& cluster, double hours) { covered_[cluster] += hours; }
  std::vector<Hold> holds() const;
  std::vector<Waited> waited() const;
  std::vector<Spare> spare() const;
  std::vector<Rogue> rogues() const;
  std::vector<RogueProcess> rogue_processes() const;
  // By RogueProcess::place: while any of its processes was listed, and no job or pod held the slice. Several
  // that run at the same time are no more time.
  std::map<std::string, double> rogue_hours() const;
  // Clusters in which slices were free, and whether any of these was measured.
  const std::map<ClusterName, bool>& free_measured() const { return free_measured_; }
  // ... and those in which they were measured too seldom to tell what used them.
  const std::set<ClusterName>& free_seldom() const { return free_seldom_; }
  // Slice-hours, by node.
  using OfNodes = std::map<NodeName, double>;
  const std::map<ClusterName, OfNodes>& stranded() const { return stranded_; }
  const std::map<ClusterName, double>& known() const { return known_; }  // hours, without those of gaps
  // Of the newest round, for DemandOverTime: what running work held, by profile.
  const std::map<std::string, int, std::less<>>& held() const { return held_; }
  // That rounds cover, of the cluster of which they cover most: what several are recorded for together is no
  // more time than it was.
  double hours() const;
  int rounds() const { return rounds_; }
  // Work that held GPUs of which it is not known which: they are holds without a GPU, which nothing measures.
  double unplaced() const { return unplaced_; }

 private:
  // The time since the round before, which its figures speak of.
  struct Passed {
    TimePoint before{}, at{};
    double hours = 0;
    bool gap = false;  // longer than a round can be
    Duration longest = kLongestRound;
    Duration speaks = kLongestRound;  // a figure, at most
    bool first = false;               // of this cluster
    bool silent = false;              // the scheduler has not told for long who holds what
  };
  // Whom a slice was counted for in the round before: most rounds bring the same, and finding its hold by a
  // key took a third of the time of reading a day, and its workload another fifth.
  struct Seat {
    std::size_t place = 0;  // of the workload in its cluster's list
    WorkloadId workload;
    int gpu = 0;
    SliceKind kind{};
    ProfileName profile;
    Hold* hold = nullptr;  // of holds_
    bool is_of(const Holder& holder, const Gpu& of_gpu, const Slice& slice) const {
      return hold && workload == holder.workload && gpu == of_gpu.index.value && kind == slice.kind &&
             profile == slice.profile;
    }
  };
  // The same of a job or pod, by its place in its cluster's list.
  struct Desk {
    WorkloadId workload;
    Waited* waited = nullptr;    // of waited_
    std::size_t node_place = 0;  // of a node on which it holds something
  };
  // Of one cluster. What points into sums goes with seats_.erase() where these are joined.
  struct Places {
    std::unordered_map<NodeName, std::vector<std::vector<Seat>>> seats;  // by node, GPU and slice
    std::vector<Desk> desks;
  };
  void see_node(const Cluster& cluster, const Node& node, std::vector<std::vector<Seat>>& seats,
                const Passed& passed);
  void count_held(const Slice& slice);
  bool is_amd(const Gpu& gpu);
  std::optional<int> stranded_slices(const Gpu& gpu);
  void see_slice(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice& slice, Seat& seat,
                 const Passed& passed);
  Hold& hold_of(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice& slice,
                const Holder& holder, const Workload& workload);
  void see_spare(const Cluster& cluster, const Node& node, const Passed& passed);
  Spare& spare_of(const ClusterName& cluster, const Slice& slice);
  // Whether it is in use in this round.
  bool see_rogue(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice& slice,
                 const Passed& passed);
  // The slices in which any runs that nothing entitles to it.
  std::vector<const Slice*> see_processes(const Cluster& cluster, const Node& node, const Gpu& gpu,
                                          const Passed& passed);
  void go_on(Spare& spare, const Passed& passed);
  void see_asked(const Cluster& cluster, const std::string& resource);
  void see_work(const Cluster& cluster, std::vector<Desk>& desks, double hours);
  void wait(const Cluster& cluster, const Workload& workload, Desk& desk, double hours);
  void hold_somewhere(const Cluster& cluster, const Workload& workload, const Allocation& held, double hours);
  void measure_own(Hold& hold, const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice& slice,
                   const std::optional<TimePoint>& began, const Passed& passed);
  // taken: when they were.
  void measure(Hold& hold, std::optional<Percent> use, std::optional<Mib> memory, TimePoint taken,
               const Passed& passed);
  // seam: the round that both saw; nullopt: there is none.
  using Seam = std::optional<TimePoint>;
  Seam seam_with(const ClusterName& cluster, const Ledger& later) const;
  void go_on_with(Hold& hold, const Hold& later, const Seam& seam) const;
  void go_on_with(Rogue& rogue, const Rogue& later, const Seam& seam) const;
  void go_on_with(RogueProcess& rogue, const RogueProcess& later);
  void add_listed(RogueProcess& rogue, const std::string& place, TimePoint told, Duration longest, bool free);
  static void go_on_with(Spare& spare, const Spare& later);
  void join_spare(Ledger& later);

  const mig::Catalogue& catalogue_;
  Limits limits_;
  std::unordered_map<std::string, Hold> holds_;
  std::map<ClusterName, Places> seats_;
  std::vector<Spare*> spare_here_;  // of spare_, of the cluster that is looked at, as far as looked for
  // What GPUs say again in each round: whether that model is AMD's, and what layouts strand.
  std::pair<std::string, bool> amd_{"", false};
  std::map<std::string, const mig::Product*> products_;  // by key; null: the catalogue has none
  std::map<const mig::Product*, std::map<mig::Layout, int>> stranding_;
  std::map<std::string, int, std::less<>> held_;
  std::unordered_map<std::string, Waited> waited_;
  std::map<std::string, Spare> spare_;
  std::map<std::string, Rogue> rogues_;                  // by node, GPU and slice
  std::map<std::string, RogueProcess> rogue_processes_;  // by node, GPU and process
  // By their place: when any of them was listed there and the slice was free; stretches may overlap.
  std::map<std::string, std::vector<std::pair<TimePoint, TimePoint>>> rogue_times_;
  std::map<ClusterName, bool> free_measured_;
  std::set<ClusterName> free_seldom_;
  std::map<ClusterName, TimePoint> began_, before_;  // the first round, and the round before
  std::map<ClusterName, double> known_, covered_;
  std::set<ClusterName> looked_at_;  // whose nodes and work were told in some round
  std::map<ClusterName, OfNodes> stranded_;
  double unplaced_ = 0;
  int rounds_ = 0;
};

}  // namespace tessera::usage
