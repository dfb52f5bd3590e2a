// What was measured of each GPU and slice, kept as it was taken: samples at their times, gaps as gaps,
// nothing filled in between.
//
// Bounded: nodes share kMostBytes. A sample of use and memory takes two bytes; how many a node keeps follows
// from how much there is to keep, so that 80,000 GPUs at 10 s have their last hour and a small cluster has
// kDeepest samples. Use is kept in steps of half a percent (below 1 % stays below), memory in 1/250 of the
// GPU's. Temperature, power, finer memory and what is busy are kept of nodes that are watched.
// Threads: a value of the thread that owns the model.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/history/keeps_figures.hpp"
#include "engine/history/key.hpp"
#include "engine/model/model.hpp"

namespace tessera::history {

// Nothing measured of a kind: n/a at that time.
struct Sample {
  TimePoint at{};
  std::optional<float> use;          // percent
  std::optional<float> memory;       // percent of the GPU's memory
  std::optional<float> temperature;  // degrees Celsius; of GPUs on watched nodes
  std::optional<float> power;        // watts; of GPUs on watched nodes
  std::optional<float> tensor;       // percent; of GPUs and slices on watched nodes
  std::optional<float> memory_bus;   // percent; of these, too
  std::optional<float> held;         // percent of the slices; of clusters
};

struct Line {
  Source source = Source::none;  // of the newest sample
  std::optional<Mib> memory;     // of the GPU: what 100 % is
  Duration pace{0};              // at which its cluster is asked, or was recorded
  std::vector<Sample> samples;   // oldest first
};

inline constexpr std::size_t kMostBytes = 64'000'000;
inline constexpr std::size_t kDeepest = 4'320;  // samples of one node: twelve hours, one each 10 s
inline constexpr std::size_t kAnHour = 361;     // the same of one
inline constexpr Duration kSumsEvery{10'000};
inline constexpr std::size_t kMostSums = 720;  // two hours of a cluster
inline constexpr float kIdleBelow = 1;         // percent: what counts as no use

// Two samples farther apart say nothing of between: ten minutes, and more where the cluster is asked, or was
// recorded, less often, or a round of its figures takes longer.
Duration longest_gap(const Cluster& cluster);

class History {
 public:
  History() : History(kMostBytes) {}
  explicit History(std::size_t most_bytes);

  // Takes what the node shows now, unless that was taken already or is older. A node that is gone is
  // forgotten.
  void take(const Cluster& cluster, const NodeName& node);
  // What a source kept of it, oldest first: samples that are older than all that is known of it are put
  // before them, and idle time goes on into them. The rest is left: what was seen as it was measured is not
  // replaced.
  void take_before(const Cluster& cluster, const NodeName& node, const std::vector<Measured>& rounds);
  // The same of a source that knows all of it: whatever was taken of the node goes.
  void take_instead(const Cluster& cluster, const NodeName& node, const std::vector<Measured>& rounds);
  // Sums of a cluster, unless it has some that are younger than kSumsEvery.
  void take(const ClusterName& cluster, const Sums& sums);
  void take_instead(const ClusterName& cluster, const std::vector<Sums>& all);
  // Sums that a source kept, oldest first: those that are older than all that is known are put before them.
  void take_before(const ClusterName& cluster, const std::vector<Sums>& kept);
  // Since when lines are idle, by a recording: in place of all that it told of the cluster before. What was
  // told holds for the time that it is about, whatever moment is looked at.
  void take_told(const ClusterName& cluster, std::vector<ToldIdle> told);
  // All samples of a cluster: its clock was set back.
  void forget(const ClusterName& cluster);
  // Whether temperature and power of its GPUs, and what of them is busy, are kept from now on.
  void watch(const ClusterName& cluster, const NodeName& node, bool watched);

  Line line(const ClusterName& cluster, const NodeName& node, const Key& key, TimePoint since = {}) const;
  // The times at which anything of one of these lines of a node was measured, with their use alone: a list
  // asks this of each node in view. `sum` is over those whose use was measured then, `measured` how many
  // these are.
  void each_use(const ClusterName& cluster, const NodeName& node, std::span<const Key> keys, TimePoint since,
                const std::function<void(TimePoint at, double sum, int measured)>& visit) const;
  // Of a cluster, oldest first: use and what is held.
  std::vector<Sample> sums(const ClusterName& cluster, TimePoint since = {}) const;
  // The newest of them that a source kept; nullopt: none did.
  std::optional<TimePoint> sums_kept_until(const ClusterName& cluster) const;
  // Since when every sample was below kIdleBelow, without a gap longer than longest_gap(); it may have been
  // so before the first sample, too. Where a recording tells of the time before, since then. nullopt: in use,
  // or not measured.
  std::optional<TimePoint> idle_since(const ClusterName& cluster, const NodeName& node, const Key& key) const;
  // Whether a recording tells when that began: nothing older is known anywhere.
  bool is_told_idle(const ClusterName& cluster, const NodeName& node, const Key& key) const;
  // Whether it may have been idle before that, too: right before it nothing was measured, and no recording
  // tells of it.
  bool may_be_idle_longer(const ClusterName& cluster, const NodeName& node, const Key& key) const;

  std::size_t bytes() const { return bytes_; }  // of samples
  // Samples that a node keeps now; on screen at least kAnHour, where that is no more than half of the memory.
  std::size_t depth(bool watched = false) const;

 private:
  struct Lines {
    std::vector<Key> keys;
    std::vector<std::int64_t> memory;  // MiB of each line's GPU; 0: not reported
    Source source = Source::none;
    bool detailed = false;
    friend bool operator==(const Lines&, const Lines&) = default;
  };
  // Samples of one set of lines by one source, in a ring of rows: the seconds since the row before, then the
  // bytes of each line. A row of nothing measured bridges what one byte of seconds cannot tell.
  struct Stretch {
    std::shared_ptr<const Lines> lines;  // most nodes are alike
    std::size_t width = 0;               // bytes of a row
    TimePoint first{}, last{};
    std::size_t head = 0;  // the row that is the oldest
    std::vector<std::uint8_t> rows;
    std::size_t size() const { return rows.size() / width; }
  };
  // Of the lines of a node's newest stretch, since when they are idle. The bits stand behind the seconds: a
  // vector of their own took 80 bytes of each of 10,000 nodes, and here those of 8 or 16 lines take none.
  class Idle {
   public:
    explicit Idle(std::size_t lines = 0) : words_(lines + (lines + 31) / 32) {}
    std::size_t size() const { return words_.size() - (words_.size() + 32) / 33; }  // lines
    std::uint32_t since(std::size_t line) const { return words_[line]; }            // of the epoch; 0: in use
    // Where idle: it was measured in use right before.
    bool has_begun(std::size_t line) const { return ((words_[size() + line / 32] >> (line % 32)) & 1U) != 0; }
    void set(std::size_t line, std::uint32_t since, bool begun);

   private:
    std::vector<std::uint32_t> words_;
  };
  struct OfNode {
    std::vector<Stretch> stretches;  // oldest first; few
    Idle idle;
    bool watched = false;
  };
  static std::string name_of(const ClusterName& cluster, const NodeName& node);
  static std::size_t width_of(const Lines& lines);
  std::shared_ptr<const Lines> shared(Lines lines);
  const OfNode* find(const ClusterName& cluster, const NodeName& node) const;
  void count(const OfNode& of);  // its newest row, in widths_ and watched_
  void discount(const OfNode& of);
  void begin(OfNode& of, Lines lines, TimePoint at);
  void push(Stretch& to, const std::vector<std::uint8_t>& row, std::size_t deepest);
  void drop_oldest(Stretch& from);
  void straighten(Stretch& from, std::size_t most, std::size_t deepest);
  void trim(OfNode& of);
  void forget(const std::string& name);
  static void lengthen_idle(OfNode& of, const OfNode& past, Duration longest);
  static void follow_idle(OfNode& of, const ToldIdle* told, const Lines& lines, TimePoint at,
                          const Node& node, Duration longest);
  const ToldIdle* find_told(const ClusterName& cluster, const NodeName& node) const;
  std::optional<TimePoint> seen_idle(const ClusterName& cluster, const NodeName& node, const Key& key) const;
  std::optional<TimePoint> told_idle(const ClusterName& cluster, const NodeName& node, const Key& key,
                                     TimePoint seen) const;

  std::unordered_map<std::string, OfNode> nodes_;
  std::map<ClusterName, std::unordered_map<std::string, ToldIdle>> told_;  // by node
  std::map<ClusterName, std::deque<Sums>> sums_;                           // oldest first
  std::map<ClusterName, TimePoint> sums_kept_;      // of these, the newest that a source kept
  std::deque<std::shared_ptr<const Lines>> known_;  // used last
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::size_t widths_ = 0;   // of the newest row of each node
  std::size_t watched_ = 0;  // of these, what is on screen
};

// The nodes that an event tells figures of, for take() once reduce() has had it.
std::vector<NodeName> nodes_measured_by(const Event& event);

}  // namespace tessera::history
