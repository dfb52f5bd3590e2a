// Surveys of a fleet as tables, as a page about one node, and as a document.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/fleet/left_run.hpp"
#include "engine/fleet/survey.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/json.hpp"
#include "engine/plan/run/run.hpp"
#include "tui/cli/options.hpp"

namespace tessera::cli {

// What a page or document is made of. The surveys point into the fleet and the model: the next event that is
// taken in ends them.
struct FleetPage {
  std::string file;  // to be read
  std::string path;  // to be written in commands, as it was given
  std::vector<fleet::Survey> surveys;
  bool past = false;                          // of a time that is over: nothing leads out of it
  std::vector<std::string> unread;            // clusters of the file that could not be read, each with why
  std::vector<RunHead> runs;                  // newest first; for who changed a node last
  std::string runs_untold;                    // why they may not be all; empty: they are
  std::vector<fleet::LeftBehind> left;        // whatever the standing of their nodes
  std::map<std::string, plan::Run> journals;  // of the newest run of each node, by the run's name
  bool names_cluster = false;                 // a command has to say which cluster it is about
};

// The file as a command names it: one whose name cannot be shown as it is, is left to whoever types it.
std::string file_word(const std::string& path);

// Of any node the scheduler hands out something else than is made there: a finding of check and diff.
bool advertises_otherwise(const FleetPage& page);
std::string check_page(const FleetPage& page, const Options& options);  // nodes that differ, and sums
std::string diff_page(const FleetPage& page, const Options& options);   // each ruled GPU, equal ones as one
std::string explain_page(const FleetPage& page, const fleet::Survey& survey, const fleet::NodeSurvey& node,
                         const Options& options);
Json fleet_json(const FleetPage& page);

// Whose clock says what time it is. cluster: empty for that of this machine.
struct ClockTold {
  ClusterName cluster;
  TimePoint now;
};
// What the windows bring, by the clocks of the file's zone.
std::string calendar_page(const std::vector<fleet::Due>& all, const fleet::Fleet& fleet,
                          const std::vector<ClockTold>& clocks, const Options& options);
Json calendar_json(const std::vector<fleet::Due>& all, const std::vector<ClockTold>& clocks);

}  // namespace tessera::cli
