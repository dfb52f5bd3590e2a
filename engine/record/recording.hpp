// A recording as the rest of tessera sees it: a place to write lines to, and a past to look at. What is on
// the disk is backends/record's business. Threads: each object belongs to the thread that made it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/history/keeps_figures.hpp"
#include "engine/model/model.hpp"
#include "engine/record/step.hpp"

namespace tessera::record {

// Where a recorder writes.
class Tape {
 public:
  virtual ~Tape() = default;  // finishes the file
  // Whether the next round must be a key frame: a new file or day, a while since the last, an error.
  virtual bool wants_key(TimePoint at) const = 0;
  // One round. After an error nothing of it counts as written, and the next round must be a key frame.
  virtual Status write(std::string_view lines, TimePoint at, bool key) = 0;
  // What went wrong with older days, beside the writing; each is told once.
  virtual std::optional<Error> trouble() { return std::nullopt; }
  // Whether work on older days goes on.
  virtual bool busy() { return false; }
};

// How days that are old become smaller: their figures are kept so far apart, all that happened stays.
struct Thin {
  Duration age{};    // since the day's end
  Duration every{};  // at most kThinnest
  friend bool operator==(const Thin&, const Thin&) = default;
};
// Figures that are farther apart would be a gap to whoever reads them.
inline constexpr Duration kThinnest{600'000};

struct Keep {
  Duration age{30LL * 24 * 3'600'000};  // files of days that ended longer ago are removed
  std::int64_t bytes = 0;               // of all files together; 0: no bound
  std::optional<Thin> thin{};           // nullopt: days stay as they were written
  std::string tessera{};                // the version that thins
};

// The stretch from the first to the newest round. There may be gaps in it.
struct Covered {
  TimePoint from{}, to{};
};

// A line of a run's journal that says where the run stands: it began, stopped, went on or ended.
struct RunNews {
  std::string run;   // its id
  std::string text;  // clean: "started by alice", "parked: 2 jobs are on it"
  std::vector<NodeName> nodes{};
};

// By run, how many lines of its journal are recorded.
using RunLines = std::map<std::string, std::int64_t>;

// What was recorded at one time.
struct Round {
  const Cluster& cluster;
  TimePoint at{};
  const std::set<std::string>& findings;  // as the recorder named them
  Duration figures_every{0};              // they are kept so far apart; 0: each round has them
  Duration every{0};                      // between two rounds, as the recorder was asked; 0: not told
  // Why none is between the round before and this one, if they are far apart; breaks_off(): they may be near,
  // and of the time between them nothing is known.
  Stop before{};
  std::vector<RunNews> runs{};  // that this round tells, oldest first
};

// A file of a recording: a day.
struct DayFile {
  std::string name;
  std::int64_t bytes = 0;
  std::optional<Covered> rounds;       // the first and the last; nullopt: none can be read
  int count = 0;                       // rounds
  Duration every{0};                   // between two, as the recorder was asked last; 0: not told
  int gaps = 0;                        // between rounds, and from the day before to this one
  Duration missing{0};                 // in these
  int set_back = 0;                    // times that its clock was; rounds that were written again count once
  bool torn = false;                   // the file ends before what was written to it was ended
  std::optional<Stop> stop{};          // behind its last round; nullopt: the next file goes on
  std::optional<TimePoint> written{};  // to last, by the clock here; nullopt: not known
  std::optional<Error> failure{};      // the first that is damaged of it; what is sound counts above
};

class Recording {
 public:
  virtual ~Recording() = default;
  virtual const ClusterName& cluster() const = 0;
  // From the first to the newest round that can be read. nullopt: there is none.
  virtual std::optional<Covered> covered() = 0;
  // The cluster as it stood at that time: as the last round at or before it told that can be read. Errors:
  // nothing is recorded of that time.
  virtual Result<Model> at(TimePoint time) = 0;
  // Whether something is damaged between the round that at() told last and the time that it was asked for.
  virtual bool damaged_behind() const { return false; }
  // How far apart figures are kept where at() was last; 0: each round has them.
  virtual Duration figures_every() const { return Duration{0}; }
  // Between two rounds where at() was last, as the recorder was asked; 0: not told.
  virtual Duration every() const { return Duration{0}; }
  // Since when GPUs and slices show no use, where at() was last: as the recorder followed it, which began
  // with its own start or goes on behind the recorder before. nullopt: the recording does not tell it.
  virtual std::optional<std::vector<history::ToldIdle>> idle() const { return std::nullopt; }
  // The lines of runs up to where at() was last; nullopt: the recording does not tell it.
  virtual std::optional<RunLines> run_lines() const { return std::nullopt; }
  // Why nothing follows the newest round, if that is old.
  virtual Stop stopped() { return Stop::unknown; }
  // Each file, oldest first, and what is in it. Errors: the folder cannot be read.
  virtual Result<std::vector<DayFile>> days() { return std::vector<DayFile>{}; }
  // Each round in [from, to], oldest first and each time once, until `see` returns false. What is damaged is
  // passed over, and the next round tells it (Round::before). Errors: a file cannot be opened, a later
  // version wrote it, or nothing of the recording can be read.
  virtual Status rounds(TimePoint from, TimePoint to, const std::function<bool(const Round&)>& see) = 0;
  // Times of rounds at which [from, to] can be cut into pieces for read_pieces(), oldest first: the round at
  // which one of them ends is the one with which the next begins, as told by rounds(). None: it is one piece.
  virtual std::vector<TimePoint> cuts(TimePoint /*from*/, TimePoint /*to*/) { return {}; }
  // Calls read(i, recording) for each i below `count`, some of them at the same time where that is quicker,
  // each with a recording for it alone; and then(i), on the calling thread and in order. No more than a few
  // wait for their then(), whatever `count` is. Whoever gives up lets each read() end soon.
  virtual void read_pieces(std::size_t count, const std::function<void(std::size_t, Recording&)>& read,
                           const std::function<void(std::size_t)>& then) {
    for (std::size_t i = 0; i < count; ++i) read(i, *this), then(i);
  }
  // What was measured of these nodes in [from, to], of each oldest first: less to read than its rounds. Ends
  // early, with what was found so far, when `goes_on` says no.
  virtual Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>& nodes,
                                                            TimePoint from, TimePoint to,
                                                            const std::function<bool()>& goes_on) = 0;
  // As at(), for whoever shows it at once: where the recording owes_history() then, the model's logs have
  // only what happened since some time before, and add_history() puts the rest into that model. Until then it
  // is owed, also where the recording was asked for something else meanwhile, but for another moment.
  virtual Result<Model> moment(TimePoint time) { return at(time); }
  virtual bool owes_history() const { return false; }
  virtual void add_history(Model& /*moment*/) {}
};

}  // namespace tessera::record
