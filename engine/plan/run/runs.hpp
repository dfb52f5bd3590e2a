// The port to the room that keeps the journals and drives the runs; console and command line share it.
//
// Everything is asked here and answered through the EventSink: RunsListed, RunTold, RunRefused, RunsAtRest
// (engine/model/run_news.hpp). A run's id is its journal's name. Whoever shows a run folds the lines of
// RunTold with parse_journal() and replay(), so that what is on the screen is what is on the disk. Threads:
// for the one thread that owns the model; every method returns at once, the work happens on a thread of the
// room's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/plan/run/journal.hpp"

namespace tessera::plan {

// What to do with a run that stopped.
enum class Onward : std::uint8_t {
  carry_on,  // from the step where it stopped
  replan,    // plan again from what stands now, towards what was wanted
  back,      // plan again towards the layout that was found
};

// How a run is taken up.
struct Resuming {
  Onward onward = Onward::carry_on;
  bool accept_harm = false;   // also where planning again disturbs work that the run never named
  bool same_cluster = false;  // a person has named the cluster: it counts where no identity is told
  bool by_timer = false;      // nobody looks: only a journal that is as this user left it is taken up
  std::string seen;           // Chain::last() of the journal that was looked at; empty: of none
};

// What a refusal to take a run up says, when planning again disturbs what the run never named; its reason
// names that work.
inline constexpr std::string_view kUnnamedHarm = "the new plan disturbs what the run never named";

// What a refusal says when Resuming::seen is not the journal's end any more.
inline constexpr std::string_view kWrittenSince = "its journal was written to after it was looked at";

class Runs {
 public:
  virtual ~Runs() = default;  // parks nothing: call park_all() and wait for RunsAtRest first

  // Which runs are there, and which marks stand on the clusters. Answer: RunsListed.
  virtual void list() = 0;
  // All of a run's journal, then each line as it is written here. Answer: RunTold, or RunRefused.
  virtual void read(const std::string& run) = 0;

  // Writes the journal of a new run and begins. The plan was checked against the world just now (what_moved)
  // and armed by a person. undoes: the run that it takes back, or empty. Answers: RunTold, or RunRefused (no
  // such cluster, it cannot be changed, why_not_begun, the journal cannot be written).
  virtual void start(Plan plan, std::string undoes) = 0;
  // Takes a parked or interrupted run up again, on the cluster that it was begun on. Without accept_harm a
  // new plan that disturbs work that the run never named is refused, and the refusal names that work.
  virtual void resume(const std::string& run, const Resuming& how) = 0;
  // For a run that is driven here; node: empty for all of them. Takes effect at a step's edge. why: empty
  // where an admin wants it so.
  virtual void demand(const std::string& run, const NodeName& node, Demand what, const std::string& why) = 0;
  virtual void answer(const std::string& run, const NodeName& node, Ask what, bool go_on) = 0;
  // Ends every run here at the edge of its current step, in a stated safe place, because of `why`
  // ("the terminal went away"). RunsAtRest is told when nothing is driven any more (also when nothing was).
  virtual void park_all(const std::string& why) = 0;
};

}  // namespace tessera::plan
