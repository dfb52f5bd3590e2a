// What a cluster is, as lines of a recording: all of it in a key frame, and from then on what changed.
//
// Each line is a JSON object with "at" and "kind" (docs/time.md lists the kinds). Use, memory, temperature,
// power and what is busy are written in levels (levels.hpp) when they moved by more than a step, or when use
// crosses 1 %, so that noise costs nothing and "not used" stays exact. A figure that is not measured any more
// is told, too: a gap stays a gap. Threads: a value of one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/history/keeps_figures.hpp"
#include "engine/insight/attention.hpp"
#include "engine/model/model.hpp"
#include "engine/record/fields.hpp"
#include "engine/record/kept_idle.hpp"
#include "engine/record/levels.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

// What a figure must have moved by to be written again; docs/time.md.
inline constexpr int kUseStep = 10;               // percentage points
inline constexpr std::int64_t kMemoryStep = 512;  // MiB
inline constexpr int kTemperatureStep = 6;        // degrees Celsius
inline constexpr int kPowerStep = 100;            // watts
inline constexpr int kBusyStep = 10;              // percentage points: tensor pipes, memory interface

struct Wanted {
  Duration every{60'000};  // between two rounds, as the head tells it
  std::string tessera;     // the version that writes
  // Not empty: names of nodes, users, workloads and the rest are written as digests with this salt, and texts
  // that people wrote are left out.
  std::string salt;
  // What needs attention in a cluster, as the console lists it; empty: no findings are recorded.
  std::function<std::vector<insight::Finding>(const Cluster&, TimePoint wall)> findings = nullptr;
  std::optional<TimePoint> began{};  // this recorder; nullopt: it writes no end_line()
};

class Recorder {
 public:
  explicit Recorder(Wanted wanted) : wanted_(std::move(wanted)) {}

  // The lines of one round, each with its newline. key: a key frame, which stands alone. wall: the wall
  // clock.
  std::string take(const Cluster& cluster, TimePoint wall, bool key);
  // Behind what is recorded already. newest: the round with the latest time: a clock that is behind it was
  // set back. idle: since when lines were idle then, by nodes as they are called in the recording, which goes
  // on where that was not long ago. Before the first take().
  void go_on_behind(TimePoint newest, std::vector<history::ToldIdle> idle) {
    at_ = newest;
    idle_.take_told(std::move(idle));
  }
  // A line of a run's journal, as it was written there.
  std::string run_line(TimePoint at, const std::string& run, std::string_view line) const;
  // Behind a key frame: how many lines of runs stand before it, so that whoever goes on with the recording
  // writes none of them twice. Empty with digests for names: then no run is told.
  std::string runs_line(TimePoint at, const RunLines& lines) const;
  // Behind the last round: the recorder is ended, and did not tear. Precondition: take() was called.
  std::string end_line() const;
  TimePoint at() const { return at_; }  // of the last round

  // For a recording that is there already and whose other lines stay as they are: the figures of one round,
  // of nodes by their written names, exactly as these have them. all: of every node; else of those alone of
  // which something shows that keeps its own time: whether it is used, its memory, figures that came or went.
  // May be empty.
  std::string figures_again(const std::map<std::string, Node>& nodes, TimePoint at, bool all,
                            std::optional<TimePoint> stale_at);
  // What was written of that node, or of any, is told otherwise now: all its figures are to be written.
  void forget_figures(const std::string& node);
  void forget_figures();

 private:
  // use, memory, temperature, power, tensor, memory_busy, licensed (0 or 1)
  using Row = std::array<std::optional<std::int64_t>, kFigureCount>;
  struct Shown {
    Source source = Source::none;       // under which its figures were written last; none: they are gone
    std::optional<TimePoint> measured;  // when those were measured that were written last
    // The GPUs, then the slices of each: as they were measured when written last. Empty: all are to be
    // written.
    std::vector<Row> lines;
  };
  // What one source tells.
  struct Moved {
    std::array<std::string, kFigureCount> letters;  // of each figure, node by node
    std::size_t place = 0;                          // of the node that they have come to
    std::string memory, silent, old;                // fields and items of JSON
    void go_to(std::size_t to);
  };

  void follow_clock(TimePoint before);  // the round before
  void begin(std::string_view kind);
  void head(const Cluster& cluster);
  void about(const Cluster& cluster);
  template <class T>
  void keep_list(std::string_view kind, const T& list);
  void pace(const Cluster& cluster);
  void sources(const Cluster& cluster);
  void nodes(const Cluster& cluster);
  void workloads(const Cluster& cluster);
  void processes(const Cluster& cluster);
  void findings(const Cluster& cluster, TimePoint wall);
  void figures(const Cluster& cluster);
  void own(const Cluster& cluster);
  void idle(const Cluster& cluster);
  enum class Writes : std::uint8_t { moved, differing, all };
  // Of one node.
  struct Wrote {
    std::string use;   // letters
    bool any = false;  // of some figure
  };
  Wrote measure(const Node& node, const std::string& name, bool slow, Writes writes, Moved& moved);
  void hear_idle(const Node& node, const std::string& name, const Wrote& wrote, TimePoint measured);
  Duration longest() const;  // between two figures of a line that stays idle, as who reads this knows it
  void take_away(const Node& node, const std::string& name, std::size_t place);
  static bool keeps_its_time(const Shown& shown, const Node& node);
  static void add_silent(std::string& silent, const std::string& name);  // to items of JSON
  void put_moved(std::size_t nodes);
  bool changed(std::string_view group, const std::string& name, std::string text);
  void drop_gone(std::string_view group, std::string_view field,
                 const std::unordered_set<std::string>& there);

  Wanted wanted_;
  std::string out_;
  TimePoint at_{}, slow_at_{};
  Duration apart_{0};  // far_apart(), of this round
  // How its clock was set back, until it is as late again.
  struct SetBack {
    TimePoint from{}, to{};
  };
  std::optional<SetBack> set_back_;
  bool new_day_ = false;  // of UTC, with this round
  // What was written last of each object, by group: its text.
  std::map<std::string, std::unordered_map<std::string, std::string>, std::less<>> written_;
  std::unordered_map<std::string, Shown> shown_;        // by node
  std::unordered_map<std::string, SharedNode> shared_;  // by node, as written last
  std::map<Source, Moved> moved_;                       // in this round
  KeptIdle idle_;
};

}  // namespace tessera::record
