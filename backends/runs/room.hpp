// The run room: keeps the journals of runs, and drives those that were begun or taken up here.
//
// Implements engine/plan/run/runs.hpp. Nothing is decided in here: what to do next on a node comes from the
// executor, in which order nodes are taken from engine/plan/run/run.hpp, whether it worked from the
// actuator's eyes. The room writes down, asks, and passes on; a run whose journal cannot be written does not
// act. Threads: one worker thread of the room's own; make_runs() and the methods of plan::Runs for the one
// thread that owns the model. Actuators call back on their own threads, also after the room is gone: then
// nothing happens.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/worker.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/run/runs.hpp"
#include "engine/port.hpp"

namespace tessera::runs {

// A cluster that can be changed. The actuator must outlive the room.
struct Changeable {
  ClusterName cluster;
  plan::Actuator* actuator = nullptr;
};

struct RunsOptions {
  bool write = false;       // false: runs can be listed and read; start() and resume() are refused
  std::string folder;       // of the user's own journals, made when needed; see journal_folder()
  std::string site_folder;  // shared with colleagues, made by the site; empty: none. New journals go there
  bool open_only = false;   // lists runs of the clusters that are open alone: other simulated worlds are gone
  bool marks = true;        // false: list() asks no cluster for marks, and lists what has a journal here
  std::string who;          // the user, for journals and marks
  std::string from;         // this host
  const mig::Catalogue* catalogue = nullptr;  // must outlive the room
  plan::SiteRules rules;                      // for planning again
  std::function<TimePoint()> wall;
  // Makes the ids of two runs differ that begin in one minute; empty: the system's random numbers.
  std::function<std::uint64_t()> random;

  // The world, for tests. Puts text at the end of a file and onto the disk; returns 0 or errno.
  std::function<int(int fd, std::string_view text)> put;
  // Runs task after delay, on the worker's thread; called there.
  std::function<void(Worker& worker, Duration delay, Worker::Task task)> later;
};

// Where journals belong: $XDG_STATE_HOME/tessera/NAME, else ~/.local/state/tessera/NAME. Empty values: not
// set; without either the answer is empty, and no run can be begun.
std::string journal_folder(std::string_view xdg_state_home, std::string_view home, std::string_view name);

// Reads a run by its journal, on whichever thread, beside the room and whoever drives the run: an order never
// waits for it. Writes nothing.
std::function<Result<plan::Run>(const std::string& run)> journal_reader(std::string folder,
                                                                        std::string site_folder);

std::unique_ptr<plan::Runs> make_runs(RunsOptions options, std::vector<Changeable> clusters, EventSink& sink);

}  // namespace tessera::runs
